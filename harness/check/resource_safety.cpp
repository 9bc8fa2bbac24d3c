// SPDX-License-Identifier: Apache-2.0
// Resource safety: the protected resource accepted a write whose base was not its current version (a lost update), or
// an access of an older grant after one of a newer grant. Overlap is not needed for that: a crashed client's message
// may still be in flight. Given defines which of two grants is older. Readers have no order among themselves.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

std::int64_t base_of(const Event& write) {
  const std::string& text = write.command->args().at(1).bytes();
  std::int64_t base = -1;
  std::from_chars(text.data(), text.data() + text.size(), base);
  return base;
}

/// A grant, ordered by a count of all requests and grants.
struct OrderedGrant {
  int asked = 0, granted = 0;
  std::optional<std::int64_t> fence;
  Mode mode = Mode::exclusive;

  /// One that was given before the other was asked for is the older one. Of two that were asked for at the same time
  /// either client may have heard of its grant first: their fences decide, if they have any, otherwise the order in
  /// which the clients received them.
  [[nodiscard]] bool is_older_than(const OrderedGrant& other) const {
    if (granted < other.asked || other.granted < asked) return granted < other.asked;
    if (fence && other.fence && *fence != *other.fence) return *fence < *other.fence;
    return granted < other.granted;
  }
  bool operator==(const OrderedGrant&) const = default;
};

/// A lost update is the clearer of the two findings, so it is reported even where the other came first.
class ResourceSafety final : public CopyableMonitor<ResourceSafety> {
 public:
  ResourceSafety(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), scenario_(scenario), has_order_(!scenario.has_several_locks()) {}

  void see(std::size_t i, const Event& event) override {
    ask(event);
    if (event.what == What::send && is_resource(event.peer)) {
      const bool is_under_grant = !has_no_grant_.contains(event.host);
      sent_[{event.host, event.message}] = is_under_grant ? std::optional(grant_of_[event.host]) : std::nullopt;
      resource_ = event.peer;
    }
    const bool accepted = event.what == What::execute && is_resource(event.host) && event.reply &&
                          event.reply->kind() == Reply::Kind::integer;
    if (accepted) accept(i, event);
    if (event.what == What::execute && is_resource(event.host)) sent_.erase({event.peer, event.message});
    const bool lost = event.what == What::drop && event.word == "request" && is_resource(event.peer);
    if (lost) sent_.erase({event.host, event.message});
  }

  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override {
    found_ = {};
    lost_update_ = false;
  }

