// SPDX-License-Identifier: Apache-2.0
#include "sim/world/program_host.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/input_error.hpp"
#include "sim/world/process_ports.hpp"
#include "sim/world/state_encoder.hpp"

namespace lockproof::sim {

using harness::Event;
using harness::ProgramAct;
using harness::ProgramInput;
using harness::ProgramLine;
using harness::Question;
using harness::What;

namespace {}  // namespace

std::optional<Mono> Process::program_due() const { return program_->due(); }

bool Process::program_is_quiet() const { return program_->is_quiet(); }

bool Process::program_has_connected() const { return program_->has_connected(); }

bool Process::program_is_overdue() const { return program_ && program_->is_overdue(); }

bool Process::program_is_given_up() const { return program_ && program_->is_given_up(); }

void LineWait::end(ProgramLine answer) {
  said = std::move(answer);
  if (waiting_) process_.ready_.push_back(this);
}

Process::Program::Program(Process& process)
    : process_(process), program_(&of_round(1)), state_(program_->ready()), begun_(program_->step(state_).acts.empty()),
      open_(process.connections_.size()) {}

harness::VirtualProgram& Process::Program::of_round(int round) const {
  const harness::Scenario& scenario = process_.world_.scenario();
  const auto client = static_cast<std::size_t>(process_.index_);
  return scenario.program->in_virtual_time.programs->program_of(scenario, client, round);
}

/// The next round's program is as it was when it was ready: what earlier rounds have left behind is gone.
void Process::Program::begin_afresh() {
  close_all();
  for (SentCommand& sent : sent_) sent.abandoned = true;
  news_.clear();
  round_ = process_.life().round;
  program_ = &of_round(round_);
  state_ = program_->ready();
  begun_ = program_->step(state_).acts.empty();
  lease_.forget();
}

// What reaches it.

Task<ProgramLine> Process::Program::ask(Question question) {
  LineWait answer(process_);
  const bool afresh = process_.world_.scenario().program->rounds == harness::ProgramRounds::fresh;
  if (afresh && process_.life().round > round_) begin_afresh();
  asked_at_ = last_act_ = process_.clocks_.mono(process_.world_.now());
  answer_ = &answer;
  ProgramInput told{.kind = ProgramInput::Kind::line};
  told.line = conversation_.ask(question, process_.life().round);
  feed(std::move(told));
  co_await answer;
  co_return *std::move(answer.said);
}

std::optional<Mono> Process::Program::due() const {
  if (ended_) return std::nullopt;
  if (!begun_) return process_.clocks_.mono(process_.world_.now());
  const auto until = program_->step(state_).until_us;
  if (!until || is_idle_by(*until)) return std::nullopt;
  return InstantAccess::make<Mono>(*until);
}

/// Its client is done, and it has done nothing for so long by then that it is taken to do nothing more.
bool Process::Program::is_idle_by(std::int64_t mono_us) const {
  const auto& bound = process_.world_.scenario().answers;
  return bound && process_.is_over() && mono_us > InstantAccess::us(last_act_ + *bound);
}

void Process::Program::time_has_come() {
  ++timers_;
  begun_ ? feed({}) : begin();
}

/// What it has done before it was ready comes first.
void Process::Program::begin() {
  begun_ = true;
  for (const ProgramAct& done : program_->step(state_).acts) act(done);
}

void Process::Program::lost(harness::HostIndex server, std::size_t slot) {
  const bool reaches = !process_.is_gone();
  std::vector<int>& here = open_[process_.place(server)];
  const int connection = slot < here.size() ? std::exchange(here[slot], 0) : 0;
  if (connection != 0 && reaches) news_.push_back({ProgramInput::Kind::reset, connection});
}

void Process::Program::told(const Connection& over, Reply message) {
  const std::vector<int>& here = open_[process_.place(over.server)];
  const auto slot = process_.slot_of(over);
  const int connection = slot && *slot < here.size() ? here[*slot] : 0;
  if (connection != 0 && !process_.is_gone()) {
    news_.push_back({ProgramInput::Kind::push, connection, std::move(message)});
  }
}

void Process::Program::take_news() {
  News news = std::move(news_.front());
  news_.pop_front();
  ProgramInput input{.kind = news.kind, .connection = news.connection};
  if (news.kind != ProgramInput::Kind::reset) input.reply = std::move(news.reply);
  feed(std::move(input));
}

/// False: what it does is not known.
bool Process::Program::step(const ProgramInput& input) {
  try {
    state_ = program_->after(state_, input);
    return true;
  } catch (const harness::NotAFunction&) {
    if (!process_.world_.options().encoding) throw;
    given_up_ = ended_ = true;
    answer_ = nullptr;
    return false;
  }
}

/// One step of it.
void Process::Program::feed(ProgramInput input) {
  if (!begun_) begin();
  if (ended_) return;
  process_.world_.read_clocks(ClockDetail::offsets);
  input.clocks = clocks();
  if (!step(input)) return;
  const harness::ProgramStep& done = program_->step(state_);
  for (const ProgramAct& act_of_it : done.acts) {
    if (!ended_) act(act_of_it);
  }
  if (!done.ended.empty() && !ended_) end(done.ended, false);
}

// What it does.

void Process::Program::act(const ProgramAct& done) {
  last_act_ = process_.clocks_.mono(process_.world_.now());
  switch (done.kind) {
    case ProgramAct::Kind::connects: return open(done.connection, done.server);
    case ProgramAct::Kind::closes: return close(done.connection);
    case ProgramAct::Kind::says: return hear(done.line);
    case ProgramAct::Kind::sends: return send(done);
  }
}

void Process::Program::send(const ProgramAct& sent) {
  if (to_sentinels_.contains(sent.connection)) return ask_sentinel(sent.connection, *sent.command);
  const auto to = place_of(sent.connection);
  if (!to) return;  // it does not know yet that the connection is broken
  if (renews()) process_.note(Event{.what = What::renew});
  sent_.push_back({sent.connection, last_act_, transmit(sent.connection, *to, *sent.command, last_act_)});
  sent_.back().transmission.start();
}

void Process::Program::hear(std::string_view line) {
  using enum harness::LineMeaning::Kind;
  harness::LineMeaning heard = conversation_.hear(line, process_.life().round);
  switch (heard.kind) {
    case answer: return std::exchange(answer_, nullptr)->end(std::move(heard.said));
    case loss: return process_.client_->told_of_loss();
    case late_touch:
      sent_.push_back({0, last_act_, process_.client_->touch_resource()});
      return sent_.back().transmission.start();
    case old_news: return;
    case wrong: return end(heard.breach, true);
  }
}

/// By itself, or because of what it said: nothing more is asked of it.
void Process::Program::end(const std::string& how, bool broke_protocol) {
  ended_ = has_just_ended_ = true;
  Event event{.what = What::died};
  event.word = how;
  event.value = broke_protocol;
  event.round = process_.life().round;
  process_.note(std::move(event));
  answer_ = nullptr;
  close_all();
}

/// After a failover an address leads to another server.
void Process::Program::open(int connection, std::size_t server) {
  const std::size_t servers = process_.world_.scenario().servers.size();
  if (server >= servers) {
    to_sentinels_[connection] = server - servers;
    return;
  }
  const harness::HostIndex to = process_.routes_[server];
  std::vector<int>& here = open_.at(process_.place(to));
  const auto slot = static_cast<std::size_t>(std::ranges::find(here, 0) - here.begin());
  if (slot == connections_most) {
    const harness::Scenario& scenario = process_.world_.scenario();
    throw harness::InputError(
        scenario.file, 0,
        fmt::format("{} has {} connections to {} and opens another one: a simulated program has no "
                    "more to each server; use lockproof real",
                    scenario.algorithm->name, connections_most, scenario.servers[server].name));
  }
  if (slot == here.size()) here.push_back(0);
  here[slot] = connection;
  has_connected_ = true;
  (void)process_.connection_in(to, slot);
}

/// Replies that still come have no effect, and messages do not come any more.
void Process::Program::close(int connection) {
  for (SentCommand& sent : sent_) sent.abandoned |= sent.connection == connection;
  std::erase_if(
      news_, [&](const News& news) { return news.connection == connection && news.kind == ProgramInput::Kind::push; });
  to_sentinels_.erase(connection);
  listening_.erase(connection);
  const auto at = place_of(connection);
  if (!at) return;
  open_[at->server][at->slot] = 0;
  process_.hang_up(host_of(at->server), at->slot);
}

void Process::Program::close_all() {
  to_sentinels_.clear();
  listening_.clear();
  for (const auto& here : std::vector(open_)) {
    for (const int connection : here) {
      if (connection != 0) close(connection);
    }
  }
}

std::optional<Process::Program::Place> Process::Program::place_of(int connection) const {
  for (std::size_t server = 0; server < open_.size(); ++server) {
    const auto at = std::ranges::find(open_[server], connection);
    if (at != open_[server].end()) return Place{server, static_cast<std::size_t>(at - open_[server].begin())};
  }
  return std::nullopt;
}

Task<void> Process::Program::transmit(int connection, Place to, Command command, Mono sent) {
  std::vector<PendingCall> one;
  one.push_back({.server = host_of(to.server), .command = std::move(command), .timeout = {}});
  one.back().slot = to.slot;
  one.back().untimed = true;
  CallGroup group(process_, std::move(one));
  co_await group;
  const Result<Reply>& reply = group.calls.front().result;
  if (!place_of(connection)) co_return;
  if (!reply && reply.error() == Error::not_sent) lost(host_of(to.server), to.slot);
  if (const auto& change = group.calls.front().key) learn(to.server, *change, sent);
  if (reply) news_.push_back({ProgramInput::Kind::reply, connection, *reply});
}

/// It is inside, and what it sends by itself must be meant to keep the lock.
bool Process::Program::renews() const {
  return process_.client_->life().inside() && conversation_.asked() != Question::extend;
}

void Process::Program::learn(std::size_t server, const harness::KeyChange& change, Mono sent) {
  const auto before = promised_until();
  lease_.apply(static_cast<int>(server), change, Duration(InstantAccess::us(sent)));
  const auto after = promised_until();
  if (!renews() || !after || after == before) return;
  Event renewed{.what = What::renewed};
  const Mono now = process_.clocks_.mono(process_.world_.now());
  renewed.left = harness::TimeLeft{*after - Duration(InstantAccess::us(now)), "mono"};
  process_.note(std::move(renewed));
}

std::optional<Duration> Process::Program::promised_until() const {
  const harness::Scenario& scenario = process_.world_.scenario();
  return lease_.until(static_cast<std::size_t>(
      std::ranges::count_if(scenario.servers, [](const auto& server) { return server.replica_of.empty(); })));
}

Deadline Process::Program::promised() {
  const auto until = promised_until();
  return until ? Deadline(InstantAccess::make<Mono>(until->count())) : Deadline();
}

void Process::Program::tidy() {
  sent_.remove_if([](const SentCommand& sent) { return sent.abandoned || sent.transmission.done(); });
}

void Process::Program::crash() {
  ended_ = true;
  answer_ = nullptr;
  news_.clear();
  sent_.clear();
}

bool Process::Program::is_overdue() const {
  const auto& bound = process_.world_.scenario().answers;
  if (ended_ || conversation_.asked() == Question::nothing || !bound) return false;
  return process_.clocks_.mono(process_.world_.now()) > asked_at_ + *bound;
}

bool Process::Program::is_quiet() const { return ended_ || (!due() && news_.empty() && sent_.empty()); }

void Process::Program::encode(StateEncoder& into, const harness::Readings& now) const {
  into.text(digest());
  into.number(round_);
  into.number(begun_ + 2 * ended_ + 4 * static_cast<int>(conversation_.asked()));
  into.number(static_cast<std::int64_t>(news_.size()));
  for (const News& news : news_) {
    into.number(news.connection);
    into.number(static_cast<int>(news.kind));
    into.reply(news.reply, now.wall_ms);
  }
  if (ended_) return;
  // What it will read from its clocks, and when it was promised something, are times since it began.
  for (const std::int64_t reading : {now.wall_ms, now.mono_us, now.boot_us}) into.number(reading);
  for (const std::int64_t number : lease_.numbers()) into.number(number);
  for (const SentCommand& sent : sent_) into.number(InstantAccess::us(sent.at));
}

harness::HostIndex Process::Program::host_of(std::size_t server) const {
  return process_.world_.first_server() + static_cast<harness::HostIndex>(server);
}

harness::Readings Process::Program::clocks() const { return process_.clocks_.at(process_.world_.now()); }

}  // namespace lockproof::sim
