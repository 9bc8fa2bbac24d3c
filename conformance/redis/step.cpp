// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/step.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockproof::conformance::redis {
std::string shown(const Step& step) {
  switch (step.kind) {
    case Step::Kind::command: return fmt::format("{}> {}", step.connection, conformance::shown(step.words));
    case Step::Kind::clock: return fmt::format("clock {:+} us", step.clock_us - epoch_ms * 1000);
    case Step::Kind::min_replicas: return fmt::format("min-replicas-to-write {}", step.min_replicas);
    case Step::Kind::reconnect: return fmt::format("{}> closes and connects again", step.connection);
    case Step::Kind::jump: return fmt::format("clock jumps {:+} us", step.clock_us);
    case Step::Kind::follow: return fmt::format("becomes a replica of node {}", step.peer);
    case Step::Kind::copy: return "is made a copy by its master";
    case Step::Kind::load: return "gets the copy";
    case Step::Kind::deliver: return fmt::format("gets {} of what its master has sent", step.count);
    case Step::Kind::promote: return "becomes a master";
    case Step::Kind::fail_over: return "takes its master's place";
    case Step::Kind::restart: return "ends in order and starts again";
    case Step::Kind::power_cut: return "loses power and starts again";
    case Step::Kind::evict: return fmt::format("evicts {}", step.key);
  }
  return "";
}

std::string shown(const Steps& steps) {
  std::string text;
  int most = 0;
  for (const Step& step : steps) most = std::max(most, step.node + (step.kind > Step::Kind::min_replicas ? 1 : 0));
  for (const Step& step : steps) {
    const bool all = most == 0 || step.kind == Step::Kind::clock;
    text += fmt::format("{}{}\n", all ? "" : fmt::format("node {}: ", step.node), shown(step));
  }
  return text;
}

}  // namespace lockproof::conformance::redis
