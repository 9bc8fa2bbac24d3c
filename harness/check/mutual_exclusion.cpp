// SPDX-License-Identifier: Apache-2.0
// Mutual exclusion: more clients are inside one lock at once than it has room for (see promise.hpp), mostly two,
// whatever their deadlines say. The kind tells whether the lock or the holder is at fault. `double-grant`: there was no
// room for those who were entitled, so the lock broke its promise. `outlived`: an earlier one was past its own
// deadline, or had been notified of the loss, and was still inside (Kleppmann, "How to do distributed locking", 2016).
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "harness/check/by_lock.hpp"
#include "harness/check/monitor.hpp"
#include "harness/check/promise.hpp"
#include "harness/check/properties.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::What;

struct Holder {
  harness::HostIndex client;
  std::size_t entered;  // position of its `enter`
  Duration since;
  Mode mode;
  Promise promise;
};

class MutualExclusion final : public CopyableMonitor<MutualExclusion> {
 public:
  MutualExclusion(const harness::Header& header, const harness::Scenario&) : header_(header), clocks_(header) {}

  void see(std::size_t i, const Event& event) override {
    clocks_.see(event);
    switch (event.what) {
      case What::granted:
        granted_[event.host] = event;
        if (Holder* holder = find(event.host)) holder->promise.renew(event, clocks_);  // it acquires the lock again
        return;
      case What::enter: return enter(i, event);
      case What::exit: return leave(event.host);
      case What::renewed:
        if (Holder* holder = find(event.host)) holder->promise.renew(event, clocks_);
        return;
      case What::lost:
        if (Holder* holder = find(event.host)) holder->promise.notified_of_loss |= event.word == "notified";
        return;
      case What::strike:
        if (event.word == "crash" || event.word == "kill-task") leave(event.host);
        return;
      default: return;
    }
  }

  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }

  /// A grant's contents matter only within the step that it is given in: only the clients inside are state, not the
  /// order in which they entered.
  void encode(MonitorEncoding& into) const override {
    std::vector<Holder> inside = inside_;
    std::ranges::sort(inside, {}, &Holder::client);
    for (const Holder& holder : inside) {
      into.numbers.push_back(holder.client);
      into.numbers.push_back(holder.promise.notified_of_loss);
      into.numbers.push_back(holder.promise.deadline
                                 ? *holder.promise.deadline - clocks_.now(holder.client, holder.promise.clock, into.now)
                                 : INT64_MAX);
    }
  }

 private:
  void enter(std::size_t i, const Event& event) {
    Holder entering{event.host, i, event.at, mode_of(event), {}};
    if (const auto grant = granted_.find(event.host); grant != granted_.end())
      entering.promise.renew(grant->second, clocks_);
    judge(entering, event);
    if (event.others && *event.others != static_cast<int>(inside_.size()) && found_.verdict != Verdict::violated) {
      found_ = {"",
                Verdict::unknown,
                "",
                fmt::format("the shared owner word counted {} others inside as {} entered, "
                            "the order of the events says {}",
                            *event.others, place(header_, event), inside_.size()),
                {i}};
    }
    inside_.push_back(entering);
  }

  void judge(const Holder& entering, const Event& event) {
    const bool good = entitled(entering, event.at);
    Entrance entrance(header_.permits, entering.mode, good);
    for (const Holder& holder : inside_) {
      if (holder.client != event.host) entrance.meet(holder.mode, entitled(holder, event.at));
    }
    const std::string_view kind = entrance.kind();
    const bool promised = kind == kind_of_overlap(true);
    const bool worse = found_.verdict != Verdict::violated || (promised && found_.kind == kind_of_overlap(false));
    if (kind.empty() || !worse) return;
    for (const Holder& holder : inside_) {
      const bool shows = !good || entitled(holder, event.at) == promised;
      if (holder.client != event.host && are_rivals(holder, entering) && shows)
        return overlap(holder, entering, event, promised);
    }
  }

  static bool are_rivals(const Holder& one, const Holder& other) {
    Crowd both;
    both.add(one.mode);
    both.add(other.mode);
    return !both.fits(1);
  }

  void overlap(const Holder& earlier, const Holder& later, const Event& event, bool promised) {
    const std::string how = promised                           ? "whose lock was still good by its own clock"
                            : earlier.promise.notified_of_loss ? "which had been told that it lost the lock"
                            : entitled(earlier, event.at)      ? "and was past its own deadline itself"
                                                               : "which had outlived its own deadline";
    found_ = {"",
              Verdict::violated,
              kind_of_overlap(promised),
              fmt::format("{} entered{} while {} was inside{} (since {}), {}{}", place(header_, event),
                          later.mode == Mode::shared ? " to read" : "", header_.host_name(earlier.client),
                          earlier.mode == Mode::shared ? " to read" : "", seconds_text(earlier.since), how,
                          header_.permits > 1 ? fmt::format("; the lock has {} permits", header_.permits) : ""),
              {earlier.entered, later.entered}};
  }

  [[nodiscard]] bool entitled(const Holder& holder, Duration at) const {
    return holder.promise.good(holder.client, at, clocks_);
  }

  Holder* find(harness::HostIndex client) {
    for (Holder& holder : inside_) {
      if (holder.client == client) return &holder;
    }
    return nullptr;
  }
  void leave(harness::HostIndex client) {
    std::erase_if(inside_, [&](const Holder& holder) { return holder.client == client; });
  }

  const harness::Header& header_;
  HostClocks clocks_;
  std::map<harness::HostIndex, Event> granted_;  // the latest grant of each client
  std::vector<Holder> inside_;
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_mutual_exclusion(const harness::Header& header, const harness::Scenario& scenario) {
  return watch_each_lock<MutualExclusion>(header, scenario);
}

Finding mutual_exclusion(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_mutual_exclusion, history, scenario);
}

}  // namespace lockproof::check