  /// Grants count by their order only: that of the newest grant seen, and of those that clients hold or have sent
  /// something under. A grant that is requested now may turn out older than one of them by its fence.
  void encode(MonitorEncoding& into) const override {
    auto& numbers = into.numbers;
    numbers.push_back(current_);
    if (!has_order_) return;
    for (const HostIndex client : has_no_grant_) numbers.push_back(-2 - client);
    std::vector<OrderedGrant> known{newest_.at(Mode::exclusive).grant};
    if (newest_.contains(Mode::shared)) known.push_back(newest_.at(Mode::shared).grant);
    for (const auto& [client, grant] : grant_of_) {
      numbers.push_back(client);
      known.push_back(grant);
    }
    numbers.push_back(-1);
    for (const auto& [id, grant] : sent_) {
      if (!into.in_flight(id.first, resource_, id.second)) continue;
      numbers.insert(numbers.end(), {id.first, into.distance(id.first, resource_, id.second)});
      if (grant) known.push_back(*grant);
      if (!grant) numbers.push_back(-2);
    }
    numbers.push_back(-1);
    for (const auto& [client, asked] : asked_) numbers.push_back(client);
    numbers.push_back(-1);
    for (std::size_t i = 0; i < known.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        numbers.push_back(known[i] == known[j] ? 0 : known[i].is_older_than(known[j]) ? -1 : 1);
      }
      numbers.push_back(known[i].fence.has_value());
      if (!known[i].fence) continue;
      bool of_the_same_time = false;
      for (const auto& [client, asked] : asked_) {
        numbers.push_back(asked < known[i].granted);
        of_the_same_time |= asked < known[i].granted;
      }
      if (of_the_same_time) numbers.push_back(*known[i].fence);
    }
  }

 private:
  [[nodiscard]] bool is_resource(HostIndex host) const {
    return host != harness::no_host && header_.host_kind(host) == harness::HostKind::resource;
  }

  void ask(const Event& event) {
    if (!has_order_) return;
    if (event.what == What::prepare) has_no_grant_.insert(event.host);
    if (event.what == What::start) has_no_grant_.erase(event.host);
    const bool dies = event.what == What::strike && (event.word == "crash" || event.word == "kill-task");
    if (event.what == What::attempt) {
      asked_[event.host] = ++count_;
    } else if (event.what == What::granted) {
      const auto asked = asked_.find(event.host);
      const int begun = asked == asked_.end() ? 0 : asked->second;
      if (!event.value)
        grant_of_[event.host] = {begun, ++count_, event.fence, mode_of(event)};  // not a nested acquisition
      asked_.erase(event.host);
    } else if (event.what == What::busy || event.what == What::failed || dies) {
      asked_.erase(event.host);
    }
  }

  void accept(std::size_t i, const Event& event) {
    if (event.command->verb() == "WRITE") {
      if (base_of(event) != current_ && !lost_update_) lose_update(i, event);
      current_ = event.reply->integer();
      last_write_ = {i, event.peer, event.at};
    }
    const std::optional<OrderedGrant> under =
        sent_.try_emplace({event.peer, event.message}, OrderedGrant{}).first->second;
    if (!has_order_ || !under) return;
    const OrderedGrant grant = *under;
    for (const auto& [mode, newest] : newest_) {
      const bool are_readers = mode == Mode::shared && grant.mode == Mode::shared;
      if (are_readers || !grant.is_older_than(newest.grant)) continue;
      if (found_.verdict != Verdict::violated) access_out_of_order(i, event, newest.access);
      return;
    }
    NewestGrant& newest = newest_[grant.mode];
    if (!grant.is_older_than(newest.grant)) newest = {grant, {i, event.peer, event.at}};
  }

  void lose_update(std::size_t i, const Event& write) {
    lost_update_ = true;
    found_ = {"",
              Verdict::violated,
              "",
              fmt::format("the resource took {}'s write at {}, based on version {}, when version {} was current: {}'s "
                          "update is lost",
                          header_.host_name(write.peer), seconds_text(write.at), base_of(write), current_,
                          header_.host_name(last_write_.client)),
              {last_write_.position, i}};
  }

  struct Access {
    std::size_t position = 0;
    HostIndex client = 0;
    Duration at{};
  };
  /// The newest grant of a mode under which the resource was accessed.
  struct NewestGrant {
    OrderedGrant grant;
    Access access;
  };

  [[nodiscard]] Mode mode_of(const Event& granted) const {
    const auto place = static_cast<std::size_t>(granted.host);
    const auto& clients = scenario_.clients;
    return place < clients.size() ? clients[place].plan.mode_in(granted.round) : Mode::exclusive;
  }

  void access_out_of_order(std::size_t i, const Event& access, const Access& newest) {
    found_ = {"",
              Verdict::violated,
              "",
              fmt::format("the resource took {}'s {} at {}, under an older grant than {}'s access at {}",
                          header_.host_name(access.peer), access.command->verb(), seconds_text(access.at),
                          header_.host_name(newest.client), seconds_text(newest.at)),
              {newest.position, i}};
  }

  const harness::Header& header_;
  const harness::Scenario& scenario_;
  const bool has_order_;              // of accesses: that of the grants of one lock
  std::set<HostIndex> has_no_grant_;  // clients before they want the lock: their accesses have no place in the order
  HostIndex resource_ = harness::no_host;
  int count_ = 0;  // of requests and grants
  std::map<Mode, NewestGrant> newest_{{Mode::exclusive, {}}};
  std::int64_t current_ = 0;
  Access last_write_;
  std::map<HostIndex, int> asked_;                                         // attempts under way, since when
  std::map<HostIndex, OrderedGrant> grant_of_;                             // the grant of each client
  std::map<std::pair<HostIndex, int>, std::optional<OrderedGrant>> sent_;  // under which grant a message was sent
  bool lost_update_ = false;
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_resource_safety(const harness::Header& header, const harness::Scenario& scenario) {
  return std::make_unique<ResourceSafety>(header, scenario);
}

Finding resource_safety(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_resource_safety, history, scenario);
}

}  // namespace lockproof::check
