// SPDX-License-Identifier: Apache-2.0
#include "conformance/zookeeper/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace lockproof::conformance::zookeeper {
namespace {

constexpr const char* plain_names[] = {"a", "b"};
constexpr const char* prefixes[] = {"x-", "y-"};
constexpr const char* verbs[] = {"CREATE", "CREATE", "CREATE",   "DELETE",   "DELETE", "EXISTS",
                                 "EXISTS", "EXISTS", "CHILDREN", "CHILDREN", "PING",   "SYNC"};
/// The server grants two at least and twenty at most. Few are long, since a client may say nothing for as long.
constexpr int time_outs[] = {1, 2, 2, 3, 3, 4, 40};

}  // namespace

Step Generator::connect(int client) {
  return {.kind = Step::Kind::connect, .client = client, .ticks = one_of(time_outs)};
}

Steps Generator::first() {
  Steps all;
  for (int client = 1; client <= clients; ++client) all.push_back(connect(client));
  return all;
}

std::string Generator::name(std::int64_t made) {
  if (chance(400)) return fmt::format("{}/{}", parent, one_of(plain_names));
  const std::int64_t number = std::max<std::int64_t>(made - static_cast<std::int64_t>(random_.below(6)), 0);
  return fmt::format("{}/{}{:010}", parent, one_of(prefixes), number);
}

Step Generator::next(std::int64_t made, const std::set<int>& without) {
  const int client = 1 + static_cast<int>(random_.below(clients));
  if (without.contains(client)) return connect(client);
  if (chance(10)) return {.kind = Step::Kind::silence, .client = client};
  if (chance(10)) return {.kind = Step::Kind::hush, .client = client};
  if (chance(30)) return connect(client);
  if (chance(30)) return {.kind = Step::Kind::reconnect, .client = client};
  if (chance(30)) return {.kind = Step::Kind::overtake, .client = client};
  Step step{.client = client, .verb = chance(15) ? "CLOSE" : one_of(verbs)};
  if (step.verb == "CREATE") {
    step.flag = chance(600);
    step.name = step.flag ? fmt::format("{}/{}", parent, one_of(prefixes)) : name(made);
    if (chance(30)) step.name = "nowhere/a";
  } else if (step.verb == "SYNC") {
    step.name = parent;
  } else if (step.verb == "CHILDREN") {
    step.name = chance(800) ? std::string(parent) : name(made);
  } else if (step.verb == "DELETE" || step.verb == "EXISTS") {
    step.name = name(made);
    step.flag = step.verb == "EXISTS" && chance(700);
  }
  return step;
}

}  // namespace lockproof::conformance::zookeeper
