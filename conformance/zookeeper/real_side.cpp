// SPDX-License-Identifier: Apache-2.0
#include "conformance/zookeeper/real_side.hpp"

#include <fmt/format.h>

#include "algorithms/zookeeper/requests.hpp"
#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/services/server_start.hpp"

namespace lockproof::conformance::zookeeper {
namespace {

namespace zk = lockproof::zookeeper;

constexpr std::int64_t gone_ns_max = 10'000'000'000;
constexpr milliseconds operators_session = tick * 20;

[[noreturn]] void does_not_answer() { throw real::BadEnvironment("the zookeeper of the comparison does not answer"); }

}  // namespace

RealSide::RealSide(const std::string& jar)
    : program_(jar, janitor_.folder() + "/zookeeper", janitor_), port_(real::free_port()),
      process_(program_.start(port_, tick)) {
  real::await_up({.name = "zookeeper",
                  .folder = program_.folder(),
                  .is_up = [this] { return program_.is_up(port_); },
                  .is_alive = [this] { return process_->alive(); }});
}

/// A parent with nodes cannot be deleted: a session that was left, and has some, ends first.
void RealSide::reset() {
  for (int number = 1; number <= clients; ++number) {
    if (!client(number).ended()) static_cast<void>(client(number).ask(zk::close(0).command));
    client(number).close();
    reserve(number).close();
  }
  real::ZooKeeperControl control;
  const auto welcome = control.connect(port_, operators_session);
  if (!welcome || welcome->session.id == 0) does_not_answer();
  const std::int64_t give_up = real::machine_ns() + gone_ns_max;
  for (;;) {
    const auto gone = control.ask(zk::remove(0, parent).command);
    if (gone && !gone->is_error()) break;
    if (!gone || real::machine_ns() > give_up) does_not_answer();
    real::nap();
  }
  if (!control.make_lasting(parent) || !control.ask(zk::close(0).command)) does_not_answer();
}

}  // namespace lockproof::conformance::zookeeper
