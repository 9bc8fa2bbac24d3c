// SPDX-License-Identifier: Apache-2.0
#include "real/program/program_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/program/last_words.hpp"

namespace lockproof::real {

using harness::Event;
using harness::Parsed;
using harness::protocol_version;
using harness::said_from;
using harness::shown;
using harness::What;
using harness::When;
using harness::Work;

ProgramClient::ProgramClient(const harness::ClientSpec& spec, const harness::ProgramSpec& program, const Start& start)
    : spec_(spec), program_(program), process_(start) {}

void ProgramClient::attach(EventLoop& loop, Around around) {
  around_ = std::move(around);
  timer_ = std::make_unique<EventLoop::Timer>(loop, [this] { step(); });
  process_.attach(loop,
                  {[this](std::string_view line) { hear(line); }, [this](const std::string& how) { ended(how, 1); },
                   [this](const std::string& how) { ended(how + harness::last_words(process_.errors()), 0); }});
}

void ProgramClient::begin(WorldTime time) {
  time_ = time;
  phase_ = Phase::resting;
  timer_->set(time_.machine_at(spec_.plan.start));
}

void ProgramClient::quit() {
  quitting_ = true;
  process_.go_on();
  process_.say(R"({"do":"quit"})");
  process_.hang_up();
}

bool ProgramClient::is_engaged(Duration since) const {
  if (phase_ == Phase::inside || phase_ == Phase::leaving) return true;
  return phase_ == Phase::wanting && wanted_since_ <= since;
}

// What the program says.

namespace {

/// Whether the lock was taken, given back or prolonged is not known then.
void set_error(Event& event, const harness::Said& said) {
  event.error = Error::no_reply;
  event.word = shown(said.error, 200);
}

}  // namespace

void ProgramClient::hear(std::string_view line) {
  if (quitting_ || killed_) return;
  const Parsed parsed = said_from(line);
  if (!parsed.said) return ended(parsed.wrong, 1);
  const Said& said = *parsed.said;
  if (!ready_) {
    if (said.word != Said::Word::ready) return ended(fmt::format("says '{}' before it is ready", name(said.word)), 1);
    if (said.protocol && *said.protocol != protocol_version) {
      return ended(fmt::format("speaks protocol {}; this lockproof speaks {}", *said.protocol, protocol_version), 1);
    }
    program_name_ = shown(said.name, 60);
    ready_ = true;
  } else if (said.word == Said::Word::lost && asked_ != Question::touch && asked_ != Question::extend) {
    lost(said);
  } else {
    answer(said);
  }
  around_.changed();
}

void ProgramClient::answer(const Said& said) {
  using enum Said::Word;
  const Question asked = asked_;
  const bool fits = asked == Question::nothing ? said.word == failed : answers(said.word, asked);
  if (!fits && said.word == touch && std::exchange(touch_may_come_, false)) return around_.access(fence_);
  if (asked == Question::nothing) return ended(fmt::format("says '{}' and was not asked anything", name(said.word)), 1);
  if (!fits) return ended(fmt::format("says '{}' when it was told to {}", name(said.word), question()), 1);
  if (said.word == Said::Word::lost) {  // an answer to touch or extend
    asked_ = Question::nothing;
    touch_may_come_ = asked == Question::touch;  // it may have been news, said just before the answer
    if (asked == Question::extend) note(What::renewal_failed);
    this->lost(said);
    return step_after({});
  }
  asked_ = Question::nothing;
  switch (asked) {
    case Question::acquire: return said.word == acquired ? enter(said) : refused(said);
    case Question::release: return this->released(said);
    case Question::touch:
      if (said.word == touch) around_.access(fence_);
      return step_after({});
    case Question::extend: {
      Event event{.what = said.word == extended ? What::renewed : What::renewal_failed};
      if (said.word == extended) event.left = left(said);
      if (said.word == failed) set_error(event, said);
      note(std::move(event));
      return step_after({});
    }
    case Question::nothing: return;
  }
}

/// News of the library's own. That of an earlier round is no news of this one.
void ProgramClient::lost(const Said& said) {
  if ((said.round && *said.round != round_) || phase_ != Phase::inside) return;
  note(What::lost, "notified");
  leave("loss");
}

/// By itself, or by what it says: in both cases nothing more is asked of it.
void ProgramClient::ended(const std::string& how, int broke_protocol) {
  if (quitting_ || killed_) return;
  if (phase_ == Phase::starting) {
    if (never_ready_.empty()) never_ready_ = how;
    return around_.changed();
  }
  Event event{.what = What::died};
  event.word = how;
  event.value = broke_protocol;
  note(std::move(event));
  if (phase_ == Phase::inside) note(What::exit, "died");
  asked_ = Question::nothing;
  give_up();
  timer_->cancel();
  killed_ = true;
  process_.kill();
  around_.changed();
}

// What it is told, and when.

void ProgramClient::ask(Question what) {
  asked_ = what;
  asked_at_ = around_.now();
  process_.say(line_of(what, round_));
}

void ProgramClient::step_after(Duration wait) {
  if (phase_ != Phase::over) timer_->set(wait == Duration{} ? machine_ns() : time_.machine_at(around_.now() + wait));
}

void ProgramClient::step() {
  step_is_due_ = stands() || asked_ != Question::nothing;
  if (step_is_due_) return;
  if (phase_ == Phase::resting) {
    ++round_;
    attempt_ = 0;
    note(What::start, program_name_);
    phase_ = Phase::wanting;
    wanted_since_ = around_.now();
  }
  if (phase_ == Phase::wanting) {
    Event event{.what = What::attempt};
    event.attempt = ++attempt_;
    note(std::move(event));
    return ask(Question::acquire);
  }
  if (phase_ == Phase::leaving) {
    note(What::release);
    return ask(Question::release);
  }
  if (phase_ != Phase::inside) return;
  if (work_done_ == spec_.plan.work.size()) {
    leave("finished");
    return;
  }
  const Work work = spec_.plan.work[work_done_];
  if (work.kind == Work::Kind::touch && !std::exchange(touch_announced_, true)) {
    around_.happens(When::Moment::touches);
    if (phase_ != Phase::inside) return;
    if (stands()) {
      step_is_due_ = true;
      return;
    }
  }
  touch_announced_ = false;
  ++work_done_;
  if (work.kind == Work::Kind::hold) return step_after(work.lasts);
  const bool touches = work.kind == Work::Kind::touch;
  touches ? note(What::step, "touch") : note(What::renew, "extend");
  ask(touches ? Question::touch : Question::extend);
}

void ProgramClient::enter(const Said& said) {
  Event granted{.what = What::granted};
  granted.fence = fence_ = said.fence;
  granted.left = left(said);
  note(std::move(granted));
  phase_ = Phase::inside;
  work_done_ = 0;
  touch_announced_ = false;
  note(What::enter);
  around_.happens(When::Moment::enters);
  step_after({});
}

/// From here on it is not inside.
void ProgramClient::leave(const char* why) {
  phase_ = Phase::leaving;
  note(What::exit, why);
  around_.happens(When::Moment::exits);
  step_after({});
}

void ProgramClient::refused(const Said& said) {
  Event event{.what = said.word == Said::Word::busy ? What::busy : What::failed};
  if (said.word == Said::Word::failed) set_error(event, said);
  const bool ends = event.error && program_.on_error == harness::OnError::give_up;
  note(std::move(event));
  const bool enough = spec_.plan.attempts ? attempt_ >= *spec_.plan.attempts
                                          : around_.now() - wanted_since_ >= spec_.plan.acquire_timeout;
  if (ends || enough) {
    note(What::gave_up);
    phase_ = Phase::over;
    return;
  }
  step_after(spec_.plan.retry.value_or(milliseconds(100)));
}

void ProgramClient::released(const Said& said) {
  Event event{.what = What::released};
  if (said.word == Said::Word::failed) {
    set_error(event, said);
  } else {
    event.word = said.ours.value_or(true) ? "yes" : "not-ours";
  }
  note(std::move(event));
  next_round();
}

void ProgramClient::next_round() {
  if (round_ < spec_.plan.rounds) {
    phase_ = Phase::resting;
    return step_after(spec_.plan.think_time);
  }
  note(What::finished);
  phase_ = Phase::over;
}

void ProgramClient::give_up() {
  if (phase_ == Phase::wanting || phase_ == Phase::resting) note(What::gave_up);
  phase_ = Phase::over;
}

/// What it promises itself; else what the servers have said.
std::optional<harness::Left> ProgramClient::left(const Said& said) const {
  if (said.valid_ms) return harness::Left{milliseconds(*said.valid_ms), "mono"};
  const Entitlement entitled = around_.entitlement();
  if (!entitled.has) return harness::Left{Duration{}, "mono"};
  if (!entitled.until) return std::nullopt;
  return harness::Left{*entitled.until - around_.now(), "mono"};
}

// Faults.

void ProgramClient::stop() {
  pauses_ = true;
  process_.stop();
}

void ProgramClient::go_on() {
  pauses_ = false;
  process_.go_on();
  if (step_is_due_) step_after({});
}

void ProgramClient::kill() {
  killed_ = true;
  process_.kill();
  phase_ = Phase::over;
  asked_ = Question::nothing;
  if (timer_) timer_->cancel();
}

void ProgramClient::note(What what, const std::string& word) {
  Event event{.what = what};
  event.word = word;
  note(std::move(event));
}

void ProgramClient::note(Event event) {
  event.round = round_;
  around_.note(std::move(event));
}

}  // namespace lockproof::real
