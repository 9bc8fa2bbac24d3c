// SPDX-License-Identifier: Apache-2.0
// A client ends its work in one step, which records `exit` and stops the watchdog. It begins the release in another
// step, so a fault can strike between the two, and inside the release, after the lock has read a clock or a key: a
// client that has left may still delete the lock of another one.
#include "harness/workload/client.hpp"

#include <algorithm>
#include <utility>

namespace lockproof::harness {
namespace {

/// READ, READ fence, WRITE base, WRITE base fence: see sim/world/resource.hpp and real/run/resource.hpp.
Command access(const char* verb, std::optional<std::int64_t> base, const std::optional<Grant>& under) {
  std::vector<Value> words{verb};
  if (base) words.push_back(Value::number(*base));
  if (under && under->fence) words.push_back(Value::number(*under->fence));
  return Command(std::move(words));
}

/// Later than any clock will show.
const Mono never = InstantAccess::make<Mono>(std::int64_t{1} << 60);

}  // namespace

Client::Client(Lock& lock, Name name, Ports ports, Store& resource, Plan plan, Journal* journal, Moments* moments)
    : lock_(lock), scenario_lock_(std::move(name)), clock_(ports.clock), random_(ports.random), resource_(resource),
      plan_(std::move(plan)), name_(plan_.lock.empty() ? scenario_lock_ : Name(plan_.lock)), journal_(journal),
      moments_(moments), begin_(clock_.mono()) {
  if (plan_.period) {
    life_.next_period = plan_.beginning_of(1);
  } else {
    life_.worker_due = begin_ + plan_.start;
  }
}

Task<void> Client::worker_step() {
  const Phase phase = life_.phase;
  life_.worker_due.reset();
  if (phase == Phase::resting) {
    begin_round();
    if (life_.phase == Phase::preparing || want(true)) co_return;
  }
  if (phase == Phase::resting || phase == Phase::trying || phase == Phase::wanting) {
    life_.phase = Phase::trying;
    follows_plan_ = false;
    ++made_;
    if (const char* why = life_.inside() ? reason_to_leave() : nullptr) {
      leave(why);
      co_return;
    }
    Event event{.what = What::attempt};
    event.attempt = ++attempts_;
    Name sought = this->sought();
    event.lock = sought.bytes();
    note(std::move(event));
    if (plan_.attempt_timeout) life_.attempt_end = clock_.mono() + *plan_.attempt_timeout;
    const Attempt attempt = co_await lock_.try_acquire(std::move(sought), plan_.lease);
    life_.attempt_end.reset();
    const bool enters = std::holds_alternative<Grant>(attempt) && life_.depth == 0;
    if (enters && stands_before(Act::enter)) co_await moments_->come(Act::enter);
    tried(attempt);
  } else if (phase == Phase::waiting) {
    const Busy busy = life_.busy;
    Name sought = this->sought();
    const bool waited = co_await lock_.wait(std::move(sought), busy, life_.give_up.value_or(never));
    if (!waited && want(std::exchange(life_.failed, false))) co_return;
    const Duration delay = waited ? Duration{} : retry_delay();
    life_.phase = Phase::trying;
    life_.worker_due = clock_.mono() + delay;
  } else if (phase == Phase::doubting) {
    const Grant doubtful = *life_.doubt;
    const std::string lock = sought().bytes();
    note(What::release, "", lock);
    const Result<ReleaseResult> released = co_await lock_.release(doubtful);
    record_release(released, lock);
    life_.doubt.reset();
    try_again(false);
  } else if (phase == Phase::claiming) {
    std::vector<Value> words{"CLAIM", Value::number(life_.round)};
    Command claim(std::move(words));
    const Result<Reply> answer = co_await resource_.call(std::move(claim));
    claimed(answer);
  } else if (phase == Phase::preparing) {
    co_await prepare_step();
  } else if (phase == Phase::inside) {
    co_await work_step();
  } else if (phase == Phase::leaving) {
    co_await leave_step();
  }
}

void Client::ask() {
  life_.phase = Phase::trying;
  life_.worker_due = clock_.mono();
}

/// The next attempt of this round, if its instant is written down.
const PlannedAsk* Client::planned() const {
  const auto next = [this](const PlannedAsk& ask) { return ask.round == life_.round && ask.number == next_attempt(); };
  const auto found = std::ranges::find_if(plan_.asks, next);
  return found == plan_.asks.end() ? nullptr : &*found;
}

/// Whether the plan or the world decides when it asks next, and not the retry delay. `anew`: it has not just been
/// refused.
bool Client::want(bool anew) {
  if (const PlannedAsk* ask = planned()) {
    life_.phase = Phase::trying;
    life_.worker_due = std::max(begin_ + ask->at, clock_.mono());
    follows_plan_ = true;
    return true;
  }
  if (plan_.asking == AskPolicy::polls) return false;
  life_.phase = Phase::wanting;
  begins_to_want_ = anew;
  if (plan_.asking == AskPolicy::polls_or_sooner) {
    life_.worker_due = clock_.mono() + plan_.retry.value_or(lock_.retry().most);
  } else if (plan_.start_latest && life_.round == 1 && made_ == 0) {
    life_.worker_due = std::max(begin_ + *plan_.start_latest, clock_.mono());
  }
  return true;
}

void Client::begin_round() {
  ++life_.round;
  made_ = 0;
  life_.next_period.reset();
  if (plan_.period && life_.round < plan_.rounds) life_.next_period = plan_.beginning_of(life_.round + 1);
  if (plan_.before.empty()) return begin_wanting();
  note(What::prepare);
  life_.base.reset();
  life_.phase = Phase::preparing;
  life_.worker_due = clock_.mono();
}

/// One step of what comes before it wants the lock.
Task<void> Client::prepare_step() {
  if (life_.work_done == plan_.before.size()) {
    life_.work_done = 0;
    begin_wanting();
    if (!want(true)) life_.worker_due = clock_.mono();
    co_return;
  }
  const Work work = plan_.before[life_.work_done++];
  if (work.kind == Work::Kind::read) co_await read_step(std::nullopt);
  life_.worker_due = clock_.mono() + work.lasts;
}

void Client::begin_wanting() {
  begin_attempts();
  note(What::start);
}

void Client::begin_attempts() {
  lock_.begin_attempts(sought(), life_.round, plan_.mode_in(life_.round));
  attempts_ = 0;
  life_.attempts = 0;
  life_.give_up.reset();
  const bool has_acquire_timeout =
      !plan_.attempts && plan_.acquire_timeout != for_ever && plan_.asking != AskPolicy::freely;
  if (has_acquire_timeout) life_.give_up = clock_.mono() + plan_.acquire_timeout;
  life_.phase = Phase::trying;
}

void Client::tried(const Attempt& attempt) {
  if (const Grant* grant = std::get_if<Grant>(&attempt)) {
    if (life_.seeks_other()) return enter_other(*grant);
    return life_.depth > 0 ? enter_again(*grant) : enter(*grant);
  }

  const Failure* failed = std::get_if<Failure>(&attempt);
  Event event{.what = failed ? What::failed : What::busy};
  life_.busy = failed ? Busy{} : std::get<Busy>(attempt);
  if (failed) event.error = failed->error;
  life_.failed = failed && plan_.asking != AskPolicy::polls;
  if (life_.busy.retry_after) event.left = TimeLeft{*life_.busy.retry_after, ""};
  event.lock = sought().bytes();
  note(std::move(event));

  const bool is_limited = plan_.attempts || plan_.asking == AskPolicy::freely;
  if (is_limited && (failed || plan_.counts_refusals)) ++life_.attempts;
  if (failed && failed->may_hold && plan_.on_error == OnError::release) {
    life_.doubt = failed->held;
    life_.phase = Phase::doubting;
    life_.worker_due = clock_.mono();
  } else {
    try_again(failed && plan_.on_error == OnError::give_up);
  }
}

void Client::try_again(bool never_again) {
  const Mono now = clock_.mono();
  const std::optional<int> most = plan_.attempts_most();
  const bool enough = most ? life_.attempts >= *most : life_.give_up && now >= *life_.give_up;
  if ((!enough && !never_again) || planned()) {
    life_.phase = Phase::waiting;
    life_.worker_due = now;
  } else if (life_.inside()) {
    leave("gave-up");
  } else {
    note(What::gave_up);
    if (plan_.period && life_.round < plan_.rounds) return think();  // done with this period; others follow
    life_.phase = Phase::gave_up;
  }
}

void Client::think() {
  life_.phase = Phase::resting;
  if (!plan_.period) life_.worker_due = clock_.mono() + plan_.think_time;
}

void Client::enter(const Grant& grant) {
  const Mono now = clock_.mono();
  const std::optional<Mono> end = plan_.stop_on == StopOn::deadline ? as_mono(grant.deadline) : std::nullopt;
  const bool in_time = !(end && *end <= now);
  life_.grant = grant;
  life_.depth = 1;
  life_.notified_of_loss = false;
  life_.work_done = 0;
  if (plan_.before.empty()) life_.base.reset();
  const Phase entered = plan_.claims ? Phase::claiming : Phase::inside;
  life_.phase = in_time ? entered : Phase::leaving;  // looked at and entered in one step
  life_.worker_due = now;
  if (in_time && grant.renewal) life_.watchdog_due = now + grant.renewal->first;
  record_grant(grant, left(grant.deadline));
  if (life_.phase == Phase::inside) record_entry();
}

/// A client that is not given the period, or does not receive the answer, does not enter.
void Client::claimed(const Result<Reply>& answer) {
  life_.worker_due = clock_.mono();
  if (answer && answer->is_integer(1) && !reason_to_leave()) {
    life_.phase = Phase::inside;
    return record_entry();
  }
  life_.phase = Phase::leaving;
  life_.watchdog_due.reset();
}

/// One watchdog serves all depths: it continues unchanged.
void Client::enter_again(const Grant& grant) {
  life_.grant = grant;
  ++life_.depth;
  life_.phase = Phase::inside;
  life_.worker_due = clock_.mono();
  record_grant(grant, left(grant.deadline));
}

/// A grant is good before its deadline: at the deadline itself the lock may belong to another client.
const char* Client::reason_to_leave() const {
  const bool has_lost_other = std::ranges::any_of(life_.others, &OtherLock::notified_of_loss);
  if (plan_.stop_on == StopOn::loss && (life_.notified_of_loss || has_lost_other)) return "loss";
  if (plan_.stop_on != StopOn::deadline) return nullptr;
  const std::optional<Mono> end = first_deadline();
  return end && *end <= clock_.mono() ? "deadline" : nullptr;
}

/// Whether a hold has just ended that a pause before it would not have put off as a whole: the deadline cuts it short,
/// or the lease is renewed meanwhile.
bool Client::has_held_by_clock() const {
  const bool held = life_.work_done > 0 && plan_.work[life_.work_done - 1].kind == Work::Kind::hold;
  return held && life_.grant && (plan_.stop_on == StopOn::deadline || life_.next_watchdog());
}

Task<void> Client::work_step() {
  const bool is_done = life_.work_done == plan_.work.size();
  const bool holds = life_.depth > 0;  // else it has released the lock and goes on working
  const bool lets_go = !is_done && life_.depth == 1 && plan_.work[life_.work_done].kind == Work::Kind::release &&
                       plan_.work[life_.work_done].lock.empty();
  const bool leaves = holds && (is_done || lets_go || reason_to_leave());
  if (leaves && stands_before(Act::exit)) co_await moments_->come(Act::exit);
  const char* why = holds ? reason_to_leave() : nullptr;
  if (!why && is_done) why = "finished";
  if (why) {
    leave(why);
    co_return;
  }

  const Work work = plan_.work[life_.work_done++];
  if (work.kind == Work::Kind::hold) {
    // Cut short by the deadline: the rest of the hold is not done, and the next step finds the deadline past.
    const std::optional<Mono> end = plan_.stop_on == StopOn::deadline && holds ? first_deadline() : std::nullopt;
    const Mono done = clock_.mono() + work.lasts;
    life_.worker_due = end ? std::min(done, *end) : done;
    co_return;
  }
  if (work.kind == Work::Kind::acquire && !work.lock.empty()) {
    seek(work.lock);
  } else if (work.kind == Work::Kind::release && !work.lock.empty()) {
    co_await release_other_step();
    co_return;
  } else if (work.kind == Work::Kind::acquire) {
    begin_attempts();
  } else if (work.kind == Work::Kind::release && life_.depth == 1) {
    const std::size_t done = life_.work_done;
    leave("released");
    life_.work_done = done;  // the rest is done after the release
    co_return;
  } else if (work.kind == Work::Kind::release) {
    const Duration again = co_await release_once();
    if (life_.releases > 0) --life_.work_done;
    life_.worker_due = clock_.mono() + again;
    co_return;
  } else if (work.kind == Work::Kind::touch || work.kind == Work::Kind::extend) {
    co_await tell_step(work.kind);
  } else if (work.kind == Work::Kind::read) {
    std::optional<Grant> under = life_.grant;
    co_await read_step(std::move(under));
  } else if (life_.base) {
    Command write = access("WRITE", life_.base, life_.grant);
    const Result<Reply> written = co_await resource_.call(std::move(write));
    if (written && written->kind() == Reply::Kind::integer) life_.base = written->integer();
  }
  life_.worker_due = clock_.mono();
}

/// The version that is found is the base of later writes.
Task<void> Client::read_step(std::optional<Grant> under) {
  Command read = access("READ", std::nullopt, under);
  const Result<Reply> found = co_await resource_.call(std::move(read));
  life_.base.reset();
  if (found && found->kind() == Reply::Kind::integer) life_.base = found->integer();
}

/// What is not done yet stays undone.
void Client::leave(const char* why) {
  life_.work_done = 0;
  leave_others(why);
  if (life_.depth > 0) note(What::exit, why);
  life_.phase = Phase::leaving;
  life_.watchdog_due.reset();  // the watchdog stops first; the release is a step of its own
  life_.worker_due = clock_.mono();
}

/// One call, and how long to wait before the next one, if it must be repeated: then `releases` counts it.
Task<Duration> Client::release_once() {
  const Grant grant = *life_.grant;
  note(What::release);
  if (plan_.release_tries == 0) {
    --life_.depth;
    record_release(ReleaseResult::skipped);
    co_return Duration{};
  }
  const Result<ReleaseResult> released = co_await lock_.release(grant);
  const bool again = !released && life_.releases + 1 < plan_.release_tries;
  life_.releases = again ? life_.releases + 1 : 0;
  if (!again) --life_.depth;
  record_release(released);
  co_return again ? retry_delay() : Duration{};
}

Task<void> Client::leave_step() {
  Duration again{};
  if (!life_.others.empty()) {
    again = co_await release_other();
  } else if (life_.depth > 0) {
    again = co_await release_once();
  }
  if (life_.depth > 0) {
    life_.worker_due = clock_.mono() + again;
    co_return;
  }
  if (life_.work_done > 0) {  // it goes on without the lock: at work, and by its depth outside
    life_.phase = Phase::inside;
    life_.worker_due = clock_.mono();
    co_return;
  }
  life_.grant.reset();
  life_.base.reset();  // no write of a later round rests on it
  if (life_.round < plan_.rounds) {
    think();
  } else {
    life_.phase = Phase::done;
    note(What::finished);
  }
}

Duration Client::retry_delay() {
  const Retry retry = plan_.retry ? Retry{*plan_.retry, *plan_.retry} : lock_.retry();
  return random_.between(retry.least, retry.most);
}

}  // namespace lockproof::harness
