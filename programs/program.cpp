// SPDX-License-Identifier: Apache-2.0
#include "programs/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/program/last_words.hpp"
#include "harness/program/said.hpp"
#include "harness/sha1.hpp"
#include "programs/refused_frame.hpp"
#include "programs/resp.hpp"
#include "programs/shim/wire.h"
#include "programs/shown_frame.hpp"
#include "real/errors.hpp"

namespace lockproof::programs {

using harness::ProgramAct;
using harness::ProgramInput;
using harness::ProgramStep;
using real::BadEnvironment;

namespace {

constexpr std::int64_t us_ns = 1'000, ms_ns = 1'000'000;
/// Its clocks are so far behind the scenario's when it starts: it may sleep before it is ready.
constexpr std::int64_t before_ns = 60'000'000'000, ready_ns_most = 20'000'000'000;
constexpr std::size_t beginning_most = 1000;  // frames
constexpr std::size_t worth_a_copy = 8;       // steps that are fed again: a copy takes as long as some
constexpr std::string_view lost_threads = "needs its threads in a copy";

/// Threads that the process, or one that it is a copy of, had before it was copied.
bool needs_threads(const Frame& frame) {
  return std::ranges::any_of(frame.records,
                             [](const Record& r) { return r.kind == lockproof_remarks && r.bytes == lost_threads; });
}

std::string end_of(const Frame& frame) {
  if (frame.value < 0) return "was ended by a signal";
  return fmt::format("ended by itself, with status {}", frame.value);
}

}  // namespace

harness::VirtualProgram::State Program::ready() {
  const std::lock_guard guard(mutex_);
  if (nodes_.empty()) begin();
  return 0;
}

const ProgramStep& Program::step(State state) {
  const std::lock_guard guard(mutex_);
  return nodes_[state].step;
}

const std::string& Program::digest(State state) {
  const std::lock_guard guard(mutex_);
  return nodes_[state].digest;
}

harness::ProgramEffort Program::executed() {
  const std::lock_guard guard(mutex_);
  return executed_;
}

harness::VirtualProgram::State Program::after(State state, const ProgramInput& input) {
  std::unique_lock guard(mutex_);
  const std::uint64_t steps = executed_.steps;
  const State next = after_or_known(state, input);
  const bool is_new = executed_.steps != steps;
  guard.unlock();
  if (is_new) await_count();
  return next;
}

harness::VirtualProgram::State Program::after_or_known(State state, const ProgramInput& input) {
  Order order = order_of(state, input);
  const auto key = std::pair(state, order.to_bytes());
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (input.reply && input.reply->is_error()) note_lacks(input.reply->value().bytes());
  Process process = take(state);
  const Frame* frame = &process->feed(order);
  if (needs_threads(*frame)) {
    copy_no_threads();
    process = again(state);
    frame = &process->feed(order);
  }
  ++executed_.steps;
  Pending pending = nodes_[state].pending;
  if (input.kind == ProgramInput::Kind::reply) pending.answered(order.connection);
  const State next = add(state, std::move(pending), std::move(order), *frame, *process);
  known_.emplace(key, next);
  refuse_file_lock(*frame, launch_.client);
  const auto fails = [](const ProgramAct& act) {
    const auto said = harness::said_from(act.line).said;
    return said && said->word == harness::ProgramLine::Word::failed;
  };
  const ProgramStep& step = nodes_[next].step;
  if (!step.ended.empty() || std::ranges::any_of(step.acts, fails)) refuse_what_is_missing(*frame, launch_.client, "");
  if (frame->kind == lockproof_waits) keep(next, std::move(process));
  return next;
}

void Program::note_lacks(const std::string& error) {
  using enum harness::Remark::Kind;
  if (error.starts_with("ERR unknown subcommand")) {
    executed_.noticed.insert({"sends what the simulated server answers with: " + error, habit});
  }
  for (const char* const module : {"cjson", "cmsgpack", "struct", "bit"}) {
    if (error.find(fmt::format("nonexistent global variable '{}'", module)) == std::string_view::npos) continue;
    executed_.noticed.insert(
        {fmt::format("uses {} in a script, which the simulated server does not have", module), lack});
  }
}

/// The first process, until it is ready.
void Program::begin() { ready_ = start(); }

/// Equal processes begin equally.
Program::Process Program::start() {
  Origin origin = launch_.origin;
  origin.mono_ns -= before_ns;
  origin.wall_ns -= before_ns;
  auto process = std::make_unique<ShimProcess>(launch_.start, origin);
  ++executed_.started;
  std::string beginning;
  ProgramStep step;
  Pending pending;
  std::int64_t passed = 0;
  for (std::size_t count = 0;; ++count) {
    const Frame& frame = process->frame();
    beginning += frame.bytes;
    const ProgramStep part = step_of(frame, pending, *process);
    const auto is_said = [](const ProgramAct& act) { return act.kind == ProgramAct::Kind::says; };
    const bool said = std::ranges::any_of(part.acts, is_said);
    step.acts.insert(step.acts.end(), part.acts.begin(), part.acts.end());
    step.until_us = part.until_us;
    const std::string errors = process->errors().empty() ? "" : "; it says:\n" + process->errors().substr(0, 2000);
    const auto never = [&](std::string how) {
      if (frame.kind == lockproof_ended) how += harness::last_words(process->errors());
      refuse_what_is_missing(frame, launch_.client, errors);
      throw BadEnvironment(fmt::format("the program of {} is never ready: it {}{}", launch_.client, how, errors));
    };
    if (frame.kind == lockproof_ended) never(end_of(frame));
    if (said) break;
    if (frame.value < 0) never("waits before it has said that it is ready, and nothing will come");
    passed = std::max(passed, frame.value - origin.mono_ns);
    if (passed > ready_ns_most || count == beginning_most) never("has not said that it is ready for 20 s of its time");
    process->feed({lockproof_time, origin.mono_ns + passed, origin.wall_ns + passed, origin.mono_ns + passed});
  }
  if (nodes_.empty()) {
    beginning_ = beginning;
    const auto is_line = [](const ProgramAct& act) { return act.kind == ProgramAct::Kind::says; };
    const auto line = std::ranges::find_if(step.acts, is_line);
    const harness::ParsedLine said = harness::ready_from(line->line);
    if (!said.said) {
      throw BadEnvironment(fmt::format("the program of {} is never ready: it {}", launch_.client, said.wrong));
    }
    executed_.library = said.said->name;
    step.acts.erase(line);
    nodes_.emplace_back();
    nodes_.back().step = std::move(step);
    nodes_.back().pending = std::move(pending);
    nodes_.back().digest = harness::sha1_hex(launch_.client + "\n" + beginning_);
  } else if (beginning != beginning_) {
    throw harness::NotAFunction(
        fmt::format("{} is not a function of its inputs: started again, it did something else before it was ready",
                    launch_.client));
  }
  return process;
}

void Program::Pending::answered(std::uint32_t connection) {
  const auto talk = talks.find(connection);
  if (talk == talks.end() || talk->second.unanswered.empty()) return;
  talk->second.unanswered.erase(talk->second.unanswered.begin());
}

harness::VirtualProgram::State Program::add(State parent, Pending before, Order order, const Frame& frame,
                                            ShimProcess& process) {
  Node node{.parent = parent,
            .order = std::move(order),
            .frame = frame.bytes,
            .threads = frame.threads,
            .pending = std::move(before)};
  node.step = step_of(frame, node.pending, process);
  node.digest = harness::sha1_hex(nodes_[parent].digest + node.order.to_bytes());
  nodes_.push_back(std::move(node));
  return static_cast<State>(nodes_.size() - 1);
}

// What a frame says.

ProgramStep Program::step_of(const Frame& frame, Pending& pending, ShimProcess& process) {
  ProgramStep step;
  for (const Record& record : frame.records) act_on(record, pending, step);
  if (frame.kind == lockproof_ended) {
    step.ended = end_of(frame) + harness::last_words(process.errors());
  } else if (frame.value >= 0) {
    const std::int64_t after = frame.value - launch_.origin.mono_ns;
    step.until_us = after / us_ns + (after % us_ns > 0);
  }
  return step;
}

void Program::act_on(const Record& record, Pending& pending, ProgramStep& into) {
  const auto number = static_cast<int>(record.connection);
  if (record.kind == lockproof_remarks || record.kind == lockproof_refuses) executed_.noticed.insert({record.bytes});
  if (record.kind == lockproof_closes) {
    into.acts.push_back({.kind = ProgramAct::Kind::closes, .connection = number});
    pending.talks.erase(record.connection);
  }
  if (record.kind == lockproof_connects) {
    const auto server = std::ranges::find(launch_.servers, record.bytes);
    if (server == launch_.servers.end()) {
      throw BadEnvironment(
          fmt::format("{} connects to {}, which is no server of the scenario; it was told "
                      "LOCKPROOF_SERVERS={}",
                      launch_.client, harness::shown(record.bytes), fmt::join(launch_.servers, ",")));
    }
    into.acts.push_back({.kind = ProgramAct::Kind::connects,
                         .connection = number,
                         .server = static_cast<std::size_t>(server - launch_.servers.begin())});
  }
  if (record.kind == lockproof_sends) {
    Talk& talk = pending.talks[record.connection];
    talk.bytes += record.bytes;
    while (auto command = take_command(talk.bytes)) {
      talk.version = version_after(*command, talk.version);
      talk.unanswered.push_back({talk.version, shape_of_answer(*command)});
      into.acts.push_back({.kind = ProgramAct::Kind::sends, .connection = number, .command = std::move(command)});
    }
  }
  if (record.kind != lockproof_says) return;
  pending.line += record.bytes;
  for (std::size_t end; (end = pending.line.find('\n')) != std::string::npos; pending.line.erase(0, end + 1)) {
    into.acts.push_back({.kind = ProgramAct::Kind::says, .line = pending.line.substr(0, end)});
  }
  if (pending.line.size() > harness::line_most) {
    into.acts.push_back({.kind = ProgramAct::Kind::says, .line = std::exchange(pending.line, {})});
  }
}

Order Program::order_of(State state, const ProgramInput& input) const {
  Order order{lockproof_time, launch_.origin.mono_ns + input.clocks.mono_us * us_ns, input.clocks.wall_ms * ms_ns,
              launch_.origin.mono_ns + input.clocks.boot_us * us_ns};
  order.connection = static_cast<std::uint32_t>(input.connection);
  switch (input.kind) {
    case ProgramInput::Kind::time: break;
    case ProgramInput::Kind::reset: order.kind = lockproof_reset; break;
    case ProgramInput::Kind::line: order.bytes = input.line + "\n"; break;
    case ProgramInput::Kind::reply: {
      const auto talk = nodes_[state].pending.talks.find(order.connection);
      const bool asked = talk != nodes_[state].pending.talks.end() && !talk->second.unanswered.empty();
      const Talk::Form form = asked ? talk->second.unanswered.front() : Talk::Form{2, Shape::list};
      order.bytes = to_resp(*input.reply, form.version, form.shape);
      break;
    }
    case ProgramInput::Kind::push: {
      const auto talk = nodes_[state].pending.talks.find(order.connection);
      const int version = talk == nodes_[state].pending.talks.end() ? 2 : talk->second.version;
      order.bytes = to_resp(*input.reply, version, Shape::push);
    }
  }
  if (!order.bytes.empty()) order.kind = lockproof_bytes;
  return order;
}

// Processes.

Program::Process Program::take(State state) {
  const auto live = find_live(state);
  if (live == live_.end()) return again(state);
  Process process = std::move(live->second);
  live_.erase(live);
  return process;
}

/// A process that is fed what led to this state.
Program::Process Program::again(State state) {
  for (;;) {
    auto [from, process] = begin_before(state);
    if (feed_again(*process, from, state)) return std::move(process);
    copy_no_threads();
  }
}

/// A copy of the process that is in the nearest state before this one, or in this one; a new one, if there is none that
/// may be copied.
std::pair<harness::VirtualProgram::State, Program::Process> Program::begin_before(State state) {
  for (State from = state; from != 0; from = nodes_[from].parent) {
    const auto live = find_live(from);
    if (live == live_.end() || !may_be_copied(*live->second)) continue;
    Process process = copy_of(*live->second);
    std::rotate(live, live + 1, live_.end());  // it was used last
    return {from, std::move(process)};
  }
  return {0, may_be_copied(*ready_) ? copy_of(*ready_) : start()};
}

bool Program::may_be_copied(const ShimProcess& process) const {
  return copies_threads_ || process.frame().threads == 0;
}

void Program::copy_no_threads() {
  copies_threads_ = false;
  executed_.noticed.insert({std::string(lost_threads)});
  live_.clear();  // they may be copies without them
}

Program::Process Program::copy_of(ShimProcess& process) {
  ++executed_.copied;
  return process.copy();
}

std::deque<std::pair<harness::VirtualProgram::State, Program::Process>>::iterator Program::find_live(State state) {
  return std::ranges::find(live_, state, &std::pair<State, Process>::first);
}

/// False: the process is a copy, and needs threads that it has lost. A copy of the last state that may be copied is
/// kept, if the way was long: there are more futures than one.
bool Program::feed_again(ShimProcess& process, State from, State state) {
  std::vector<State> path;
  for (; state != from; state = nodes_[state].parent) path.push_back(state);
  std::ranges::reverse(path);
  const auto kept = std::find_if(path.rbegin(), path.rend(),
                                 [this](State passed) { return copies_threads_ || nodes_[passed].threads == 0; });
  const auto steps = static_cast<std::size_t>(path.rend() - kept);
  for (const State next : path) {
    const Frame& frame = process.feed(nodes_[next].order);
    ++executed_.again;
    if (needs_threads(frame)) return false;
    if (frame.bytes != nodes_[next].frame) differs(next, frame);
    if (steps >= worth_a_copy && next == *kept && !is_near_limit()) keep(next, copy_of(process));
  }
  return true;
}

void Program::keep(State state, Process process) {
  live_.emplace_back(state, std::move(process));
  const std::size_t most = is_near_limit() ? 1 : live_most_;
  while (live_.size() > most) live_.pop_front();
}

std::size_t Program::let_go_of_half() {
  const std::unique_lock guard(mutex_, std::try_to_lock);
  if (!guard || live_.size() < 2) return 0;
  const std::size_t before = live_.size();
  live_most_ = before / 2;
  while (live_.size() > live_most_) live_.pop_front();
  return before - live_most_;
}

void Program::differs(State state, const Frame& now) {
  const Node& first = nodes_[state];
  const Order& order = first.order;
  const std::int64_t at_ms = (order.mono_ns - launch_.origin.mono_ns) / ms_ns;
  const std::string input = order.bytes.empty() ? "time" : harness::shown(without_end(order.bytes), 80);
  std::vector<Record> records;
  for (const ProgramAct& act : first.step.acts) {
    if (act.command) {
      std::string words;
      for (const Value& word : act.command->args()) words += (words.empty() ? "" : " ") + word.bytes();
      records.push_back({lockproof_says, 0, words});
    } else if (act.kind == ProgramAct::Kind::says) {
      records.push_back({lockproof_says, 0, act.line});
    }
  }
  std::string noticed;
  for (const harness::Remark& remark : executed_.noticed) noticed += "\n  noticed: it " + remark.words;
  const std::string before = shown_frame(first.frame, records, nullptr),
                    again = shown_frame(now.bytes, now.records, &now);
  executed_.noticed.insert({fmt::format(
      "did not do the same when it was fed '{}' at {} ms again: first '{}', then '{}'", input, at_ms, before, again)});
  throw harness::NotAFunction(
      fmt::format("{} is not a function of its inputs: fed again the same input ({} at {} ms), it did something else\n"
                  "  first  {}\n  now    {}{}\n  such a program only lockproof real can judge",
                  launch_.client, input, at_ms, before, again, noticed));
}

}  // namespace lockproof::programs
