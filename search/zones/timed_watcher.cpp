// SPDX-License-Identifier: Apache-2.0
#include "search/zones/timed_watcher.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/world/state_encoder.hpp"

namespace lockproof::zones {
namespace {

/// The local name of an instant.
NamedInstant local(std::int64_t number, const std::vector<int>& handles, int now) {
  const NamedInstant instant = named_from(number);
  if (instant.name == now) return {TimedWatcher::begins, instant.us};
  const auto found = std::ranges::find(handles, instant.name);
  if (found == handles.end()) throw std::logic_error("a monitor compares an instant that is not part of its state");
  return {static_cast<int>(found - handles.begin()), instant.us};
}

}  // namespace

/// Answers the monitor's questions. What it does behind one without an answer means nothing.
class TimedWatcher::Oracle final : public NamedInstants {
 public:
  Oracle(const std::vector<bool>& answers, const std::vector<int>& handles, int now)
      : answers_(answers), handles_(handles), now_(now), before_(std::exchange(of_this_thread, this)) {}
  ~Oracle() { of_this_thread = before_; }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  bool is_before(std::int64_t one, std::int64_t other) override {
    if (question) return false;
    const NamedInstant a = local(one, handles_, now_), b = local(other, handles_, now_);
    if (a.name == b.name) return a.us < b.us;
    if (given_ < answers_.size()) return answers_[given_++];
    question = {a, b};
    return false;
  }

  std::optional<Question> question{};

 private:
  const std::vector<bool>& answers_;
  const std::vector<int>& handles_;
  const int now_;
  NamedInstants* const before_;
  std::size_t given_ = 0;
};

TimedWatcher::TimedWatcher(const harness::Scenario& scenario, const sim::EventLists& events,
                           const harness::Header& header, const check::Property& property)
    : events_(events), property_(property.name), bound_(*(scenario.*property.bound)) {
  State initial{.monitor = property.watch(header, scenario)};
  std::string encoding = encoded(initial);
  add(std::move(initial), std::move(encoding));
}

const TimedWatcher::Step& TimedWatcher::step(Id state, Id events, const std::vector<bool>& answers) {
  const auto [known, is_new] = steps_.try_emplace({state, events, answers});
  if (is_new) known->second = work_out(state, events, answers);
  return known->second;
}

TimedWatcher::Step TimedWatcher::work_out(Id from, Id events, const std::vector<bool>& answers) {
  const State& before = states_[from];
  const int now = before.next;
  State after{.monitor = before.monitor->copy(), .next = now + 1};
  Oracle oracle(answers, before.handles, now);
  for (harness::Event event : events_.at(events)) {
    event.at = Duration(to_number({now, 0}));
    after.monitor->see(0, event);
  }
  if (oracle.question) return {.question = oracle.question};
  const check::Finding finding = after.monitor->finding();
  after.monitor->forget();
  std::string encoding = encoded(after);
  Step step{.is_violated = finding.verdict == check::Verdict::violated, .kind = finding.kind};
  for (const int handle : after.handles) step.names.push_back(local(to_number({handle, 0}), before.handles, now).name);
  step.state = add(std::move(after), std::move(encoding));
  return step;
}

/// Numbers the instants in the order in which the monitor mentions them.
std::string TimedWatcher::encoded(State& state) {
  check::MonitorEncoding encoding{.now = {},
                                  .in_flight = [](auto, auto, auto) { return true; },
                                  .distance = [](auto, auto, auto) { return 0; },
                                  .numbers = {}};
  encoding.number_of = [&](Duration then) {
    const NamedInstant instant = named_from(then.count());
    const auto known = std::ranges::find(state.handles, instant.name);
    const auto name = static_cast<int>(known - state.handles.begin());
    if (known == state.handles.end()) state.handles.push_back(instant.name);
    return to_number({name, instant.us});
  };
  state.monitor->encode(encoding);
  sim::StateEncoder into;
  for (const std::int64_t number : encoding.numbers) into.number(number);
  return into.take();
}

/// Monitors in equal states are interchangeable, whatever they call the names.
Id TimedWatcher::add(State state, std::string encoding) {
  const auto [id, is_new] = encodings_.add(std::move(encoding));
  if (is_new) states_.push_back(std::move(state));
  return id;
}

}  // namespace lockproof::zones
