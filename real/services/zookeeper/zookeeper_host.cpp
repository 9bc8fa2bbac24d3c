// SPDX-License-Identifier: Apache-2.0
#include "real/services/zookeeper/zookeeper_host.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "algorithms/zookeeper/requests.hpp"
#include "real/errors.hpp"

namespace lockproof::real {
namespace {

constexpr std::int64_t zookeeper_look_ns = 2'000'000;
constexpr std::int64_t zookeeper_quiet_ns = 20'000'000;
constexpr int ticks_most = 20;  // of a session's time-out
constexpr int warming_sessions = 5, warming_rounds = 30, warming_rounds_of_a_member = 3;

std::int64_t wall_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

ZooKeeperHost::ZooKeeperHost(const harness::ServerSpec& spec, Janitor& janitor, std::string lock, milliseconds tick,
                             const std::string& jar, ZooKeeperEnsemble* ensemble)
    : RestartableHost(spec, WorldTime(0, 1), zookeeper_look_ns), lock_(std::move(lock)), tick_(tick),
      ensemble_(ensemble), program_(jar, fmt::format("{}/{}", janitor.folder(), spec.name), janitor),
      port_(free_port()) {
  if (ensemble_) {
    member_ = ensemble_->join({.answers = [this]() -> const std::vector<ServerAnswer>& { return answered_; },
                               .log = [this] { return transactions_of(program_.log_folder()); }});
    const auto number = static_cast<int>(member_);
    program_.join(ensemble_->network().configuration_of(number), number + 1);
  }
  if (!ensemble_ || !ensemble_->starts_later(member_)) spawn();
}

void ZooKeeperHost::await_ready() {
  if (!process_) spawn();
  await_up_or_move([this] { port_ = free_port(); });
  prepare();
  if (ensemble_) ensemble_->look_at(member_, port_);
}

/// Ids of sessions are given one after the other.
void ZooKeeperHost::prepare() {
  const auto refuse = [this] { throw BadEnvironment(fmt::format("{} does not take commands", spec().name)); };
  ZooKeeperControl control, other;
  const auto session = [&](ZooKeeperControl& with) {
    const auto welcome = with.connect(port_, tick_ * ticks_most);
    if (!welcome || welcome->session.id == 0) refuse();
    return welcome->session.id;
  };
  static_cast<void>(session(other));
  const int rounds = ensemble_ ? warming_rounds_of_a_member : warming_rounds;  // each goes through three servers
  for (int i = 0; i < warming_sessions; ++i) {
    session_before_ = session(control);
    if (!control.make_lasting("lockproof-warm")) refuse();
    for (int round = 0; round < rounds; ++round) {
      const auto made = control.ask(zookeeper::create_numbered(0, "lockproof-warm/n-").command);
      if (!made || made->kind() != Reply::Kind::bulk) refuse();
      for (const Command& command : {zookeeper::watch(0, made->value()).command, zookeeper::ping(0).command,
                                     zookeeper::children(0, "lockproof-warm").command}) {
        if (!other.ask(command)) refuse();
      }
      if (!control.ask(zookeeper::remove(0, made->value()).command)) refuse();
    }
    if (i + 1 < warming_sessions && !control.ask(zookeeper::close(0).command)) refuse();
  }
  for (std::size_t end = 0; end != std::string::npos;) {  // the lock's node, behind all that it lies under
    end = lock_.find('/', end + 1);
    if (!control.make_lasting(lock_.substr(0, end))) {
      throw BadEnvironment(fmt::format("{} does not make a node with the name '{}'", spec().name, lock_));
    }
  }
  for (ZooKeeperControl* const with : {&other, &control}) {
    if (!with->ask(zookeeper::close(0).command)) refuse();
  }
}

void ZooKeeperHost::start(WorldTime time, bool /*loses_power*/) {
  time_ = time;
  wall_ahead_ns_ = wall_ns() - machine_ns();
}

bool ZooKeeperHost::shows(const std::string& key) {
  ZooKeeperControl control;
  const auto welcome = control.connect(port_, tick_ * ticks_most);
  const auto names = welcome ? control.ask(zookeeper::children(0, Name(key)).command) : std::nullopt;
  static_cast<void>(control.ask(zookeeper::close(0).command));
  return names && names->kind() == Reply::Kind::array && !names->items().empty();
}

/// What has been sent to it is run and answered while the proxy goes on for a moment.
bool ZooKeeperHost::finish() {
  if (down()) return true;
  if (ensemble_) ensemble_->network().must_be_there();
  if (!program_.is_up(port_)) return false;
  if (ensemble_) ensemble_->look_at(member_, port_);
  (void)turn_until([] { return false; }, zookeeper_quiet_ns);
  return true;
}

/// A handshake, which has another form of answer, is a command without words, or CONNECT.
void ZooKeeperHost::answered(const Proxy::Message& message, std::string_view reply) {
  ServerAnswer one{
      .at = std::max(time_.now(), Duration{}), .port = message.port, .verb = std::string(message.command.verb())};
  if (one.verb.empty() || one.verb == "CONNECT") {
    const auto welcome = welcome_in(reply);
    if (!welcome || welcome->session.id == 0) return;
    sessions_[message.port] = welcome->session.id;
  } else {
    const auto head = head_of(reply);
    if (!head) return;
    one.transaction = head->transaction;
  }
  one.session = sessions_[message.port];
  answered_.push_back(std::move(one));
}

std::vector<Execution> ZooKeeperHost::executions() {
  const auto when = [this](std::int64_t wall_ms) {
    return std::max(time_.at(wall_ms * 1'000'000 - wall_ahead_ns_), Duration{});
  };
  if (ensemble_) return ensemble_->executions_at(member_, lock_, when);
  return executions_of(answered_, transactions_of(program_.log_folder()), lock_, when);
}

}  // namespace lockproof::real
