// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/canonical_process.hpp"

#include <fmt/format.h>

#include <vector>

#include "algorithms/port/clock.hpp"

namespace lockproof::harness {
namespace {

Wall since(Wall i, const Readings& now) { return i - milliseconds(now.wall_ms); }
Mono since(Mono i, const Readings& now) { return i - Duration(now.mono_us); }
Boot since(Boot i, const Readings& now) { return i - Duration(now.boot_us); }

template <class T>
void move_to(std::optional<T>& i, const Readings& now) {
  if (i) i = since(*i, now);
}

Deadline since(const Deadline& deadline, const Readings& now) {
  if (const Wall* wall = std::get_if<Wall>(&deadline)) return since(*wall, now);
  if (const Mono* mono = std::get_if<Mono>(&deadline)) return since(*mono, now);
  if (const Boot* boot = std::get_if<Boot>(&deadline)) return since(*boot, now);
  return deadline;
}

}  // namespace

Value Renamer::canonical(const Value& value, std::int64_t now_wall_ms) {
  if (value.mark() == Value::Mark::token) {
    const auto [found, is_new] = tokens_.try_emplace(value.bytes(), fmt::format("t{}", tokens_.size() + 1));
    return Value(found->second, Value::Mark::token);
  }
  if (value.mark() == Value::Mark::stamp) {
    if (const auto i = Clock::read(value)) return Clock::write(*i - milliseconds(now_wall_ms));
  }
  return value;
}

CanonicalProcess canonical(const Life& life, const State& lock, const Readings& now, Renamer& renamer) {
  CanonicalProcess state{life, lock};
  move_to(state.life.give_up, now);
  move_to(state.life.attempt_end, now);
  move_to(state.life.worker_due, now);
  move_to(state.life.next_period, now);
  move_to(state.life.watchdog_due, now);
  std::vector<std::optional<Grant>*> grants{&state.life.grant, &state.life.doubt};
  for (OtherLock& other : state.life.others) {
    move_to(other.watchdog_due, now);
    grants.push_back(&other.grant);
  }
  for (auto* grant : grants) {
    if (!*grant) continue;
    (*grant)->token = renamer.canonical((*grant)->token, now.wall_ms);
    (*grant)->deadline = since((*grant)->deadline, now);
  }
  for (auto& field : state.lock) {
    if (const Value* value = std::get_if<Value>(&field)) field = renamer.canonical(*value, now.wall_ms);
    if (const Wall* wall = std::get_if<Wall>(&field)) field = since(*wall, now);
    if (const Mono* mono = std::get_if<Mono>(&field)) field = since(*mono, now);
    if (const Boot* boot = std::get_if<Boot>(&field)) field = since(*boot, now);
  }
  return state;
}

}  // namespace lockproof::harness
