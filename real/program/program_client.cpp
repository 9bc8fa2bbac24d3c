// SPDX-License-Identifier: Apache-2.0
#include "real/program/program_client.hpp"

#include <fmt/format.h>

#include <utility>

#include "harness/program/last_words.hpp"
#include "harness/scenario/clients.hpp"
#include "harness/workload/client.hpp"
#include "real/client/client_driver.hpp"
#include "real/client/remote_store.hpp"

namespace lockproof::real {

using harness::Event;
using harness::LineMeaning;
using harness::Phase;
using harness::ProgramLine;
using harness::Question;
using harness::shown;
using harness::What;

namespace {

/// The resource, in this process: an access runs at once.
class ResourceStore final : public Store {
 public:
  explicit ResourceStore(const std::function<Reply(Command)>& access) : access_(access) {}
  Task<Result<Reply>> call(Command command) override { co_return access_(std::move(command)); }

 private:
  const std::function<Reply(Command)>& access_;
};

}  // namespace

/// What a coroutine waits for between a question and its answer.
class ProgramClient::Answer final : public EventLoop::Waiter {
 public:
  Answer(ProgramClient& client, Question question) : Waiter(*client.loop_), client_(client), question_(question) {
    client.answer_ = this;
  }
  ~Answer() override { client_.answer_ = nullptr; }
  ProgramLine await_resume() { return std::move(said_); }
  void come(ProgramLine said) {
    said_ = std::move(said);
    wake();
  }

 private:
  void depart() override { client_.tell(question_); }

  ProgramClient& client_;
  const Question question_;
  ProgramLine said_{};
};

/// The loop around the lock, with its ports. The order of the members is that of their lives.
class ProgramClient::Workload : public PinnedObject {
 public:
  Workload(ProgramClient& of, const Host& host)
      : clock_(host.time, of.scenario_.clients[of.index_].clock, host.jumped_us), random_(host.seed, host.index),
        no_servers_(*of.loop_), resource_(of.around_.access), lock_(of, clock_), moments_(of),
        client_(lock_, Name(of.scenario_.lock), Ports{no_servers_, clock_, random_}, resource_,
                plan_of(of.scenario_, of.index_), &of, &moments_),
        driver_(*of.loop_, client_, clock_, of, moments_, {}) {}

  HostClock clock_;
  HostRandom random_;
  RemoteStores no_servers_;  // the program has its own connections
  ResourceStore resource_;
  harness::ProgramLock lock_;
  ClientMoments moments_;
  harness::Client client_;
  ClientDriver driver_;
  std::optional<Task<void>> late_touch_;
};

ProgramClient::ProgramClient(const harness::Scenario& scenario, std::size_t index, const Start& start)
    : scenario_(scenario), index_(index) {
  const bool afresh = scenario.program->rounds == harness::ProgramRounds::fresh;
  for (int i = 0; i < (afresh ? scenario.clients[index].plan.rounds : 1); ++i)
    starts_.push_back(std::make_unique<StartedProcess>(start));
}

ProgramClient::~ProgramClient() = default;

void ProgramClient::attach(EventLoop& loop, RunCallbacks around) {
  around_ = std::move(around);
  loop_ = &loop;
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    ProgramProcess& process = starts_[i]->process;
    process.attach(loop, {[this, i](std::string_view line) { hear(i, line); },
                          [this, i](const std::string& how) { hear_end(i, how, true); },
                          [this, i, &process](const std::string& how) {
                            hear_end(i, how + harness::last_words(process.errors()), false);
                          }});
  }
}

void ProgramClient::begin(const Host& host) {
  workload_ = std::make_unique<Workload>(*this, host);
  workload_->driver_.settle();
}

void ProgramClient::settle() {
  if (workload_) workload_->driver_.settle();
}

void ProgramClient::quit() {
  quitting_ = true;
  for (std::size_t i = current_; i < starts_.size(); ++i) {
    ProgramProcess& process = starts_[i]->process;
    process.go_on();
    process.say(R"({"do":"quit"})");
    process.hang_up();
  }
}

bool ProgramClient::over() const { return killed_ || (workload_ && workload_->driver_.done()); }
bool ProgramClient::waits() const { return workload_ && workload_->driver_.waits(); }
int ProgramClient::round() const { return workload_ ? workload_->client_.life().round : 0; }
bool ProgramClient::inside() const { return !killed_ && workload_ && workload_->client_.life().inside(); }

bool ProgramClient::is_engaged(Duration since) const {
  if (over() || !workload_) return false;
  switch (workload_->client_.life().phase) {
    case Phase::claiming:
    case Phase::inside:
    case Phase::leaving: return true;
    case Phase::resting:
    case Phase::done:
    case Phase::gave_up: return false;
    default: return wants_since_ && *wants_since_ <= since;
  }
}

