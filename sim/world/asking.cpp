// SPDX-License-Identifier: Apache-2.0
#include "sim/world/asking.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "harness/scenario/fault_table.hpp"

namespace lockproof::sim {
namespace {

bool asks_freely(const harness::ClientSpec& client) { return client.plan.asking != harness::AskPolicy::polls; }

Duration latest(const std::vector<Duration>& instants) {
  return instants.empty() ? Duration{} : *std::ranges::max_element(instants);
}

/// The grants that follow from one ask, until the last one's release.
struct Chain {
  Duration work{};
  int least = 0, most = 0;  // number of messages in sequence
  bool operator==(const Chain&) const = default;

  /// The next client gets the lock and does its work. A client that obeys its deadline or a loss may leave earlier:
  /// before each step, and as its lease ends, which is counted from its request for the lock.
  [[nodiscard]] std::vector<Chain> and_then(const harness::Plan& plan, Duration lease, int round_trips) const {
    std::vector<Chain> all;
    add(plan, 0, lease, round_trips, all);
    for (std::size_t i = 0; i < plan.work.size(); ++i) {  // of another lock the grant may come at any time
      const bool asks = plan.work[i].kind == harness::Work::Kind::acquire && !plan.work[i].lock.empty();
      if (asks) add(plan, i + 1, lease, round_trips, all);
    }
    return all;
  }

