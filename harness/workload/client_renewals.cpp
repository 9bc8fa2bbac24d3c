// SPDX-License-Identifier: Apache-2.0
// The part of Client for its watchdog, one task for all its locks: it renews one after the other.
#include <algorithm>
#include <utility>

#include "harness/workload/client.hpp"

namespace lockproof::harness {

/// Nothing: it does not have the lock any more.
std::optional<Client::Hold> Client::hold_of(const std::string& lock) {
  if (lock == name_.bytes()) return Hold{life_.grant, life_.watchdog_due, life_.notified_of_loss};
  const auto other = std::ranges::find(life_.others, lock, &OtherLock::name);
  if (other == life_.others.end() || !other->grant) return std::nullopt;
  return Hold{other->grant, other->watchdog_due, other->notified_of_loss};
}

/// The lock whose renewal is due first. Requires that one is due.
std::string Client::renewed_next() const {
  const std::optional<Mono> due = life_.next_watchdog();
  const auto other = std::ranges::find(life_.others, due, &OtherLock::watchdog_due);
  return life_.watchdog_due == due ? name_.bytes() : other->name;
}

Task<void> Client::watchdog_step() {
  const std::string lock = renewed_next();
  const Hold hold = *hold_of(lock);
  const Mono planned = *hold.watchdog_due;
  const Grant held = *hold.grant;
  hold.watchdog_due.reset();
  note(What::renew, "", lock);
  const auto kept = co_await lock_.renew(held);
  renewed(lock, kept, planned);
}

void Client::renewed(const std::string& lock, const Result<std::optional<Grant>>& kept, Mono planned) {
  const std::optional<Hold> hold = hold_of(lock);
  if (!hold) return;
  const Renewal rule = *hold->grant->renewal;
  const Mono next = (rule.pace == Pace::fixed_rate ? planned : clock_.mono()) + rule.period;
  if (!kept) {
    if (rule.on_failure == OnFailure::retry) hold->watchdog_due = next;
    Event event{.what = What::renewal_failed};
    event.error = kept.error();
    event.lock = lock;
    note(std::move(event));
  } else if (*kept) {
    hold->grant = **kept;
    hold->watchdog_due = next;
    Event event{.what = What::renewed};
    event.left = left(hold->grant->deadline);
    event.lock = lock;
    note(std::move(event));
  } else {
    if (rule.tells_loss) return lose(lock, *hold);
    note(What::lost, "not-notified", lock);
  }
}

/// The client is told that the lock is lost.
void Client::lose(const std::string& lock, Hold hold) {
  if (!life_.holds()) return;
  note(What::lost, "notified", lock);
  hold.notified_of_loss = true;
  if (plan_.stop_on == StopOn::loss && life_.worker_due) life_.worker_due = clock_.mono();  // it interrupts a hold
}

}  // namespace lockproof::harness
