// SPDX-License-Identifier: Apache-2.0
#include "search/fuzz/threads.hpp"

#include <algorithm>

namespace lockproof::sim {

std::string Threads::of(const harness::EventName& event) const {
  using Kind = harness::EventName::Kind;
  if (event.kind == Kind::fault || event.kind == Kind::heal) return "fault";
  if (event.kind != Kind::message) return event.actor;
  const bool answer = std::ranges::find(clients_, event.peer) != clients_.end();
  const bool request = std::ranges::find(clients_, event.actor) != clients_.end();
  return answer || !request ? event.peer : event.actor;
}

}  // namespace lockproof::sim
