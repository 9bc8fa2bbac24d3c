// SPDX-License-Identifier: Apache-2.0
// Survives: the program of a client ends when it is told to, or when a fault kills it, and says only what the line
// protocol has. The kinds: `died`, it ended by itself; `protocol`, it said something else.
#include <fmt/format.h>

#include "harness/check/properties.hpp"

namespace lockproof::check {

Finding survives(const harness::History& history, const harness::Scenario&) {
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const harness::Event& event = history.events[i];
    if (event.what != harness::What::died) continue;
    const bool broke_protocol = event.value == 1;
    return {"",
            Verdict::violated,
            broke_protocol ? "protocol" : "died",
            fmt::format("the program of {} {}", place(history, event), event.word),
            {i}};
  }
  return {};
}

}  // namespace lockproof::check
