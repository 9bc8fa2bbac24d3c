// SPDX-License-Identifier: Apache-2.0
// The part of Client for locks that are programs: work that they are told to do, and what they tell by themselves.
#include <utility>
#include <vector>

#include "harness/workload/client.hpp"

namespace lockproof::harness {

/// Work that a program is told to do.
Task<void> Client::tell_step(Work::Kind told) {
  const Grant held = *life_.grant;
  if (told == Work::Kind::touch) {
    if (stands_before(Act::touch)) co_await moments_->come(Act::touch);
    note(What::step, "touch");
    const Result<bool> touches = co_await lock_.touch(held);
    if (!touches) {
      Event event{.what = What::touch_failed};
      event.error = touches.error();
      note(std::move(event));
      co_return;
    }
    if (*touches) co_await touch_resource();
    if (!*touches) told_of_loss();
    co_return;
  }
  note(What::renew, "extend");
  const auto kept = co_await lock_.renew(held);
  if (!kept || !*kept) {
    Event event{.what = What::renewal_failed};
    if (!kept) event.error = kept.error();
    note(std::move(event));
    if (kept) told_of_loss();
    co_return;
  }
  life_.grant = **kept;
  Event event{.what = What::renewed};
  event.left = left(life_.grant->deadline);
  note(std::move(event));
}

Task<void> Client::touch_resource() {
  std::vector<Value> words{"TOUCH"};
  if (life_.grant && life_.grant->fence) words.push_back(Value::number(*life_.grant->fence));
  Command touch_now(std::move(words));
  (void)co_await resource_.call(std::move(touch_now));
}

void Client::told_of_loss() { lose(name_.bytes(), {life_.grant, life_.watchdog_due, life_.notified_of_loss}); }

void Client::died() {
  if (life_.phase == Phase::done || life_.phase == Phase::gave_up) return;
  life_.inside() ? note(What::exit, "died") : note(What::gave_up);
  const int round = life_.round;
  life_ = Life{};
  life_.round = round;
  life_.phase = Phase::gave_up;
}

}  // namespace lockproof::harness
