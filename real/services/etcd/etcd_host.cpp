// SPDX-License-Identifier: Apache-2.0
#include "real/services/etcd/etcd_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "algorithms/etcd/requests.hpp"
#include "real/client/host_ports.hpp"
#include "real/errors.hpp"
#include "real/services/etcd/etcd_control.hpp"

namespace lockproof::real {
namespace {

constexpr int etcd_starts_most = 5;  // another program may take the free port before the server does
constexpr std::int64_t etcd_start_ns_max = 30'000'000'000, etcd_look_ns = 2'000'000;
constexpr std::int64_t any_revision = INT64_MAX;
constexpr std::int64_t etcd_quiet_ns = 20'000'000, etcd_tells_within_ns = 5'000'000'000;

}  // namespace

EtcdHost::EtcdHost(const harness::ServerSpec& spec, Janitor& janitor, std::string lock, const std::string& program)
    : spec_(spec), lock_(std::move(lock)),
      program_(program, fmt::format("{}/{}", janitor.folder(), spec.name), janitor), port_(free_port()),
      port_for_peers_(free_port()) {
  spawn();
}

void EtcdHost::spawn() { process_ = program_.start(port_, port_for_peers_); }

/// The ports are in its files, so with other ones it begins anew.
void EtcdHost::await_ready() {
  const std::int64_t give_up = machine_ns() + etcd_start_ns_max;
  for (int starts = 1; !program_.is_up(port_); nap()) {
    if (!process_->alive()) {
      if (starts++ == etcd_starts_most) {
        throw BadEnvironment(fmt::format("{} does not start; {}", spec_.name, last_words(program_.folder())));
      }
      program_.clear();
      port_ = free_port();
      port_for_peers_ = free_port();
      spawn();
    }
    if (machine_ns() > give_up) {
      throw BadEnvironment(fmt::format("{} does not answer; {}", spec_.name, last_words(program_.folder())));
    }
  }
}

void EtcdHost::start(WorldTime time, bool /*loses_power*/) {
  time_ = time;
  watch();
}

void EtcdHost::watch() {
  stream_ = std::make_unique<ChangeStream>(*loop_, port_, seen_ + 1, [this](const KeyChange& change) {
    seen_ = change.revision;
    changes_.push_back({std::max(time_.now(), Duration{}), change});
  });
}

void EtcdHost::detach() {
  starting_.reset();
  stream_.reset();
}

harness::Readings EtcdHost::clocks(Duration at, Duration stood) {
  return readings(at, spec_.clock.wall, spec_.clock.mono, stood);
}

void EtcdHost::jump(Duration /*by*/) { throw std::logic_error("a clock of a real etcd does not jump"); }
void EtcdHost::set_rate(Duration /*now*/, std::int64_t /*ppb*/) {
  throw std::logic_error("the clocks of a real etcd have the machine's rate");
}

void EtcdHost::kill() {
  down_ = true;
  starting_.reset();  // it may have been about to be up again
  process_->kill();
}

void EtcdHost::start_again(std::function<void()> up) {
  up_ = std::move(up);
  spawn();
  give_up_ns_ = machine_ns() + etcd_start_ns_max;
  starting_ = std::make_unique<EventLoop::Timer>(*loop_, [this] { look_whether_up(); });
  starting_->set(machine_ns() + etcd_look_ns);
}

void EtcdHost::look_whether_up() {
  if (!process_->alive()) {
    throw BadEnvironment(fmt::format("{} does not start again; {}", spec_.name, last_words(program_.folder())));
  }
  if (!program_.is_up(port_)) {
    if (machine_ns() > give_up_ns_) throw BadEnvironment(fmt::format("{} does not start again", spec_.name));
    return starting_->set(machine_ns() + etcd_look_ns);
  }
  watch();
  down_ = false;
  up_();
}

bool EtcdHost::shows(const std::string& key) {
  EtcdControl control(port_);
  const auto there = [&](const Command& look) {
    const auto found = control.ask(look);
    return found && found->kind() == Reply::Kind::array;
  };
  return there(etcd::get(Name(key)).command) || there(etcd::last_before(Name(key + "/"), any_revision).command);
}

void EtcdHost::apply(const harness::Fault& fault, const std::string& /*lock*/, const std::string& /*mark*/) {
  throw std::logic_error(fmt::format("fault {}, which this service cannot have", static_cast<int>(fault.kind)));
}

/// What has been sent to it is run and answered while the proxy goes on for a moment; then the watch has to have told
/// of all that was done.
bool EtcdHost::finish() {
  if (down_) return true;
  bool over = false;
  EventLoop::Timer quiet(*loop_, [&] { over = true; });
  quiet.set(machine_ns() + etcd_quiet_ns);
  while (!over) loop_->turn();
  const Command look = etcd::get(Name(lock_)).command;
  const auto answer = EtcdControl(port_).exchange(EtcdCodec().encode(look));
  if (!answer) return false;
  quiet.set(machine_ns() + etcd_tells_within_ns);
  for (over = false; seen_ < revision_in(*answer) && !over;) loop_->turn();
  return !over;
}

/// A refusal names no revision: it came when the server had made all changes that have been told so far.
void EtcdHost::answered(const Proxy::Message& message, std::string_view reply) {
  EtcdAnswer answer = answer_of(message.command, reply);
  if (answer.revision == 0) answer.revision = seen_;
  answer.at = std::max(time_.now(), Duration{});
  answer.port = message.port;
  answers_.push_back(std::move(answer));
}

}  // namespace lockproof::real
