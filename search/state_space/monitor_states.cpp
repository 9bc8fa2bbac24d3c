// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/monitor_states.hpp"

#include <map>
#include <stdexcept>

#include "harness/scenario/fault_table.hpp"

namespace lockproof::sim {

using harness::Event;
using harness::HostIndex;
using harness::What;

/// The monitor itself, with its own time and numbers.
class Watcher::MonitorRun {
 public:
  MonitorRun(const MonitorRun& other)
      : monitor_(other.monitor_->copy()), last_(other.last_), now_(other.now_), first_(other.first_),
        clocks_(other.clocks_), counts_(other.counts_) {}
  MonitorRun& operator=(const MonitorRun&) = delete;
  explicit MonitorRun(const Watcher& of)
      : monitor_(of.property_.watch(of.header_, of.scenario_)), counts_(of.numbers_ == Numbers::counted) {
    const harness::Scenario& scenario = of.scenario_;
    if (of.clocks_ == check::Property::Clocks::none) return;
    const bool of_clients = of.clocks_ == check::Property::Clocks::of_all;
    if (of_clients) {
      for (const auto& client : scenario.clients) clocks_.emplace_back(client.clock);
    } else {
      first_ = static_cast<HostIndex>(scenario.clients.size());
    }
    for (const auto& server : scenario.servers) clocks_.emplace_back(server.clock);
  }

  check::Finding see(const std::vector<Event>& events) {
    std::map<std::pair<HostIndex, HostIndex>, int> sends;
    for (const Event& event : events) {
      if (counts_ && event.what == What::send) ++sends[{event.host, event.peer}];
    }
    for (const auto& [link, count] : sends) last_[link] += count;
    for (Event event : events) {
      event.at = now_;
      HostClocks* const clocks = clocks_of(event.host);
      if (clocks) event.clocks = clocks->at(now_);
      if (event.what == What::send || event.what == What::drop) event.message += last_[{event.host, event.peer}];
      if (event.what == What::execute) event.message += last_[{event.peer, event.host}];
      monitor_->see(0, event);
      if (clocks) change(*clocks, event);
    }
    check::Finding finding = monitor_->finding();
    monitor_->forget();
    return finding;
  }
  void age(Duration by) { now_ += by; }

  [[nodiscard]] std::string encoding() const {
    check::MonitorEncoding encoding{.now = now_,
                                    .in_flight = [](HostIndex, HostIndex, int) { return true; },
                                    .distance =
                                        [&](HostIndex c, HostIndex s, int n) {
                                          const auto sent = last_.find({c, s});
                                          return (sent == last_.end() ? 0 : sent->second) - n;
                                        },
                                    .numbers = {}};
    monitor_->encode(encoding);
    StateEncoder into;
    for (const std::int64_t n : encoding.numbers) into.number(n);
    for (const HostClocks& clocks : clocks_) {
      for (const std::int64_t part : clocks.phase(now_)) into.number(part);
    }
    return into.take();
  }

 private:
  [[nodiscard]] HostClocks* clocks_of(HostIndex host) {
    const auto place = static_cast<std::size_t>(host - first_);
    return host >= first_ && place < clocks_.size() ? &clocks_[place] : nullptr;
  }
  /// Follows the world after it has written the event.
  void change(HostClocks& clocks, const Event& event) const {
    if (event.word == "clock-jump" && event.what == What::strike) clocks.jump(Duration(*event.value));
    if ((event.what == What::strike || event.what == What::heal) && harness::stops_clock(event.word)) {
      event.what == What::strike ? clocks.stop_mono(now_, now_ + Duration(*event.value)) : clocks.go_on(now_);
    }
    if (event.word == "clock-rate") clocks.set_rate(now_, event.what == What::strike ? *event.value : 0);
  }

