// SPDX-License-Identifier: Apache-2.0
#include "real/services/etcd/etcd_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/etcd/requests.hpp"
#include "real/services/etcd/etcd_control.hpp"

namespace lockproof::real {
namespace {

constexpr std::int64_t etcd_look_ns = 2'000'000;
constexpr std::int64_t any_revision = INT64_MAX;
constexpr std::int64_t etcd_quiet_ns = 20'000'000, etcd_tells_within_ns = 5'000'000'000;

}  // namespace

EtcdHost::EtcdHost(const harness::ServerSpec& spec, Janitor& janitor, std::string lock, const std::string& program)
    : RestartableHost(spec, WorldTime(0, 1), etcd_look_ns), lock_(std::move(lock)),
      program_(program, fmt::format("{}/{}", janitor.folder(), spec.name), janitor), port_(free_port()),
      port_for_peers_(free_port()) {
  spawn();
}

void EtcdHost::spawn() { process_ = program_.start(port_, port_for_peers_); }

/// The ports are in its files, so with other ones it begins anew.
void EtcdHost::await_ready() {
  await_up_or_move([this] {
    program_.clear();
    port_ = free_port();
    port_for_peers_ = free_port();
  });
}

void EtcdHost::start(WorldTime time, bool /*loses_power*/) {
  time_ = time;
  watch();
}

void EtcdHost::watch() {
  stream_ = std::make_unique<ChangeStream>(loop(), port_, seen_ + 1, [this](const KeyChange& change) {
    seen_ = change.revision;
    changes_.push_back({std::max(time_.now(), Duration{}), change});
  });
}

void EtcdHost::detach() {
  RestartableHost::detach();
  stream_.reset();
}

bool EtcdHost::shows(const std::string& key) {
  EtcdControl control(port_);
  const auto there = [&](const Command& look) {
    const auto found = control.ask(look);
    return found && found->kind() == Reply::Kind::array;
  };
  return there(etcd::get(Name(key)).command) || there(etcd::last_before(Name(key + "/"), any_revision).command);
}

/// What has been sent to it is run and answered while the proxy goes on for a moment; then the watch has to have told
/// of all that was done.
bool EtcdHost::finish() {
  if (down()) return true;
  (void)turn_until([] { return false; }, etcd_quiet_ns);
  const Command look = etcd::get(Name(lock_)).command;
  const auto answer = EtcdControl(port_).exchange(EtcdCodec().encode(look));
  if (!answer) return false;
  return turn_until([&] { return seen_ >= revision_in(*answer); }, etcd_tells_within_ns);
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
