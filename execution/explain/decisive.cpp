// SPDX-License-Identifier: Apache-2.0
#include "execution/explain/decisive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/check/monitor.hpp"
#include "harness/report/text/told_fault.hpp"
#include "harness/stop.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/kernel/path_chooser.hpp"
#include "sim/world/world.hpp"

namespace lockproof::execution {
namespace {

using harness::Event;
using harness::What;
using sim::Choices;

constexpr std::uint64_t continuations = 64;  // of one state, at most

/// Passes on another chooser's answers, and writes them as a path that a PathChooser follows.
class PathWriter final : public sim::Chooser {
 public:
  explicit PathWriter(Chooser& inner) : inner_(inner) {}
  std::size_t first_of(std::size_t count, const sim::NameOf& name) override {
    return noted(count, inner_.first_of(count, name));
  }
  Duration duration(const harness::Window& window, Duration grid, const sim::NameOf& name) override {
    const Duration drawn = inner_.duration(window, grid, name);
    noted(static_cast<std::size_t>((window.most - window.least) / grid) + 1,
          static_cast<std::size_t>((drawn - window.least) / grid));
    return drawn;
  }
  std::size_t strike(std::size_t count) override { return noted(count + 1, inner_.strike(count)); }
  std::optional<sim::Ask> ask(const sim::AskOffer& offer) override {
    const auto ask = inner_.ask(offer);
    if (ask) {
      sim::PathChooser::add_ask(path_, offer.clients[ask->client], ask->after, ask->connects);
    } else {
      path_.push_back(0);
    }
    return ask;
  }
  bool asks_at_once(const sim::AskOffer& offer) override {
    const bool asks = inner_.asks_at_once(offer);
    path_.push_back(asks ? 1 : 0);
    return asks;
  }
  [[nodiscard]] const Choices& path() const { return path_; }

 private:
  std::size_t noted(std::size_t count, std::size_t answer) {
    if (count > 1) path_.push_back(static_cast<std::uint16_t>(answer));
    return answer;
  }
  Chooser& inner_;
  Choices path_;
};

/// One schedule, with the monitor of one property, which sees all events.
class Run {
 public:
  Run(const harness::Scenario& scenario, const std::string& property, sim::ModelFactory& models, sim::Chooser& chooser)
      : world_(scenario, chooser, {.record = true, .record_inputs = false, .token_name = {}, .models = &models}),
        monitors_(check::monitors(world_.history().header, scenario)) {
    for (std::size_t i = 0; i < monitors_.size(); ++i) {
      if (check::properties_of(scenario)[i].name == property) monitor_ = monitors_[i].get();
    }
    look();
  }
  bool step() {
    const bool alive = world_.step();
    look();
    return alive;
  }
  [[nodiscard]] const std::vector<Event>& events() const { return world_.history().events; }
  [[nodiscard]] bool broken() const { return monitor_ && monitor_->finding().verdict == check::Verdict::violated; }

 private:
  void look() {
    for (; monitor_ && seen_ < events().size(); ++seen_) monitor_->see(seen_, events()[seen_]);
  }

  sim::World world_;
  const std::vector<std::unique_ptr<check::Monitor>> monitors_;
  check::Monitor* monitor_ = nullptr;
  std::size_t seen_ = 0;
};

struct Moment {
  std::size_t choices = 0;  // made so far
  std::size_t events = 0;   // in the history so far
};

class Search {
 public:
  Search(const harness::Scenario& scenario, std::uint64_t seed, const sim::ViolationKind& way, std::stop_token stop)
      : scenario_(scenario), way_(way), stop_(std::move(stop)) {
    sim::RandomChooser random(seed);
    sim::ScriptedChooser scripted(scenario.steps, random);
    PathWriter writer(scripted);
    Run walk(scenario_, way_.first, models_, writer);
    do {
      moments_.push_back({writer.path().size(), walk.events().size()});
      broken_ = walk.broken();
      harness::look_at(stop_);
    } while (!broken_ && walk.step());
    path_ = writer.path();
    events_ = walk.events();
  }

  DecisiveEvent run() {
    if (!broken_) return {};
    const std::vector<std::size_t> strikes = moments_of_strikes();
    std::size_t until = moments_.size() - 1;  // here it is broken
    for (std::size_t k = strikes.size(); k-- > 0;) {
      if (is_safe(strikes[k])) return between(strikes[k], until);
      if (strikes[k] > 0 && is_safe(strikes[k] - 1)) return at(strikes[k]);
      until = strikes[k];
    }
    if (is_safe(0)) return between(0, until);
    DecisiveEvent start = at(0);
    start.from_the_start = true;
    return start;
  }

