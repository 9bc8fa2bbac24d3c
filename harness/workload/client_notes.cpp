// SPDX-License-Identifier: Apache-2.0
// The part of Client for what it notes in its journal.
#include <utility>

#include "harness/workload/client.hpp"

namespace lockproof::harness {
namespace {

const char* word(ReleaseResult r) {
  switch (r) {
    case ReleaseResult::yes: return "yes";
    case ReleaseResult::not_ours: return "not-ours";
    case ReleaseResult::skipped: return "skipped";
  }
  return "";
}

}  // namespace

Name Client::sought() const { return life_.seeks_other() ? Name(life_.others.back().name) : name_; }

/// The instant of the monotonic clock at which it is over, if no clock jumps and nobody is suspended until then.
std::optional<Mono> Client::as_mono(const Deadline& deadline) const {
  if (const Mono* mono = std::get_if<Mono>(&deadline)) return *mono;
  const std::optional<TimeLeft> left = this->left(deadline);
  if (!left) return std::nullopt;
  return clock_.mono() + left->time;
}

/// Of what it has.
std::optional<Mono> Client::first_deadline() const {
  std::optional<Mono> first;
  const auto add = [&](const std::optional<Grant>& grant) {
    const std::optional<Mono> end = grant ? as_mono(grant->deadline) : std::nullopt;
    if (end && (!first || *end < *first)) first = end;
  };
  add(life_.grant);
  for (const OtherLock& other : life_.others) add(other.grant);
  return first;
}

std::optional<TimeLeft> Client::left(const Deadline& deadline) const {
  const auto until = [](auto then, auto now) { return Duration(InstantAccess::us(then) - InstantAccess::us(now)); };
  if (const Wall* wall = std::get_if<Wall>(&deadline)) return TimeLeft{until(*wall, clock_.wall()), "wall"};
  if (const Mono* mono = std::get_if<Mono>(&deadline)) return TimeLeft{until(*mono, clock_.mono()), "mono"};
  if (const Boot* boot = std::get_if<Boot>(&deadline)) return TimeLeft{until(*boot, clock_.boot()), "boot"};
  return std::nullopt;
}

void Client::record_grant(const Grant& grant, std::optional<TimeLeft> left, const std::string& lock) {
  Event event{.what = What::granted};
  event.token = grant.token;
  event.fence = grant.fence;
  event.left = std::move(left);
  if (life_.depth > 1 && lock.empty()) event.value = life_.depth;
  event.lock = lock;
  note(std::move(event));
}

void Client::record_entry(const std::string& lock) {
  note(What::enter, plan_.shares_in(life_.round) ? shared_entry : "", lock);
}

void Client::record_release(const Result<ReleaseResult>& released, const std::string& lock) {
  Event event{.what = What::released};
  if (released) event.word = word(*released);
  if (!released) event.error = released.error();
  const bool is_own = lock.empty() || lock == name_.bytes();
  if (life_.depth > 0 && is_own) event.value = life_.depth;
  event.lock = lock;
  note(std::move(event));
}

void Client::note(What what, const char* word, const std::string& lock) {
  if (!journal_) return;
  Event event{.what = what};
  event.word = word;
  event.lock = lock;
  note(std::move(event));
}

void Client::note(Event event) {
  if (!journal_) return;
  event.round = life_.round;
  if (is_of_lock(event.what)) {
    if (event.lock.empty()) event.lock = name_.bytes();
    if (event.lock == scenario_lock_.bytes()) event.lock.clear();
  }
  journal_->note(std::move(event));
}

}  // namespace lockproof::harness
