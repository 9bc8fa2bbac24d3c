// SPDX-License-Identifier: Apache-2.0
#include "real/services/restartable_host.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "real/client/host_ports.hpp"
#include "real/errors.hpp"
#include "real/services/server_program.hpp"
#include "real/services/server_start.hpp"

namespace lockproof::real {

void RestartableHost::await_up_or_move(const std::function<void()>& move) {
  await_up({.name = spec_.name,
            .folder = folder(),
            .is_up = [this] { return is_up(); },
            .is_alive = [this] { return child().alive(); },
            .spawn_elsewhere =
                [&] {
                  move();
                  spawn();
                }});
}

void RestartableHost::kill() {
  down_ = true;
  starting_.reset();  // it may have been about to be up again
  child().kill();
}

void RestartableHost::start_again(std::function<void()> up) {
  up_ = std::move(up);
  spawn();
  give_up_ns_ = machine_ns() + start_ns_max;
  starting_ = std::make_unique<EventLoop::Timer>(*loop_, [this] { check_whether_up(); });
  starting_->set(machine_ns() + look_ns_);
}

void RestartableHost::check_whether_up() {
  if (!child().alive() || machine_ns() > give_up_ns_) {
    throw BadEnvironment(fmt::format("{} does not start again; {}", spec_.name, last_words(folder())));
  }
  const Duration now = time_.now();
  if (!is_up()) return starting_->set(machine_ns() + look_ns_);
  resume(now);
  down_ = false;
  up_();
}

harness::Readings RestartableHost::clocks(Duration at, Duration stood) {
  return readings(at, spec_.clock.wall, spec_.clock.mono, stood);
}

void RestartableHost::jump(Duration /*by*/) { throw std::logic_error("a clock of the machine does not jump"); }
void RestartableHost::set_rate(Duration /*now*/, std::int64_t /*ppb*/) {
  throw std::logic_error("the clocks of the machine keep their rate");
}

void RestartableHost::apply(const harness::Fault& fault, const std::string& /*lock*/, const std::string& /*mark*/) {
  throw std::logic_error(fmt::format("fault {}, which this service cannot have", static_cast<int>(fault.kind)));
}

bool RestartableHost::turn_until(const std::function<bool()>& over, std::int64_t most_ns) {
  bool late = false;
  EventLoop::Timer limit(*loop_, [&] { late = true; });
  limit.set(machine_ns() + most_ns);
  while (!over() && !late) loop_->turn();
  return !late;
}

}  // namespace lockproof::real