 private:
  [[nodiscard]] std::vector<std::size_t> moments_of_strikes() const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      const std::size_t from = i == 0 ? 0 : moments_[i - 1].events;
      const auto begin = events_.begin() + static_cast<std::ptrdiff_t>(from);
      const auto end = events_.begin() + static_cast<std::ptrdiff_t>(moments_[i].events);
      if (std::any_of(begin, end, [](const Event& e) { return e.what == What::strike && e.fault > 0; }))
        all.push_back(i);
    }
    return all;
  }

  /// The last safe moment from `safe` on, before `broken`: no fault strikes between them, so a continuation that is
  /// safe later is one of those that are safe earlier.
  DecisiveEvent between(std::size_t safe, std::size_t broken) {
    while (broken - safe > 1) {
      const std::size_t middle = safe + (broken - safe) / 2;
      (is_safe(middle) ? safe : broken) = middle;
    }
    return at(broken);
  }

  [[nodiscard]] DecisiveEvent at(std::size_t moment) const {
    const std::size_t from = moment == 0 ? 0 : moments_[moment - 1].events;
    const Event* shown = nullptr;
    for (std::size_t i = from; i < moments_[moment].events; ++i) {
      const Event& event = events_[i];
      if (event.what == What::strike && event.fault > 0) shown = &event;
    }
    // A step of a host need not show; then what comes of it does.
    for (std::size_t i = from; i < events_.size() && !shown; ++i) {
      if (!harness::of_ports(events_[i].what)) shown = &events_[i];
    }
    if (!shown) return {};
    return {.known = true,
            .event = in_words(*shown),
            .at = shown->at,
            .from_the_start = false,
            .all_tried = !cut_,
            .tried = tried_};
  }

  [[nodiscard]] std::string in_words(const Event& event) const {
    const auto host = [&](harness::HostIndex i) { return scenario_name(i); };
    if (event.what == What::strike)
      return harness::told(scenario_.faults.at(static_cast<std::size_t>(event.fault - 1)));
    if (event.what == What::execute && event.command) {
      return fmt::format("{} runs {}'s {}", host(event.host), host(event.peer), event.command->verb());
    }
    if (event.what == What::send && event.command) {
      return fmt::format("{} sends {} to {}", host(event.host), event.command->verb(), host(event.peer));
    }
    if (event.what == What::receive) return fmt::format("{} hears from {}", host(event.host), host(event.peer));
    return fmt::format("{}: {}", host(event.host), harness::name(event.what));
  }
  [[nodiscard]] std::string scenario_name(harness::HostIndex i) const {
    return i == harness::no_host ? "the run" : names_.at(static_cast<std::size_t>(i));
  }

  /// Whether some continuation after this moment, without the faults that have not struck by then, breaks nothing.
  bool is_safe(std::size_t moment) {
    harness::Scenario rest = scenario_;
    std::set<int> struck;
    for (std::size_t i = 0; i < moments_[moment].events; ++i) {
      if (events_[i].what == What::strike) struck.insert(events_[i].fault);
    }
    rest.faults.clear();
    for (std::size_t i = 0; i < scenario_.faults.size(); ++i) {
      if (struck.contains(static_cast<int>(i) + 1)) rest.faults.push_back(scenario_.faults[i]);
    }
    const std::size_t given = moments_[moment].choices;
    sim::PathChooser chooser(Choices(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(given)));
    std::uint64_t tried = 0;
    do {
      chooser.rewind();
      ++tried;
      bool broken = false;
      Run walk(rest, way_.first, models_, chooser);
      do {
        broken = walk.broken();
        harness::look_at(stop_);
      } while (!broken && walk.step());
      if (!broken) return true;
      tried_ = std::max(tried_, tried);
      if (tried == continuations) {
        cut_ = true;
        return false;
      }
    } while (chooser.advance(given));
    return false;
  }

  const harness::Scenario& scenario_;
  const sim::ViolationKind& way_;
  const std::stop_token stop_;
  sim::ModelFactory models_;
  std::vector<Moment> moments_;
  std::vector<Event> events_;
  std::vector<std::string> names_ = all_names();
  Choices path_;
  bool broken_ = false;
  bool cut_ = false;         // some state has more continuations than were tried
  std::uint64_t tried_ = 0;  // of one state, at most

  [[nodiscard]] std::vector<std::string> all_names() const {
    std::vector<std::string> names = scenario_.host_names(true, true);
    names.emplace_back("resource");
    return names;
  }
};

}  // namespace

DecisiveEvent decisive_event(const harness::Scenario& scenario, std::uint64_t seed, const sim::ViolationKind& way,
                             const std::stop_token& stop) {
  try {
    return Search(scenario, seed, way, stop).run();
  } catch (const harness::Cancellation&) {
    return {};
  } catch (const std::logic_error&) {  // without a fault that is placed by time, ties have other sizes
    return {};
  }
}

}  // namespace lockproof::execution
