// SPDX-License-Identifier: Apache-2.0
#include "harness/check/lost_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "harness/check/interest.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class RoundCounter {
 public:
  void see(const Event& event) {
    if (is_of_lock(event.what)) {
      if (event.what == What::start) locks_[event.host] = event.lock;
      interest_[event.lock].see(event);
      if (event.lock != locks_[event.host]) return;  // it takes another lock, in the work of its round
    } else {
      for (auto& [lock, interest] : interest_) interest.see(event);
    }
    switch (event.what) {
      case What::start: open_[event.host] = {event.host, event.round}; return;
      case What::granted:
        if (const auto round = open_.find(event.host); round != open_.end()) rounds_.given.insert(round->second.number);
        open_.erase(event.host);
        return;
      case What::busy:
      case What::failed:
        if (const auto round = open_.find(event.host); round != open_.end()) {
          round->second.while_held = others_hold(event.host);
        }
        return;
      case What::gave_up: return lose(event.host);
      case What::died: return end(event.host);
      case What::strike:
        if (event.word == "crash" || event.word == "kill-task") end(event.host);
        return;
      default: return;
    }
  }
  /// Call once, at the end.
  [[nodiscard]] Rounds take() {
    for (auto& [client, round] : open_) {
      round.while_held |= others_hold(client);
      rounds_.lost.push_back(round);
    }
    return std::move(rounds_);
  }

 private:
  [[nodiscard]] bool others_hold(HostIndex client) const {
    const auto lock = locks_.find(client);
    const auto interest = interest_.find(lock == locks_.end() ? "" : lock->second);
    return interest != interest_.end() &&
           std::ranges::any_of(interest->second.holding(), [&](HostIndex holder) { return holder != client; });
  }
  void lose(HostIndex client) {
    const auto round = open_.find(client);
    if (round == open_.end()) return;
    rounds_.lost.push_back(round->second);
    open_.erase(round);
  }
  void end(HostIndex client) {
    rounds_.client_ended = true;
    open_.erase(client);
  }

  std::map<std::string, Interest> interest_;  // by lock
  std::map<HostIndex, std::string> locks_;    // of each client's round
  std::map<HostIndex, LostRound> open_;
  Rounds rounds_;
};

}  // namespace

Rounds rounds_of(const harness::History& history) {
  RoundCounter counter;
  for (const Event& event : history.events) counter.see(event);
  return counter.take();
}

std::string rounds_text(const std::vector<LostRound>& rounds, const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (const LostRound& round : std::span(rounds).first(std::min(rounds.size(), most))) {
    text += fmt::format("{}{} round {}", text.empty() ? "" : ", ", names.at(static_cast<std::size_t>(round.client)),
                        round.number);
  }
  if (rounds.size() > most) text += fmt::format(", and {} more", rounds.size() - most);
  return text;
}

}  // namespace lockproof::check
