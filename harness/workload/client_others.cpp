// SPDX-License-Identifier: Apache-2.0
// The part of Client for locks that it takes in its work, besides that of its rounds. What it took last it releases
// first.
#include <utility>

#include "harness/workload/client.hpp"

namespace lockproof::harness {

void Client::seek(const std::string& lock) {
  life_.others.push_back({.name = lock});
  note(What::seek, "", lock);
  begin_attempts();
}

void Client::enter_other(const Grant& grant) {
  const Mono now = clock_.mono();
  OtherLock& other = life_.others.back();
  other.grant = grant;
  if (grant.renewal) other.watchdog_due = now + grant.renewal->first;
  life_.phase = Phase::inside;
  life_.worker_due = now;
  record_grant(grant, left(grant.deadline), other.name);
  if (const char* why = reason_to_leave()) return leave(why);
  record_entry(other.name);
}

/// It is outside before it releases.
Task<void> Client::release_other_step() {
  OtherLock& other = life_.others.back();
  if (other.releases == 0) note(What::exit, "released", other.name);
  other.watchdog_due.reset();
  const std::size_t held = life_.others.size();
  const Duration again = co_await release_other();
  if (life_.others.size() == held) --life_.work_done;
  life_.worker_due = clock_.mono() + again;
}

/// One call for the lock that it took last, and how long to wait before the next one, if it must be repeated.
Task<Duration> Client::release_other() {
  const std::string lock = life_.others.back().name;
  const Grant grant = *life_.others.back().grant;
  note(What::release, "", lock);
  if (plan_.release_tries == 0) {
    life_.others.pop_back();
    record_release(ReleaseResult::skipped, lock);
    co_return Duration{};
  }
  const Result<ReleaseResult> released = co_await lock_.release(grant);
  int& failed = life_.others.back().releases;
  const bool again = !released && ++failed < plan_.release_tries;
  if (!again) life_.others.pop_back();
  record_release(released, lock);
  co_return again ? retry_delay() : Duration{};
}

/// The one that it wants it wants no longer, and it is outside the others.
void Client::leave_others(const char* why) {
  if (life_.seeks_other()) {
    note(What::gave_up, "", life_.others.back().name);
    life_.others.pop_back();
  }
  for (auto other = life_.others.rbegin(); other != life_.others.rend(); ++other) {
    if (other->releases == 0) note(What::exit, why, other->name);
    other->watchdog_due.reset();
  }
}

}  // namespace lockproof::harness
