// SPDX-License-Identifier: Apache-2.0
// Fencing order: the tokens of grants grow in the order of the grants. A grant that was given before another one was
// asked for is the earlier one. Where the resource checks tokens, so is the grant whose attempt took the key first: a
// token that was drawn late by whoever had lost the key meanwhile shuts out its rightful holder.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "harness/check/by_lock.hpp"
#include "harness/check/lock_key.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class FencingOrder final : public CopyableMonitor<FencingOrder> {
 public:
  FencingOrder(const harness::Header& header, const harness::Scenario& scenario) : header_(header) {
    if (scenario.fencing != harness::Fencing::none) key_.emplace(header, scenario);
  }

  void see(std::size_t position, const Event& event) override {
    if (key_) watch_key(event);
    switch (event.what) {
      case What::attempt: attempts_[event.host] = {.above = newest_}; return;
      case What::granted:
        if (event.fence && !event.value) grant(position, event);
        attempts_.erase(event.host);
        return;
      case What::busy:
      case What::failed: attempts_.erase(event.host); return;
      case What::strike:
        if (event.word == "crash" || event.word == "kill-task") attempts_.erase(event.host);
        return;
      default: return;
    }
  }
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }

  void encode(MonitorEncoding& into) const override {
    auto& numbers = into.numbers;
    const auto put = [&](const std::optional<TokenGrant>& given) {
      numbers.push_back(given.has_value());
      if (given) numbers.insert(numbers.end(), {given->token, given->client});
    };
    if (key_) key_->encode(into);
    put(newest_);
    for (const auto& [client, attempt] : attempts_) {
      if (!attempt.above && !attempt.below && attempt.taken == 0) continue;
      const auto before = std::ranges::count_if(
          attempts_, [taken = attempt.taken](const auto& other) { return other.second.taken < taken; });
      numbers.insert(numbers.end(), {-2, client, attempt.taken == 0 ? -1 : static_cast<std::int64_t>(before)});
      put(attempt.above);
      put(attempt.below);
    }
  }

 private:
  struct TokenGrant {
    std::int64_t token = 0;
    HostIndex client = harness::no_host;
    std::size_t position = 0;
  };
  /// An attempt under way, and the tokens between which its own must lie.
  struct Attempt {
    std::optional<TokenGrant> above{}, below{};
    int taken = 0;  // when its command took the key, in the order of all that did; 0: it has not
  };

  /// One client may find its own grant again, with its token.
  static bool is_greater(const TokenGrant& later, const TokenGrant& earlier) {
    return later.token > earlier.token || (later.token == earlier.token && later.client == earlier.client);
  }

  void watch_key(const Event& event) {
    const bool held = event.what == What::execute && key_->held_by(event.peer);
    key_->see(event);
    if (event.what != What::execute || held || !key_->held_by(event.peer)) return;
    const auto attempt = attempts_.find(event.peer);
    if (attempt != attempts_.end()) attempt->second = {.above = newest_, .below = {}, .taken = ++taken_};
  }

  void grant(std::size_t position, const Event& event) {
    const TokenGrant given{*event.fence, event.host, position};
    const Attempt own = attempts_[event.host];
    if (own.above && !is_greater(given, *own.above)) {
      find(given, *own.above,
           fmt::format("{} got the fencing token {}, and {} had got {} before", place(header_, event), given.token,
                       header_.host_name(own.above->client), own.above->token));
    } else if (own.below && !is_greater(*own.below, given)) {
      find(given, *own.below,
           fmt::format("{} got the fencing token {}, and {}, which took the lock later, had got {}",
                       place(header_, event), given.token, header_.host_name(own.below->client), own.below->token));
    }
    for (auto& [client, other] : attempts_) {
      if (client == event.host || own.taken == 0 || other.taken == 0) continue;
      if (other.taken > own.taken && (!other.above || other.above->token < given.token)) other.above = given;
      if (other.taken < own.taken && (!other.below || other.below->token > given.token)) other.below = given;
    }
    if (!newest_ || newest_->token < given.token) newest_ = given;
  }

  void find(const TokenGrant& later, const TokenGrant& earlier, std::string what) {
    if (found_.verdict == Verdict::violated) return;
    found_ = {"", Verdict::violated, "", std::move(what), {earlier.position, later.position}};
  }

  const harness::Header& header_;
  std::optional<LockKey> key_;        // where the resource checks tokens
  std::optional<TokenGrant> newest_;  // the greatest token of the grants so far
  std::map<HostIndex, Attempt> attempts_;
  int taken_ = 0;
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_fencing_order(const harness::Header& header, const harness::Scenario& scenario) {
  return watch_each_lock<FencingOrder>(header, scenario);
}

Finding fencing_order(const harness::History& history, const harness::Scenario& scenario) {
  const auto has_token = [](const Event& event) { return event.what == What::granted && event.fence; };
  if (std::ranges::none_of(history.events, has_token)) return without_evidence(no_token);
  return judge_with(watch_fencing_order, history, scenario);
}

}  // namespace lockproof::check
