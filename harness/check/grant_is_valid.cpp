// SPDX-License-Identifier: Apache-2.0
// Grant is valid: a program that says it has the lock has it. The kinds: `expired`, it says itself that its validity is
// over; `not-held`, the key is not its own on a majority of the servers as its word arrives.
#include <fmt/format.h>

#include "harness/check/lock_key.hpp"

namespace lockproof::check {

Finding grant_is_valid(const harness::History& history, const harness::Scenario& scenario) {
  using harness::What;
  LockKey key(history.header, scenario);
  Finding found;
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const harness::Event& event = history.events[i];
    key.see(event);
    if (event.what != What::granted || found.verdict == Verdict::violated) continue;
    const bool held = !history.header.sees_servers || !key.not_held_since(event.host, event.at);
    if (held && event.left && event.left->time <= Duration{}) {
      found = {"",
               Verdict::violated,
               "expired",
               fmt::format("{} was granted the lock with a validity of {}", place(history, event),
                           seconds_text(event.left->time)),
               {i}};
    } else if (!held) {
      found = {"",
               Verdict::violated,
               "not-held",
               fmt::format("{} was granted the lock, and the servers had not given it: the key is not its own",
                           place(history, event)),
               {i}};
    }
  }
  return found;
}

}  // namespace lockproof::check
