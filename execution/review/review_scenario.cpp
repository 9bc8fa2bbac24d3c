// SPDX-License-Identifier: Apache-2.0
#include "execution/review/review_scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/told_fault.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "harness/scenario/setup.hpp"

namespace lockproof::execution {
namespace {

using harness::Concern;
using harness::in_seconds;
using harness::Persistence;
using harness::to_text;

constexpr int of_a_majority = 3;               // fewer servers have no majority that survives one of them
constexpr Duration briefly = milliseconds(4);  // back before its clients have noticed
constexpr Duration while_after = seconds(1);   // after a Sentinel has decided
const Duration call_timeout = harness::Network{}.timeout;

bool has_parameter(const Algorithm& lock, std::string_view name) {
  return std::ranges::find(lock.parameters, name, &Parameter::name) != lock.parameters.end();
}

std::string list_of(std::vector<Duration> durations) {
  std::ranges::sort(durations);
  durations.erase(std::unique(durations.begin(), durations.end()), durations.end());
  std::vector<std::string> texts;
  for (const Duration one : durations) texts.push_back(fmt::format("\"{}\"", to_text(one)));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string entry(std::string_view kind, std::string_view target, const std::string& setting) {
  std::string text = fmt::format("\n[[explore.fault]]\nkind = \"{}\"\n", kind);
  if (!target.empty()) text += fmt::format("target = \"{}\"\n", target);
  return text + (setting.empty() ? "" : setting + "\n");
}

/// The longest one and half of it, and the lengths below it at which something else happens: what the lease leaves
/// beside the work, the time-out of a call, a Sentinel's down_after, the lease, and just above each. So more trouble is
/// tried with all that less of it is tried with.
std::vector<Duration> lengths_up_to(Duration most, const Review& review, const Setting& setting) {
  std::vector<Duration> all{most, most / 2};
  for (const Duration edge : {Duration(setting.lease) - setting.work, call_timeout / 2, call_timeout,
                              review.down_after.value_or(Duration{}), Duration(setting.lease)}) {
    for (const Duration one : {edge, edge + milliseconds(1)}) {
      if (one > Duration{} && one < most) all.push_back(one);
    }
  }
  return all;
}

/// After these times a driver sends a command again: a call that has ended is not sent again. Redlock gives each server
/// some milliseconds.
std::vector<Duration> resends_up_to(Duration most) {
  std::vector<Duration> all;
  for (const Duration one : {briefly, Duration(milliseconds(20)), call_timeout / 2, call_timeout - milliseconds(1)}) {
    if (one < most) all.push_back(one);
  }
  if (most < call_timeout) all.push_back(most);
  return all;
}

std::string lasting(const std::vector<Duration>& durations) { return "for = " + list_of(durations); }

void add_hosts(const Review& review, const Setting& setting, std::vector<Trouble>& all) {
  if (review.crashes) all.push_back({"crash", entry("crash", "", "") + entry("kill-task", "", "")});
  if (review.pause) {
    all.push_back(
        {"pause of clients", entry("pause", "clients", lasting(lengths_up_to(*review.pause, review, setting)))});
    all.push_back(
        {"suspend of clients", entry("suspend", "clients", lasting(lengths_up_to(*review.pause, review, setting)))});
    all.push_back(
        {"pause of servers", entry("pause", "servers", lasting(lengths_up_to(*review.pause, review, setting)))});
  }
  for (const char* const hosts : {"clients", "servers"}) {
    if (review.clock_jump) {
      all.push_back({fmt::format("clock-jump of {}", hosts),
                     entry("clock-jump", hosts, fmt::format("by = [\"{0}\", \"-{0}\"]", to_text(*review.clock_jump)))});
    }
    if (review.clock_rate_ppb > 0) {
      all.push_back({fmt::format("clock-rate of {}", hosts),
                     entry("clock-rate", hosts,
                           fmt::format("rate = [\"{}%\", \"{}%\"]", harness::percent_text(review.clock_rate_ppb),
                                       harness::percent_text(-review.clock_rate_ppb)))});
    }
  }
}

void add_network(const Review& review, const Setting& setting, std::vector<Trouble>& all) {
  all.push_back({"lost message or connection", entry("half-open", "", "") + entry("break-connection", "", "")});
  if (harness::can_have(harness::row_of(review.service), harness::FaultKind::pool_switch)) {
    all.push_back({"another connection of a pool", entry("pool-switch", "", "")});
  }
  if (!review.network) return;
  const std::vector<Duration> lengths = lengths_up_to(*review.network, review, setting);
  all.push_back({"late message", entry("delay", "", "by = " + list_of(lengths))});
  all.push_back({"repeated message", entry("resend", "", lasting(resends_up_to(*review.network)))});
  if (*review.network >= call_timeout) all.push_back({"command tried again", entry("retry", "", "")});
  all.push_back({"partition", entry("partition", "", lasting(lengths))});
}

void add_servers(const Review& review, const Setting& setting, std::vector<Trouble>& all) {
  const harness::ServiceRow& row = harness::row_of(review.service);
  if (review.evicts) all.push_back({"evict", entry("evict", "", "")});
  const bool replicated = row.replicates && review.replicas > 0 && setting.lock->servers != Servers::all;
  if (replicated && review.failovers) all.push_back({"failover", entry("failover", "", "")});
  const bool keeps = review.persistence != Persistence::none || setting.has(Remedy::persists);
  for (const Duration outage : outages(review)) {
    all.push_back({"power-cut " + in_seconds(outage), entry("power-cut", "", lasting({outage}))});
    // Where nothing is kept, a restart loses as much.
    if (keeps) all.push_back({"restart " + in_seconds(outage), entry("restart", "", lasting({outage}))});
  }
  if (!replicated) return;
  for (const Duration one : {Duration(setting.lease) / 2, Duration(setting.lease)}) {
    all.push_back({"replication-stall " + in_seconds(one), entry("replication-stall", "", lasting({one}))});
  }
}

std::string algorithm_text(const Review& review, const Setting& setting, const std::string& folder) {
  std::string text = harness::algorithm_table(*setting.lock, folder);
  if (has_parameter(*setting.lock, "watchdog_timeout")) {
    text += fmt::format("watchdog_timeout = \"{}\"\n", to_text(setting.lease));
  }
  if (setting.lock->servers == Servers::one_with_replica && review.replicas > 1 &&
      has_parameter(*setting.lock, "replicas")) {
    text += fmt::format("replicas = {}\n", review.replicas);
  }
  return text;
}

std::string workload_text(const Review& review, const Setting& setting) {
  std::string text = fmt::format("\n[workload]\nclients = {}\n", setting.clients);
  const bool of_a_period = !setting.later.empty();
  if (of_a_period) {
    text += fmt::format("period = \"{}\"\nattempts = {}\nretry = \"1s\"\n", to_text(*review.period), review.attempts);
  }
  if (of_a_period && setting.periods > 1) text += fmt::format("rounds = {}\n", setting.periods);
  if (takes_lease(*setting.lock) && !has_parameter(*setting.lock, "watchdog_timeout")) {
    text += fmt::format("lease = \"{}\"\n", to_text(setting.lease));
  }
  text += fmt::format("work = [\"read\", \"hold {}\", \"write\"]\n", to_text(setting.work));
  if (setting.has(Remedy::keeps_lock)) text += "release_tries = 0\n";
  for (std::size_t i = 0; i < setting.later.size(); ++i) {
    if (setting.later[i] == Duration{}) continue;
    text += fmt::format("\n[[client]]\nname = \"client-{}\"\nstart = \"{}\"\n", i + 2, to_text(setting.later[i]));
  }
  return text;
}

std::string servers_text(const Review& review, const Setting& setting) {
  const std::string_view service = harness::row_of(review.service).name;
  const bool all = setting.lock->servers == Servers::all;
  const int masters = all ? review.masters : 1;
  const int replicas = all ? 0 : review.replicas;
  std::string text = fmt::format("\n[servers]\n{} = {}\n", service, masters + replicas);
  const Persistence keeps = setting.has(Remedy::persists) ? Persistence::aof_always : review.persistence;
  std::string_view kept;
  for (const auto& [name, value] : harness::persistence_choices()) kept = value == keeps ? name : kept;
  for (int i = 1; i <= masters + replicas; ++i) {
    std::string of;
    if (i > masters) of += fmt::format("replica_of = \"{}-1\"\n", service);
    if (keeps != Persistence::none) of += fmt::format("persistence = \"{}\"\n", kept);
    if (i == 1 && setting.has(Remedy::refuses_alone))
      of += "min_replicas_to_write = 1\nmin_replicas_max_lag = \"1s\"\n";
    if (!of.empty()) text += fmt::format("\n[[server]]\nname = \"{}-{}\"\n{}", service, i, of);
  }
  if (review.down_after && !all) {
    const Duration after = setting.has(Remedy::late_failover) ? setting.lease + while_after : *review.down_after;
    text += fmt::format("\n[[sentinel]]\nmaster = \"{0}-1\"\npromotes = \"{0}-2\"\ndown_after = \"{1}\"\n", service,
                        to_text(after));
  }
  return text;
}

std::string resource_text(const Setting& setting) {
  std::string text;
  if (setting.lock->name == "fenced-token") text += "fencing = \"all\"\n";
  if (setting.has(Remedy::marker) && !setting.later.empty()) text += "marker = \"period\"\n";
  return text.empty() ? "" : "\n[resource]\n" + text;
}

}  // namespace

bool Setting::has(Remedy remedy) const { return std::ranges::find(remedies, remedy) != remedies.end(); }

bool takes_lease(const Algorithm& lock) { return !has_parameter(lock, "first"); }

std::string misfit(const Review& review, const Algorithm& lock) {
  const harness::ServiceRow& row = harness::row_of(lock.service);
  if (lock.service != review.service) return fmt::format("runs on {}", row.name);
  if (lock.servers == Servers::one_with_replica && review.replicas == 0) return "needs a replica";
  if (lock.servers == Servers::all && review.masters < of_a_majority) {
    return fmt::format("needs {} servers that do not replicate with each other, or more", of_a_majority);
  }
  return "";
}

std::string delays_of_work(const Review& review, const Setting& setting) {
  return entry("half-open", "", "") +
         (review.pause ? entry("pause", "clients", lasting(lengths_up_to(*review.pause, review, setting))) : "");
}

std::vector<Trouble> troubles(const Review& review, const Setting& setting) {
  std::vector<Trouble> all;
  add_hosts(review, setting, all);
  add_network(review, setting, all);
  add_servers(review, setting, all);
  return all;
}

std::vector<Trouble> pairs_of_troubles(const Review& review, const Setting& setting) {
  std::vector<Trouble> all;
  // What a Sentinel promotes may lag behind: no single fault shows it, and it is what replication is asked about.
  const std::vector<Duration> lengths = outages(review);
  const auto promotes =
      std::ranges::find_if(lengths, [&](Duration one) { return one > review.down_after.value_or(one); });
  if (!review.down_after || promotes == lengths.end()) return all;
  const Duration lag = Duration(setting.lease) / 2;
  all.push_back({"replication-stall and power-cut " + in_seconds(*promotes),
                 entry("replication-stall", "", lasting({lag})) + entry("power-cut", "", lasting({*promotes})), 2});
  return all;
}

std::vector<Duration> outages(const Review& review) {
  std::vector<Duration> all{briefly, review.outage};
  if (review.down_after) {
    for (const Duration one : {*review.down_after / 2, *review.down_after + while_after}) {
      if (one < review.outage) all.push_back(one);
    }
  } else if (seconds(1) < review.outage) {
    all.push_back(seconds(1));
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string scenario_of(const Review& review, const Setting& setting, const std::string& folder) {
  std::string text = fmt::format("title = {}\n", harness::in_quotes(review.title.empty() ? review.name : review.title));
  text += "\n" + algorithm_text(review, setting, folder) + workload_text(review, setting);
  text += servers_text(review, setting) + resource_text(setting);
  const Duration period = setting.later.empty() ? Duration{} : *review.period;
  const Duration horizon = std::max<Duration>(seconds(120), 4 * (setting.lease + setting.work)) + 2 * review.outage;
  text += fmt::format("\n[run]\nhorizon = \"{}\"\n", to_text(horizon + period * setting.periods)) + setting.faults;
  // Where no state of a server comes back there are too many to search with asks at every instant.
  const char* const asks = harness::row_of(setting.lock->service).counts_all ? "contention = \"as-written\"\n" : "";
  return text + fmt::format("\n[explore]\nmax_faults = {}\n{}", setting.budget.empty() ? 0 : setting.most, asks) +
         setting.budget;
}

std::string in_words(Remedy remedy) {
  switch (remedy) {
    case Remedy::persists:
      return "let the servers write each command to disk before they answer (persistence = \"aof-always\")";
    case Remedy::refuses_alone: return "let a master without its replica refuse writes (min_replicas_to_write = 1)";
    case Remedy::late_failover: return "let the Sentinel wait for longer than a lease (down_after)";
    case Remedy::keeps_lock: return "keep the lock until its lease ends (release_tries = 0)";
    case Remedy::marker: return "let the resource remember which period was done (marker = \"period\")";
  }
  return "";
}

std::vector<Remedy> remedies_for(const Review& review, Concern concern) {
  std::vector<Remedy> all;
  const harness::ServiceRow& row = harness::row_of(review.service);
  if (concern == Concern::runs_twice) all = {Remedy::keeps_lock, Remedy::marker};
  if (row.persists && review.persistence != Persistence::aof_always) all.push_back(Remedy::persists);
  if (review.replicas > 0) all.push_back(Remedy::refuses_alone);
  if (review.down_after) all.push_back(Remedy::late_failover);
  return all;
}

}  // namespace lockproof::execution
