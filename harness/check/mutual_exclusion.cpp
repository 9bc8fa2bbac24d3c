// SPDX-License-Identifier: Apache-2.0
// Mutual exclusion: two acquisitions of one lock by different clients are inside at once, whatever their deadlines say.
// The kind tells whose fault it is. `double-grant`: both were entitled, so the lock broke its promise. `outlived`: the
// earlier one was past its own deadline, or had been told of the loss, and was still inside (Kleppmann, "How to do
// distributed locking", 2016).
#include <fmt/format.h>

#include <optional>

#include "harness/check/host_clocks.hpp"
#include "harness/check/properties.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::What;

struct Holder {
  harness::HostIndex client;
  std::size_t entered;                   // position of its `enter`
  std::optional<std::int64_t> deadline;  // by `clock`, in microseconds
  std::string clock;
  bool told_lost = false;
};

class Search {
 public:
  explicit Search(const harness::History& history) : history_(history), clocks_(history) {}

  Finding run() {
    for (std::size_t i = 0; i < history_.events.size(); ++i) {
      clocks_.see(history_.events[i]);
      see(i, history_.events[i]);
    }
    return found_;
  }

 private:
  void see(std::size_t i, const Event& event) {
    switch (event.what) {
      case What::granted: granted_[event.host] = event; return;
      case What::enter: return enter(i, event);
      case What::exit: return leave(event.host);
      case What::renewed:
        if (Holder* holder = find(event.host)) set_deadline(*holder, event);
        return;
      case What::lost:
        if (Holder* holder = find(event.host)) holder->told_lost |= event.word == "told";
        return;
      case What::strike:
        if (event.word == "crash" || event.word == "kill-task") leave(event.host);
        return;
      default: return;
    }
  }

  void enter(std::size_t i, const Event& event) {
    Holder entering{event.host, i, std::nullopt, "", false};
    if (const auto grant = granted_.find(event.host); grant != granted_.end()) set_deadline(entering, grant->second);
    for (const Holder& holder : inside_) {
      if (holder.client != event.host) overlap(holder, entering, event);
    }
    if (event.others && *event.others != static_cast<int>(inside_.size()) && found_.verdict != Verdict::violated) {
      found_ = {"",
                Verdict::unknown,
                "",
                fmt::format("the shared owner word counted {} others inside as {} entered, "
                            "the order of the events says {}",
                            *event.others, place(history_, event), inside_.size()),
                {i}};
    }
    inside_.push_back(entering);
  }

  void overlap(const Holder& earlier, const Holder& later, const Event& event) {
    const bool promised = entitled(earlier, event.at) && entitled(later, event.at);
    const bool worse = found_.verdict != Verdict::violated || (promised && found_.kind == "outlived");
    if (!worse) return;
    const Event& entered = history_.events[earlier.entered];
    const std::string how = promised                      ? "whose lock was still good by its own clock"
                            : earlier.told_lost           ? "which had been told that it lost the lock"
                            : entitled(earlier, event.at) ? "and was past its own deadline itself"
                                                          : "which had outlived its own deadline";
    found_ = {"",
              Verdict::violated,
              promised ? "double-grant" : "outlived",
              fmt::format("{} entered while {} was inside (since {}), {}", place(history_, event),
                          history_.host_name(earlier.client), seconds_text(entered.at), how),
              {earlier.entered, later.entered}};
  }

  [[nodiscard]] bool entitled(const Holder& holder, Duration at) const {
    if (holder.told_lost) return false;
    return !holder.deadline || clocks_.now(holder.client, holder.clock, at) < *holder.deadline;
  }

  void set_deadline(Holder& holder, const Event& event) {
    if (!event.left) return;
    holder.clock = event.left->clock;
    holder.deadline = clocks_.now(event.host, holder.clock, event.at) + event.left->time.count();
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

  const harness::History& history_;
  HostClocks clocks_;
  std::map<harness::HostIndex, Event> granted_;  // the latest of each client
  std::vector<Holder> inside_;
  Finding found_;
};

}  // namespace

Finding mutual_exclusion(const harness::History& history, const harness::Scenario&) { return Search(history).run(); }

}  // namespace lockproof::check