const std::string& ProgramClient::errors() const {
  const auto unready = std::ranges::find(starts_, false, &StartedProcess::ready);
  return unready == starts_.end() ? current().process.errors() : (*unready)->process.errors();
}

// What the program says.

void ProgramClient::hear(std::size_t from, std::string_view line) {
  if (quitting_ || killed_ || from < current_) return;
  if (!starts_[from]->ready) return hear_ready(from, line);
  if (from > current_) return hear_end(from, "says something before it is asked anything", true);
  if (stands_) return unheard_.emplace_back(line), void();
  LineMeaning heard = conversation_.hear(line, round());
  switch (heard.kind) {
    case LineMeaning::Kind::answer:
      if (answer_) answer_->come(std::move(heard.said));
      break;
    case LineMeaning::Kind::loss:
      if (!workload_) break;
      workload_->client_.told_of_loss();
      workload_->driver_.settle();
      break;
    case LineMeaning::Kind::late_touch:
      workload_->late_touch_ = workload_->client_.touch_resource();
      workload_->late_touch_->start();
      break;
    case LineMeaning::Kind::old_news: break;
    case LineMeaning::Kind::wrong: return ended(heard.breach, true);
  }
  around_.changed();
}

void ProgramClient::hear_ready(std::size_t from, std::string_view line) {
  const harness::ParsedLine parsed = harness::ready_from(line);
  if (!parsed.said) return hear_end(from, parsed.wrong, true);
  program_name_ = shown(parsed.said->name, 60);
  starts_[from]->ready = true;
  around_.changed();
}

/// One that ends before its round has ended when the round begins.
void ProgramClient::hear_end(std::size_t from, const std::string& how, bool broke_protocol) {
  if (from < current_) return;
  if (from == current_ || !workload_) return ended(how, broke_protocol);
  if (starts_[from]->ended.empty()) starts_[from]->ended = how;
}

/// By itself, or by what it says: in both cases nothing more is asked of it.
void ProgramClient::ended(const std::string& how, bool broke_protocol) {
  if (quitting_ || killed_) return;
  if (!workload_) {
    if (never_ready_.empty()) never_ready_ = how;
    return around_.changed();
  }
  Event event{.what = What::died};
  event.word = how;
  event.value = broke_protocol;
  note(std::move(event));
  const bool leaves = inside();
  conversation_.end();
  workload_->driver_.end();
  workload_->client_.died();
  if (leaves) happens(harness::EventPlace::Moment::exits, "");
  kill_all();
  around_.changed();
}

// What it is told.

Task<ProgramLine> ProgramClient::ask(Question question) {
  Answer answer(*this, question);
  ProgramLine said = co_await answer;
  co_return said;
}

void ProgramClient::tell(Question question) {
  const auto of_round = static_cast<std::size_t>(round()) - 1;
  if (starts_.size() > 1 && of_round > current_) begin_afresh();
  const std::string line = conversation_.ask(question, round());
  current().ended.empty() ? current().process.say(line) : ended(current().ended, false);
}

/// What earlier rounds have left behind is gone, with their connections.
void ProgramClient::begin_afresh() {
  waited_before_ns_ = waited_ns();
  current().process.kill();
  current_ = static_cast<std::size_t>(round()) - 1;
  conversation_.end();
  unheard_.clear();
  around_.begins_afresh();
}

void ProgramClient::kill_all() {
  killed_ = true;
  for (std::size_t i = current_; i < starts_.size(); ++i) starts_[i]->process.kill();
}

/// What the servers have given it.
Deadline ProgramClient::promised() {
  const Entitlement entitled = around_.entitlement();
  if (!entitled.has) return workload_->clock_.mono();
  if (!entitled.until) return {};
  return InstantAccess::make<Mono>(entitled.until->count());
}

void ProgramClient::note(Event event) {
  event.round = round();
  if (event.what == What::start) {
    event.word = program_name_;
    wants_since_ = workload_->clock_.world_time().now();
  }
  if (workload_) workload_->lock_.complete(event);
  around_.note(std::move(event));
}

// Faults.

void ProgramClient::order(Order order, std::size_t) {
  if (order != Order::clocks) return;
  around_.set_clocks();
  if (workload_) workload_->driver_.arm();
}

void ProgramClient::stop() {
  stands_ = true;
  current().process.stop();
  if (workload_) workload_->driver_.arm();
}

void ProgramClient::go_on() {
  stands_ = false;
  current().process.go_on();
  for (const std::string& line : std::exchange(unheard_, {})) hear(current_, line);
  settle();
}

void ProgramClient::kill() {
  kill_all();
  conversation_.end();
  if (workload_) workload_->driver_.end();
}

}  // namespace lockproof::real
