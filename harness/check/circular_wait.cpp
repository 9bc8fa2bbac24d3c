// SPDX-License-Identifier: Apache-2.0
// CircularWait: clients wait in a ring, each for a lock that the next one has, for longer than [judge] progress. It is
// a kind of violation of deadlock-freedom, of scenarios with locks of several names. Coffman, Elphick and Shoshani,
// "System deadlocks", 1971.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/check/by_lock.hpp"
#include "harness/check/interest.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class CircularWait final : public CopyableMonitor<CircularWait> {
 public:
  CircularWait(const harness::Header& header, const harness::Scenario& scenario);

  void see(std::size_t position, const harness::Event& event) override;
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }
  void encode(MonitorEncoding& into) const override;

 private:
  struct Link {
    harness::HostIndex client, holder;
    std::string lock;  // which the one wants and the other has
  };
  using Ring = std::vector<Link>;
  [[nodiscard]] Ring ring() const;
  [[nodiscard]] std::optional<Link> link_of(harness::HostIndex client) const;
  void find(std::size_t position, Duration at);

  const harness::Header& header_;
  const harness::Scenario& scenario_;
  std::map<std::string, Interest> locks_;     // by name
  std::map<harness::HostIndex, int> rounds_;  // of each client, the current one
  std::optional<Duration> since_;             // of the ring that there is
  std::size_t since_position_ = 0;
  bool found_it_ = false;
  Finding found_;
};

CircularWait::CircularWait(const harness::Header& header, const harness::Scenario& scenario)
    : header_(header), scenario_(scenario) {
  for (const std::string& name : scenario.locks()) locks_[name];
}

void CircularWait::see(std::size_t position, const Event& event) {
  const bool for_ever = event.what == What::end && event.word == "finished";  // nothing will happen any more
  if (since_ && !found_it_ && (for_ever || is_longer(*since_, event.at, *scenario_.progress))) {
    find(position, event.at);
  }
  if (!is_of_lock(event.what)) {
    for (auto& [name, interest] : locks_) interest.see(event);
  } else {
    Event own = event;
    if (own.what == What::seek) own.what = What::start;
    locks_.at(event.lock.empty() ? scenario_.lock : event.lock).see(own);
    if (event.what == What::granted) rounds_[event.host] = event.round;
  }
  const bool is_ring = !ring().empty();
  if (is_ring == since_.has_value()) return;
  since_ = is_ring ? std::optional(event.at) : std::nullopt;
  since_position_ = position;
  found_it_ = false;
}

/// Whom the client waits for: the first one that has the lock which it wants, and would not share it. Nothing: it does
/// not wait, or there is still a permit.
std::optional<CircularWait::Link> CircularWait::link_of(HostIndex client) const {
  const auto shares = [&](HostIndex host) {
    const auto round = rounds_.find(host);
    const auto place = static_cast<std::size_t>(host);
    return scenario_.clients.at(place).plan.shares_in(round == rounds_.end() ? 1 : round->second);
  };
  for (const auto& [name, interest] : locks_) {
    if (!interest.wanting().contains(client) || std::ssize(interest.holding()) < scenario_.permits()) continue;
    for (const HostIndex holder : interest.holding()) {
      if (holder != client && !(shares(client) && shares(holder))) return Link{client, holder, name};
    }
  }
  return std::nullopt;
}

/// The ring with the first client that is in one; empty: there is none.
CircularWait::Ring CircularWait::ring() const {
  for (HostIndex first = 0; first < std::ssize(scenario_.clients); ++first) {
    Ring ring;
    for (HostIndex client = first; ring.size() < scenario_.clients.size();) {
      const std::optional<Link> link = link_of(client);
      if (!link) break;
      ring.push_back(*link);
      if (link->holder == first) return ring;
      client = link->holder;
    }
  }
  return {};
}

void CircularWait::find(std::size_t position, Duration at) {
  found_it_ = true;
  if (found_.verdict == Verdict::violated) return;
  std::string text;
  for (const Link& link : ring()) {
    text += fmt::format("{}{} waits for {}, which {} has", text.empty() ? "" : ", ", header_.host_name(link.client),
                        link.lock, header_.host_name(link.holder));
  }
  found_ = {"",
            Verdict::violated,
            "circular-wait",
            fmt::format("{}: since {}, and still at {}; {} are allowed", text, seconds_text(*since_), seconds_text(at),
                        seconds_text(*scenario_.progress)),
            {since_position_, position}};
}

void CircularWait::encode(MonitorEncoding& into) const {
  for (const auto& [name, interest] : locks_) interest.encode(into);
  into.numbers.push_back(-2);
  for (const auto& [client, round] : rounds_) {
    const auto& modes = scenario_.clients.at(static_cast<std::size_t>(client)).plan.modes;
    if (modes.size() > 1)
      into.numbers.insert(into.numbers.end(), {client, std::min(round, static_cast<int>(modes.size()))});
  }
  const Duration most = *scenario_.progress + Duration(1);
  into.numbers.push_back(!since_ ? -3 : found_it_ ? -4 : into.age(*since_, most));
}

}  // namespace

std::unique_ptr<Monitor> watch_circular_wait(const harness::Header& header, const harness::Scenario& scenario) {
  return std::make_unique<CircularWait>(header, scenario);
}

}  // namespace lockproof::check
