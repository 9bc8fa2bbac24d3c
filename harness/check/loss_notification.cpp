// SPDX-License-Identifier: Apache-2.0
// Loss notification: a client whose lock was lost while it was inside knows it within the time that the scenario allows
// ([judge] notice): it was notified, or the deadline of its grant has come, or it has left. A lock is lost when its key
// is gone or owned by another client on so many servers that no majority is left. The time of a loss is fixed once:
// what others do to the key afterwards does not change it. A client that is notified of a loss which has not
// happened got a `false-alarm`. One that has the lock again after another client had it, and believes that it never
// lost it, has `regained` it.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "harness/check/by_lock.hpp"
#include "harness/check/lock_key.hpp"
#include "harness/check/promise.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class LossNotification final : public CopyableMonitor<LossNotification> {
 public:
  LossNotification(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), bound_(*scenario.notice), key_(header, scenario), clocks_(header) {}

  void see(std::size_t position, const Event& event) override {
    for (auto& [client, holder] : inside_) look(position, event.at, client, holder);
    key_.see(event);
    clocks_.see(event);
    if (event.what == What::execute || event.what == What::replicate || event.what == What::strike) {
      for (auto& [client, holder] : inside_) follow(position, event, client, holder);
    }
    apply(position, event);
  }
  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }

  /// A grant's contents matter only within the step that it is given in: only the clients inside are state.
  void encode(MonitorEncoding& into) const override {
    key_.encode(into, bound_ + Duration(1));
    for (const auto& [client, holder] : inside_) {
      const Promise& promise = holder.promise;
      const std::optional<Duration> lost = lost_at(client, holder, into.now);
      const Duration age = lost ? std::min(into.now - *lost, bound_ + Duration(1)) : Duration(-1);
      into.numbers.insert(into.numbers.end(),
                          {client, promise.notified_of_loss, holder.found, holder.other_had_it, age.count()});
      into.numbers.push_back(promise.deadline ? *promise.deadline - clocks_.now(client, promise.clock, into.now)
                                              : INT64_MAX);
    }
  }

 private:
  struct Holder {
    std::size_t entered = 0;
    Promise promise;
    bool found = false;
    bool other_had_it = false;     // since it entered, and it has not been notified of a loss since
    std::optional<Duration> lost;  // when no majority was left: the first time since it last had one
  };

  void apply(std::size_t position, const Event& event) {
    switch (event.what) {
      case What::granted: promises_[event.host] = {}; [[fallthrough]];
      case What::renewed:
        promises_[event.host].renew(event, clocks_);
        if (const auto found = inside_.find(event.host); found != inside_.end()) {
          found->second.promise.renew(event, clocks_);
          look_for_return(position, event, event.host, found->second);
        }
        return;
      case What::enter:
        if (!key_.not_held_since(event.host, event.at)) inside_[event.host] = {position, promises_[event.host]};
        return;
      case What::lost:
        if (const auto found = inside_.find(event.host); found != inside_.end() && event.word == "notified") {
          if (!found->second.promise.notified_of_loss) look_for_loss(position, event, found->second);
          found->second.promise.notified_of_loss = true;
          found->second.other_had_it = false;
        }
        return;
      case What::exit: inside_.erase(event.host); return;
      case What::strike:
        if (event.word == "crash" || event.word == "kill-task") inside_.erase(event.host);
        return;
      default: return;
    }
  }

  /// When the holder lost the majority that it still lacks.
  [[nodiscard]] std::optional<Duration> lost_at(HostIndex client, const Holder& holder, Duration at) const {
    const std::optional<Duration> without = key_.not_held_since(client, at);
    return without && holder.lost ? holder.lost : without;
  }

  /// Advances to `at`, before the events at that instant.
  void look(std::size_t position, Duration at, HostIndex client, Holder& holder) {
    const std::optional<Duration> lost = holder.lost = lost_at(client, holder, at);
    if (holder.found || !lost || at - *lost <= bound_) return;
    if (!holder.promise.good(client, *lost + bound_, clocks_)) return;
    holder.found = true;
    if (found_.verdict == Verdict::violated) return;
    found_ = {"",
              Verdict::violated,
              "",
              fmt::format("{} lost the lock at {} and was not notified within {}", header_.host_name(client),
                          seconds_text(*lost), seconds_text(bound_)),
              {holder.entered, position}};
  }

  /// Whose the lock is now.
  void follow(std::size_t position, const Event& event, HostIndex client, Holder& holder) {
    for (const auto& host : header_.hosts) {
      const auto other = static_cast<HostIndex>(&host - header_.hosts.data());
      if (host.kind != harness::HostKind::client || other == client || !key_.held_by(other)) continue;
      holder.other_had_it |= !holder.promise.notified_of_loss;
    }
    if (holder.promise.good(client, event.at, clocks_)) look_for_return(position, event, client, holder);
  }

  void look_for_return(std::size_t position, const Event& event, HostIndex client, Holder& holder) {
    if (!holder.other_had_it || key_.not_held_since(client, event.at)) return;
    holder.other_had_it = false;
    if (found_.verdict == Verdict::violated) return;
    found_ = {"",
              Verdict::violated,
              "regained",
              fmt::format("{} has the lock again at {}, which another client had in between, and was told of no loss",
                          header_.host_name(client), seconds_text(event.at)),
              {holder.entered, position}};
  }

  /// A client that is told of a loss which has not happened gives up what it has.
  void look_for_loss(std::size_t position, const Event& event, const Holder& holder) {
    if (lost_at(event.host, holder, event.at) || found_.verdict == Verdict::violated) return;
    found_ = {"",
              Verdict::violated,
              "false-alarm",
              fmt::format("{} was told that it had lost the lock, which it still had", place(header_, event)),
              {holder.entered, position}};
  }

  const harness::Header& header_;
  const Duration bound_;
  LockKey key_;
  HostClocks clocks_;
  std::map<HostIndex, Promise> promises_;  // promises of the latest grants
  std::map<HostIndex, Holder> inside_;
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_loss_notification(const harness::Header& header, const harness::Scenario& scenario) {
  return watch_each_lock<LossNotification>(header, scenario);
}

Finding loss_notification(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_loss_notification, history, scenario);
}

}  // namespace lockproof::check