  /// From this step of the work on.
  void add(const harness::Plan& plan, std::size_t from, Duration lease, int round_trips,
           std::vector<Chain>& all) const {
    Chain now{work, least + 2, most + 4 * round_trips + 2};
    if (plan.stop_on == harness::StopOn::deadline) all.push_back({work + lease, least, now.most});
    for (std::size_t i = from; i < plan.work.size(); ++i) {
      const harness::Work& step = plan.work[i];
      const bool asks = step.kind == harness::Work::Kind::acquire && !step.lock.empty();
      const int legs = step.kind == harness::Work::Kind::hold ? 0 : 2;
      now = {now.work + step.lasts, now.least + legs, now.most + (asks ? 4 * round_trips + 2 : legs)};
      const bool may_leave = plan.stop_on != harness::StopOn::nothing || step.kind == harness::Work::Kind::release;
      if (may_leave || &step == &plan.work.back()) all.push_back(now);
    }
  }
};

bool changes_clocks(const harness::Fault& fault) {
  return fault.kind == harness::FaultKind::clock_jump || fault.kind == harness::FaultKind::clock_rate;
}

bool servers_end_connections(const harness::Scenario& scenario, const harness::Bounds* bounds) {
  const auto ends = [](const auto& fault) {
    return harness::row_of(fault.kind).ends_connections || fault.kind == harness::FaultKind::break_connection;
  };
  return std::ranges::any_of(scenario.faults, ends) ||
         (bounds && bounds->max_faults > 0 && std::ranges::any_of(bounds->budget, ends));
}

/// If nothing else is due, all ticks are alike: it is enough to look at one.
Duration whole_tick(const std::vector<Recurrence>& ticks) {
  Duration last{};
  for (const Recurrence& tick : ticks) last = std::max(last, tick.next + tick.period);
  return last;
}

/// The beginning of the instant's millisecond by this clock, and the last instant before that.
void add_with_tick(std::vector<Duration>& into, Duration instant, Duration within) {
  const Duration shown = instant + within;
  const Duration since_tick = shown - std::chrono::floor<milliseconds>(shown);
  into.insert(into.end(), {instant - since_tick, instant - since_tick - Duration(1)});
}

}  // namespace

void sort_once(std::vector<Duration>& instants) {
  std::ranges::sort(instants);
  instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
}

AskingRule::AskingRule(const harness::Scenario& scenario, const harness::Bounds* bounds)
    : scenario_(scenario), bounds_(bounds), applies_(std::ranges::any_of(scenario.clients, asks_freely)) {
  if (!applies_) return;
  minds_first_contact_ = servers_end_connections(scenario, bounds);
  add_ways(0, 2 * scenario.algorithm->round_trips + 2, {}, ways_);
  sort_once(ways_);
  reach_ = ways_.back();
}

/// The latencies of so many messages in sequence, and of one thing more.
void AskingRule::add_ways(int least, int most, Duration after, std::vector<Duration>& into) const {
  const auto& latency = scenario_.network.latency;
  for (int legs = least; legs <= most; ++legs) {
    const harness::Window ways{latency.least * legs, latency.most * legs};
    for (std::uint64_t n = 0; n < ways.options(scenario_.grid); ++n) {
      into.push_back(after + ways.option(scenario_.grid, n));
    }
  }
}

/// How long after an ask the lock granted then can be released. A client that is granted the lock at once works, and
/// then releases it. With a lock that wakes its waiters, this release grants it to the next one, which works and
/// releases it, and so on.
std::vector<Duration> AskingRule::releases() const {
  std::vector<Duration> all;
  const std::size_t most = scenario_.algorithm->channels.empty() ? 1 : scenario_.clients.size();
  std::vector<Chain> chains{{}};
  for (std::size_t length = 1; length <= most; ++length) {
    std::vector<Chain> longer;
    for (const Chain& before : chains) {
      for (const harness::ClientSpec& client : scenario_.clients) {
        const Duration lease = client.plan.lease.value_or(scenario_.algorithm->lease);
        for (const Chain& after : before.and_then(client.plan, lease, scenario_.algorithm->round_trips)) {
          if (std::ranges::find(longer, after) == longer.end()) longer.push_back(after);
        }
      }
    }
    for (const Chain& one : longer) add_ways(one.least, one.most, one.work, all);
    chains = std::move(longer);
  }
  return all;
}

/// The reply to a command that has been delayed comes just before the time-out of the command or the attempt, or just
/// after it.
std::vector<Duration> AskingRule::late_answers(const std::vector<Duration>& ends) const {
  std::vector<Duration> all;
  for (const Duration end : ends) {
    add_ways(0, 2, end - scenario_.network.timeout, all);
    for (const harness::ClientSpec& client : scenario_.clients) {
      if (client.plan.attempt_timeout) add_ways(0, 2, end - *client.plan.attempt_timeout, all);
    }
  }
  return all;
}

bool AskingRule::can_strike(std::size_t entry, const std::vector<int>& counts) const {
  return std::accumulate(counts.begin(), counts.end(), 0) < bounds_->max_faults && bounds_->left_of(entry, counts) > 0;
}

/// Whether a fault changes a clock, or has changed one.
bool AskingRule::clocks_change(const std::vector<int>& counts) const {
  if (std::ranges::any_of(scenario_.faults, changes_clocks)) return true;
  for (std::size_t i = 0; bounds_ && i < bounds_->budget.size(); ++i) {
    const bool matters = counts[i] > 0 || can_strike(i, counts);
    if (matters && std::ranges::any_of(bounds_->budget[i].forms, changes_clocks)) return true;
  }
  return false;
}

std::vector<Duration> AskingRule::jumps_left(const std::vector<int>& counts) const {
  std::vector<Duration> jumps;
  const auto add = [&](const harness::Fault& fault) {
    if (fault.kind == harness::FaultKind::clock_jump) jumps.insert(jumps.end(), {fault.by, -fault.by});
  };
  for (const harness::Fault& fault : scenario_.faults) add(fault);
  for (std::size_t i = 0; bounds_ && i < bounds_->budget.size(); ++i) {
    if (!can_strike(i, counts)) continue;
    for (const harness::Fault& form : bounds_->budget[i].forms) add(form);
  }
  return jumps;
}

/// How long a server can still be kept from answering, or a client from hearing it, by a fault that strikes at an ask.
std::vector<Duration> AskingRule::outages_left(const std::vector<int>& counts) const {
  using harness::FaultKind;
  std::vector<Duration> all;
  const auto add = [&](const harness::Fault& fault) {
    const bool of_server = std::ranges::any_of(
        scenario_.servers, [&](const harness::ServerSpec& server) { return server.name == fault.target; });
    if (fault.kind == FaultKind::partition || (of_server && fault.kind != FaultKind::client_pause)) {
      if (fault.lasts > Duration{}) all.push_back(fault.lasts);
    }
  };
  for (const harness::Fault& fault : scenario_.faults) {
    if (fault.when) add(fault);
  }
  for (std::size_t i = 0; bounds_ && i < bounds_->budget.size(); ++i) {
    if (!can_strike(i, counts)) continue;
    for (const harness::Fault& form : bounds_->budget[i].forms) add(form);
  }
  sort_once(all);
  return all;
}

std::vector<Duration> AskingRule::each_of_the_grid(const Outlook& outlook) const {
  Duration last{};
  for (const auto* instants : {&outlook.events, &outlook.readings}) {
    for (const Duration instant : *instants) last = std::max(last, instant);
  }
  last = std::max(last, whole_tick(outlook.ticks));
  if (outlook.next) last = *outlook.next;
  std::vector<Duration> all;
  for (Duration instant{}; instant <= last; instant += scenario_.grid) all.push_back(instant);
  return all;
}

std::vector<Duration> AskingRule::instants(const Outlook& outlook, const std::vector<int>& counts) const {
  if (scenario_.contention == harness::Contention::anytime) return each_of_the_grid(outlook);
  std::vector<Duration> read = outlook.readings, happens = outlook.events;
  happens.insert(happens.end(), outlook.future.begin(), outlook.future.end());
  const auto is_late = [&](Duration arrival) { return arrival > scenario_.network.latency.most; };
  std::ranges::copy_if(outlook.arrivals, std::back_inserter(happens), is_late);
  if (read.empty() && happens.empty() && outlook.ticks.empty()) return {Duration{}};  // nothing is due: now or never
  for (const Duration jump : jumps_left(counts)) {
    for (const Duration instant : outlook.readings) read.push_back(instant + jump);
    for (const Duration instant : outlook.events) happens.push_back(instant + jump);
  }
  Duration last = std::max({latest(read), latest(happens), whole_tick(outlook.ticks)});
  if (outlook.next) last = *outlook.next;
  std::vector<Duration> clocks = outlook.milliseconds;
  sort_once(clocks);
  const std::vector<Duration> none;
  std::vector<Duration> all;
  add(all, read, clocks, last);
  add(all, happens, clocks_change(counts) ? clocks : none, last);
  add_ticks(all, outlook.ticks, last);
  std::vector<Duration> times_out = late_answers(outlook.ends);
  add(all, times_out, none, last);
  std::vector<Duration> late = outlook.wakes;
  std::ranges::copy_if(outlook.arrivals, std::back_inserter(late), is_late);
  for (const Duration release : late.empty() ? std::vector<Duration>{} : releases()) {
    for (const Duration arrival : late) all.push_back(arrival - release);
  }
  std::vector<Duration> back_up;
  for (const Duration outage : outages_left(counts)) {
    for (const Duration instant : happens) back_up.push_back(instant - outage);
    for (const Duration instant : read) back_up.push_back(instant - outage);
  }
  add(all, back_up, none, last);
  sort_once(all);
  std::erase_if(all, [&](Duration instant) { return instant < Duration{} || instant > last; });
  return all;
}

/// Adds the instants for which a command of the attempt arrives at a tick, or just before it.
void AskingRule::add_ticks(std::vector<Duration>& into, const std::vector<Recurrence>& ticks, Duration last) const {
  const auto& latency = scenario_.network.latency;
  for (int legs = 1; legs < 2 * scenario_.algorithm->round_trips; legs += 2) {
    const harness::Window ways{latency.least * legs, latency.most * legs};
    for (std::uint64_t n = 0; n < ways.options(scenario_.grid); ++n) {
      for (const Recurrence& tick : ticks) {
        for (Duration at = tick.next - ways.option(scenario_.grid, n); at <= last + Duration(1); at += tick.period) {
          into.insert(into.end(), {at, at - Duration(1)});
        }
      }
    }
  }
}

/// Adds the instants for which the request, or what follows it, arrives at one of the causes; by these clocks also at
/// the beginning of the millisecond, and just before it.
void AskingRule::add(std::vector<Duration>& into, std::vector<Duration>& causes, const std::vector<Duration>& clocks,
                     Duration last) const {
  sort_once(causes);
  for (const Duration cause : causes) {
    for (const Duration way : ways_) {
      if (cause - way > last || cause - way < Duration{}) continue;
      into.push_back(cause - way);
      for (const Duration within : clocks) add_with_tick(into, cause - way, within);
    }
  }
}

}  // namespace lockproof::sim
