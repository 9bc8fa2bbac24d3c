// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/client.hpp"

#include <algorithm>
#include <utility>

namespace lockproof::harness {
namespace {

/// READ, READ fence, WRITE base, WRITE base fence: see sim/world/resource.hpp and real/resource.hpp.
Command access(const char* verb, std::optional<std::int64_t> base, const Grant& grant) {
  std::vector<Value> words{verb};
  if (base) words.push_back(Value::number(*base));
  if (grant.fence) words.push_back(Value::number(*grant.fence));
  return Command(std::move(words));
}

const char* word(Released r) {
  switch (r) {
    case Released::yes: return "yes";
    case Released::not_ours: return "not-ours";
    case Released::skipped: return "skipped";
  }
  return "";
}

/// Later than any clock will show.
const Mono never = InstantAccess::make<Mono>(std::int64_t{1} << 60);

}  // namespace

Client::Client(Lock& lock, Name name, Ports ports, Store& resource, const Plan& plan, Journal* journal)
    : lock_(lock), name_(std::move(name)), clock_(ports.clock), random_(ports.random), resource_(resource), plan_(plan),
      journal_(journal) {
  life_.worker_due = clock_.mono() + plan_.start;
}

Task<void> Client::worker_step() {
  const Phase phase = life_.phase;
  life_.worker_due.reset();
  if (phase == Phase::resting) begin_round();
  if (phase == Phase::resting || phase == Phase::trying) {
    Event event{.what = What::attempt};
    event.attempt = ++attempts_;
    note(std::move(event));
    const Attempt attempt = co_await lock_.try_acquire(name_, plan_.lease);
    tried(attempt);
  } else if (phase == Phase::waiting) {
    const Busy busy = life_.busy;
    const bool waited = co_await lock_.wait(name_, busy, life_.give_up.value_or(never));
    const Retry retry = plan_.retry ? Retry{*plan_.retry, *plan_.retry} : lock_.retry();
    const Duration delay = waited ? Duration{} : random_.between(retry.least, retry.most);
    life_.phase = Phase::trying;
    life_.worker_due = clock_.mono() + delay;
  } else if (phase == Phase::inside) {
    co_await work_step();
  } else if (phase == Phase::leaving) {
    co_await leave_step();
  }
}

void Client::begin_round() {
  ++life_.round;
  attempts_ = 0;
  life_.attempts = 0;
  life_.give_up.reset();
  if (!plan_.attempts) life_.give_up = clock_.mono() + plan_.patience;
  life_.phase = Phase::trying;
  note(What::start);
}

void Client::tried(const Attempt& attempt) {
  const Mono now = clock_.mono();
  if (const Grant* grant = std::get_if<Grant>(&attempt)) return enter(*grant);

  const Error* error = std::get_if<Error>(&attempt);
  Event event{.what = error ? What::failed : What::busy};
  life_.busy = error ? Busy{} : std::get<Busy>(attempt);
  if (error) event.error = *error;
  if (life_.busy.frees_in) event.left = Left{*life_.busy.frees_in, ""};
  note(std::move(event));

  const bool enough = plan_.attempts ? ++life_.attempts >= *plan_.attempts : now >= *life_.give_up;
  if (enough || (error && plan_.on_error == OnError::give_up)) {
    life_.phase = Phase::gave_up;
    note(What::gave_up);
  } else {
    life_.phase = Phase::waiting;
    life_.worker_due = now;
  }
}

void Client::enter(const Grant& grant) {
  const Mono now = clock_.mono();
  const std::optional<Left> left = this->left(grant.deadline);
  const bool in_time = !(plan_.obeys == Obeys::deadline && left && left->time <= Duration{});
  life_.grant = grant;
  life_.told_lost = false;
  life_.work_done = 0;
  life_.base.reset();
  life_.phase = in_time ? Phase::inside : Phase::leaving;  // looked at and entered in one step
  life_.worker_due = now;
  if (in_time && grant.renewal) life_.watchdog_due = now + grant.renewal->first;

  Event granted{.what = What::granted};
  granted.token = grant.token;
  granted.fence = grant.fence;
  granted.left = left;
  note(std::move(granted));
  if (in_time) note(What::enter);
}

Task<void> Client::work_step() {
  // A grant is good before its deadline: at the deadline itself the lock may be somebody else's.
  const std::optional<Left> left = this->left(life_.grant->deadline);
  const bool obeys_deadline = plan_.obeys == Obeys::deadline && left;
  const char* why = obeys_deadline && left->time <= Duration{}      ? "deadline"
                    : plan_.obeys == Obeys::loss && life_.told_lost ? "loss"
                    : life_.work_done == plan_.work.size()          ? "finished"
                                                                    : nullptr;
  if (why) {
    leave(why);
    co_return;
  }

  const Work work = plan_.work[life_.work_done++];
  if (work.kind == Work::Kind::hold) {
    const Duration lasts = obeys_deadline ? std::min(work.lasts, left->time) : work.lasts;
    life_.worker_due = clock_.mono() + lasts;
    // Cut short by the deadline: the rest of the hold is not done, and the next step finds the deadline past.
    co_return;
  }
  if (work.kind == Work::Kind::read) {
    Command read = access("READ", std::nullopt, *life_.grant);
    const Result<Reply> found = co_await resource_.call(std::move(read));
    life_.base.reset();
    if (found && found->kind() == Reply::Kind::integer) life_.base = found->integer();
  } else if (life_.base) {
    Command write = access("WRITE", life_.base, *life_.grant);
    const Result<Reply> written = co_await resource_.call(std::move(write));
    if (written && written->kind() == Reply::Kind::integer) life_.base = written->integer();
  }
  life_.worker_due = clock_.mono();
}

void Client::leave(const char* why) {
  note(What::exit, why);
  life_.phase = Phase::leaving;
  life_.watchdog_due.reset();  // the watchdog stops first; the release is a step of its own
  life_.worker_due = clock_.mono();
}

Task<void> Client::leave_step() {
  const Grant grant = *life_.grant;
  note(What::release);
  const Result<Released> released = co_await lock_.release(grant);
  Event event{.what = What::released};
  if (released) {
    event.word = word(*released);
  } else {
    event.error = released.error();
  }
  note(std::move(event));

  life_.grant.reset();
  if (life_.round < plan_.rounds) {
    life_.phase = Phase::resting;
    life_.worker_due = clock_.mono() + plan_.rest;
  } else {
    life_.phase = Phase::done;
    note(What::finished);
  }
}

Task<void> Client::watchdog_step() {
  const Mono planned = *life_.watchdog_due;
  const Grant held = *life_.grant;
  life_.watchdog_due.reset();
  note(What::renew);
  const auto kept = co_await lock_.renew(held);
  renewed(kept, planned);
}

void Client::renewed(const Result<std::optional<Grant>>& kept, Mono planned) {
  const Renewal rule = *life_.grant->renewal;
  const Mono next = (rule.pace == Pace::fixed_rate ? planned : clock_.mono()) + rule.period;
  if (!kept) {
    if (rule.on_failure == OnFailure::retry) life_.watchdog_due = next;
    Event event{.what = What::renewal_failed};
    event.error = kept.error();
    note(std::move(event));
  } else if (*kept) {
    life_.grant = **kept;
    life_.watchdog_due = next;
    Event event{.what = What::renewed};
    event.left = left(life_.grant->deadline);
    note(std::move(event));
  } else {
    note(What::lost, rule.tells_loss ? "told" : "not-told");
    if (!rule.tells_loss) return;
    life_.told_lost = true;
    if (plan_.obeys == Obeys::loss && life_.worker_due) life_.worker_due = clock_.mono();  // it interrupts a hold
  }
}

std::optional<Left> Client::left(const Deadline& deadline) const {
  const auto until = [](auto then, auto now) { return Duration(InstantAccess::us(then) - InstantAccess::us(now)); };
  if (const Wall* wall = std::get_if<Wall>(&deadline)) return Left{until(*wall, clock_.wall()), "wall"};
  if (const Mono* mono = std::get_if<Mono>(&deadline)) return Left{until(*mono, clock_.mono()), "mono"};
  if (const Boot* boot = std::get_if<Boot>(&deadline)) return Left{until(*boot, clock_.boot()), "boot"};
  return std::nullopt;
}

void Client::note(What what, const char* word) {
  if (!journal_) return;
  Event event{.what = what};
  event.word = word;
  note(std::move(event));
}

void Client::note(Event event) {
  if (!journal_) return;
  event.round = life_.round;
  journal_->note(std::move(event));
}

}  // namespace lockproof::harness
