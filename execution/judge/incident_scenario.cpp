// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/incident_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/scenario/names.hpp"
#include "harness/scenario/setup.hpp"

namespace lockproof::execution {
namespace {

constexpr std::int64_t millisecond_us = 1000;

/// In whole milliseconds, rounded up, at least one.
std::string in_text(std::int64_t us) {
  const std::int64_t ms = std::max<std::int64_t>(1, (us + millisecond_us - 1) / millisecond_us);
  return harness::to_text(milliseconds(ms));
}

/// The most frequent one, in the unit that the lock knows; the lock's own if the log's has no end.
std::int64_t lease_us(const Incident& incident, const Algorithm& lock) {
  std::map<std::int64_t, std::size_t> counts;
  for (const Hold& hold : incident.lock.holds) {
    if (hold.lease_us > 0) ++counts[hold.lease_us];
  }
  if (counts.empty()) return Duration(lock.lease).count();
  const std::int64_t measured = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
  const std::int64_t unit = lock.lease_unit.count();
  return (measured + unit - 1) / unit * unit;
}

std::int64_t work_us(const Incident& incident, std::int64_t lease) {
  const std::int64_t usual = incident.usual_work_us();
  return usual > 0 ? usual : lease / 2;
}

std::string head_of(const Incident& incident, const Algorithm& lock, std::size_t clients, std::int64_t work,
                    bool renews = true) {
  const bool takes_lease =
      !renews || std::ranges::find(lock.parameters, "watchdog_timeout", &Parameter::name) == lock.parameters.end();
  const std::string lease = in_text(lease_us(incident, lock));
  return fmt::format("title = \"An incident, from logs\"\n\n{}{}\n[workload]\nclients = {}\n{}work = [\"hold {}\"]\n",
                     harness::algorithm_table(lock),
                     takes_lease ? "" : fmt::format("watchdog_timeout = \"{}\"\n", lease), clients,
                     takes_lease ? fmt::format("lease = \"{}\"\n", lease) : "", in_text(work));
}

/// When the client first asked for the lock, of the asking by which it got it at last.
std::int64_t asked_us(const Incident& incident, const Hold& hold) {
  std::int64_t first = hold.from_us, before = 0;
  for (const Hold& other : incident.lock.holds) {
    if (other.connection == hold.connection && other.from_us < hold.from_us) before = other.from_us;
  }
  for (const std::size_t i : incident.lock.executions) {
    const ServerExecution& one = incident.log.executions[i];
    if (one.connection != hold.connection || one.at_us <= before || one.at_us >= first) continue;
    if (incident.lock.asks(one)) first = one.at_us;
  }
  return first;
}

}  // namespace

std::string scenario_of(const Incident& incident, const Algorithm& lock) {
  const std::int64_t work = work_us(incident, lease_us(incident, lock));
  return head_of(incident, lock, std::max<std::size_t>(1, incident.clients.size()), work) +
         "\n[run]\nhorizon = \"10min\"\n";
}

std::string_view name(GapCause cause) {
  switch (cause) {
    case GapCause::pause: return "a pause";
    case GapCause::longer_work: return "longer work";
    case GapCause::cut: return "a cut of its connection";
  }
  return "";
}

std::string scenario_of(const Incident& incident, const Algorithm& lock, const Gap& gap, std::size_t rival,
                        const GapGuess& guess) {
  const std::int64_t lease = lease_us(incident, lock), work = work_us(incident, lease);
  const Hold& held = incident.hold(gap);
  const Hold& next = incident.lock.holds[rival];
  const std::int64_t silence = gap.to_us.value_or(incident.log.end_us) - gap.from_us;
  const std::int64_t pause = std::max(silence - work, millisecond_us);
  const bool is_work = guess.cause == GapCause::longer_work;
  std::string text = head_of(incident, lock, 2, is_work ? silence : work, guess.renews);
  text += fmt::format("\n[[client]]\nname = \"client-2\"\nstart = \"{}\"\nwork = [\"hold {}\"]\n",
                      in_text(asked_us(incident, next) - held.from_us),
                      in_text(next.released ? next.last_us(incident.log) - next.from_us : work));
  if (!is_work) {
    const std::string_view kind = guess.cause == GapCause::pause ? "pause" : "partition";
    text += fmt::format("\n[[fault]]\nkind = \"{}\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\nfor = \"{}\"\n",
                        kind, in_text(guess.cause == GapCause::pause ? pause : silence));
  }
  return text + fmt::format("\n[run]\nhorizon = \"{}\"\n", in_text(10 * (lease + work + silence)));
}

}  // namespace lockproof::execution