  std::unique_ptr<check::Monitor> monitor_;
  std::map<std::pair<HostIndex, HostIndex>, int> last_;  // number of the command sent last
  Duration now_{};
  HostIndex first_ = 0;
  std::vector<HostClocks> clocks_;  // of those from the first host on that the monitor reads: as in the world, except
                                    // for when they began
  const bool counts_;               // commands: else they have numbers
};

Watcher::Watcher(const harness::Scenario& scenario, const EventLists& events, const harness::Header& header,
                 const check::Property& property, Numbers numbers)
    : scenario_(scenario), events_(events), header_(header), property_(property),
      clocks_(check::clocks_read(property, scenario)), numbers_(numbers) {
  add(MonitorRun(*this), {0, {}, EventLists::empty});
}

Watcher::~Watcher() = default;

/// The monitor in this state: a copy, or from the last state before it of which there is one.
Watcher::MonitorRun Watcher::made(Id state) const {
  std::vector<const State*> path;
  for (; state >= live_.size(); state = states_[state].parent) path.push_back(&states_[state]);
  MonitorRun running = *live_[state];
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    running.age((*step)->by);
    if ((*step)->events != EventLists::empty) (void)running.see(events_.at((*step)->events));
  }
  return running;
}

/// Monitors in equal states are interchangeable.
Id Watcher::add(const MonitorRun& running, State state) {
  const auto [id, is_new] = interner_.add(running.encoding());
  if (!is_new) return id;
  states_.push_back(state);
  if (live_.size() < most_live) live_.push_back(std::make_unique<MonitorRun>(running));
  return id;
}

Id Watcher::aged(Id state, Duration by) {
  const Id known = known_aged(state, by);
  if (known != FlatMap::none) return known;
  MonitorRun running = made(state);
  running.age(by);
  const Id id = add(running, {state, by, EventLists::empty});
  ages_.insert({static_cast<std::uint64_t>(by.count()), state}, id);
  return id;
}

const Watcher::MonitorStep& Watcher::seen(Id state, Id events) {
  if (const MonitorStep* before = known(state, events)) return *before;
  MonitorRun running = made(state);
  const check::Finding finding = running.see(events_.at(events));
  const Id after = add(running, {state, {}, events});
  steps_.insert({events, state}, static_cast<Id>(seen_.size()));
  seen_.push_back({after, finding.verdict == check::Verdict::violated, finding.kind});
  return seen_.back();
}

Id Watcher::image(Id state, std::size_t which, const Rewrite& rewrite) {
  std::vector<Id> path;  // from states of which no image is known
  Id image = 0;
  for (; state != 0; state = states_[state].parent) {
    const Id known = symmetric_states_.find({which, state});
    if (known != FlatMap::none) {
      image = known;
      break;
    }
    path.push_back(state);
  }
  for (auto next = path.rbegin(); next != path.rend(); ++next) {
    const State step = states_[*next];
    image = step.events == EventLists::empty ? aged(image, step.by) : seen(image, rewrite(step.events)).state;
    symmetric_states_.insert({which, *next}, image);
  }
  return image;
}

std::vector<harness::Host> MonitorStates::hosts_of(const harness::Scenario& scenario) {
  std::vector<harness::Host> hosts;
  for (const auto& client : scenario.clients) hosts.push_back({client.name, harness::HostKind::client});
  for (const auto& server : scenario.servers) hosts.push_back({server.name, harness::HostKind::server});
  hosts.push_back({"resource", harness::HostKind::resource});
  return hosts;
}

MonitorStates::MonitorStates(SharedContext& shared) {
  header_.hosts = hosts_of(shared.scenario);
  for (const check::Property& property : check::properties_of(shared.scenario)) {
    if (!property.watch || !check::is_judged(property, shared.scenario)) continue;
    judged_.emplace_back(property.name);
    if (is_trait(property)) continue;
    watchers_.push_back(std::make_unique<Watcher>(shared.scenario, shared.events, header_, property));
  }
  if (count() > most) throw std::logic_error("there are more monitors than columns for them");
}

}  // namespace lockproof::sim
