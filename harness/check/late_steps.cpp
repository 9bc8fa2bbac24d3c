// SPDX-License-Identifier: Apache-2.0
#include "harness/check/late_steps.hpp"

#include <algorithm>
#include <set>

namespace lockproof::check {

using harness::Event;
using harness::HostIndex;
using harness::What;

LateSteps::LateSteps(const harness::History& history, const harness::Scenario& scenario)
    : history_(history), scenario_(scenario), step_(history.header.late_us.value_or(0) * history.header.speedup),
      faults_(faults_in(history)) {}

bool LateSteps::could_come_by(std::size_t position, Duration limit) const {
  const Event* event = &history_.events.at(position);
  const HostIndex client = event->what == What::execute ? event->peer : event->host;
  if (event->what == What::execute) {
    const auto sending = sending_of(position);
    if (!sending) return true;
    if (history_.events[*sending].at <= limit) {
      const bool held = std::ranges::any_of(faults_, [&](const FaultSpan& f) {
        const bool concerns = f.host == client || f.host == event->host || f.peer == client || f.peer == event->host;
        return concerns && f.from <= limit && f.until > limit;
      });
      return !held && is_within_steps(client, position, history_.events[*sending].at, limit);
    }
    position = *sending;
    event = &history_.events[position];
  }
  Duration since = limit;
  for (const FaultSpan& fault : faults_) {
    if (fault.host != client || fault.from > limit) continue;
    const Duration until = held_until(fault);
    if (until <= limit || until > event->at) continue;
    if (is_of_own_event(fault, client)) return false;
    since = std::max(since, until);
  }
  return is_within_steps(client, position, since, since);
}

bool LateSteps::struck_between(Duration from, Duration until) const {
  return std::ranges::any_of(faults_, [&](const FaultSpan& f) { return f.from <= until && f.until >= from; });
}

std::optional<std::size_t> LateSteps::sending_of(std::size_t execution) const {
  const Event& event = history_.events[execution];
  for (std::size_t i = execution; i-- > 0;) {
    const Event& sent = history_.events[i];
    const bool same = sent.host == event.peer && sent.peer == event.host && sent.message == event.message;
    if (sent.what == What::send && same) return i;
  }
  return std::nullopt;
}

/// The steps since the client's last start, grant or renewal by `from` allow for what the event came after `limit`.
bool LateSteps::is_within_steps(HostIndex client, std::size_t position, Duration from, Duration limit) const {
  std::set<Duration> instants;
  for (std::size_t i = position + 1; i-- > 0;) {
    const Event& event = history_.events[i];
    if (event.host != client && event.peer != client) continue;
    const bool anchors = event.what == What::start || event.what == What::granted || event.what == What::renewed;
    if (anchors && event.host == client && event.at <= from) {
      instants.erase(event.at);
      break;
    }
    instants.insert(event.at);
  }
  return history_.events[position].at - limit <= step_ * static_cast<std::int64_t>(instants.size());
}

bool LateSteps::is_of_own_event(const FaultSpan& fault, HostIndex host) const {
  const auto index = static_cast<std::size_t>(fault.number) - 1;
  if (fault.number < 1 || index >= scenario_.faults.size()) return false;
  const auto& when = scenario_.faults[index].when;
  return when && when->actor == history_.host_name(host);
}

/// A client that waits for a delayed message may do something else meanwhile, and is then not held any more.
Duration LateSteps::held_until(const FaultSpan& fault) const {
  if (harness::stands_still(fault.kind)) return fault.until;
  if (fault.kind != "delay") return fault.from;
  for (const Event& event : history_.events) {
    if (event.host == fault.host && event.at > fault.from) return std::min(event.at, fault.until);
  }
  return fault.until;
}

}  // namespace lockproof::check
