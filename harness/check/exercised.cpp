// SPDX-License-Identifier: Apache-2.0
// Exercised: a run in which no client acquired the lock, in which no other client wanted it meanwhile, or whose faults
// and steps did not happen has shown nothing, whatever the other properties say. A fault that strikes a client which
// has finished, or a server when all of them have, did not happen. The kind `shut-out`: in a round of some number no
// client got the lock.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/check/lost_rounds.hpp"
#include "harness/check/properties.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::What;

/// Whether a client asked while another was asking or inside.
bool contended(const harness::History& history) {
  std::map<std::string, std::set<harness::HostIndex>> by_lock;
  for (const Event& event : history.events) {
    std::set<harness::HostIndex>& interested = by_lock[event.lock];
    switch (event.what) {
      case What::busy: return true;
      case What::attempt:
        interested.insert(event.host);
        if (interested.size() > 1) return true;
        break;
      case What::failed:
      case What::exit: interested.erase(event.host); break;
      default: break;
    }
  }
  return false;
}

/// Whether the lock is that of the client's rounds, and none that it takes in its work.
bool is_of_round(const Event& event, const harness::Scenario& scenario) {
  const harness::ClientSpec& client = scenario.clients.at(static_cast<std::size_t>(event.host));
  return (event.lock.empty() ? scenario.lock : event.lock) == scenario.lock_of(client);
}

/// With periods, a client that gives up comes again for the next one.
bool ends_client(const Event& event, const harness::Scenario& scenario) {
  if (event.what == What::gave_up && scenario.period) {
    return event.round >= scenario.clients.at(static_cast<std::size_t>(event.host)).plan.rounds;
  }
  const bool dies = event.what == What::strike && event.word == "crash";
  return dies || event.what == What::finished || (event.what == What::gave_up && is_of_round(event, scenario));
}

bool is_client(const harness::History& history, const std::string& name) {
  const harness::HostIndex host = history.host_named(name);
  return host != harness::no_host && history.host_kind(host) == harness::HostKind::client;
}

/// The commands that the host of an event that never came has sent or run: "it sent SET, compare-and-delete".
std::string what_did(const harness::History& history, const harness::EventPlace& when) {
  const harness::HostIndex host = history.host_named(when.actor);
  const bool sends = is_client(history, when.actor);
  std::vector<std::string> verbs;
  for (const Event& event : history.events) {
    if (event.host != host || event.what != (sends ? What::send : What::execute) || !event.command) continue;
    std::string verb(event.command->verb());
    if (std::ranges::find(verbs, verb) == verbs.end()) verbs.push_back(std::move(verb));
  }
  if (verbs.empty()) return fmt::format("it {} nothing", sends ? "sent" : "ran");
  return fmt::format("it {} {}", sends ? "sent" : "ran", fmt::join(verbs, ", "));
}

/// Which rounds never got the lock. Violated: no client got it in one that some client began, though nobody had it and
/// every client lived. A run that breaks deadlock-freedom has said so.
Finding shut_out(const harness::History& history, const harness::Scenario& scenario) {
  Rounds rounds = rounds_of(history);
  if (scenario.period) {  // who comes second finds the work done
    std::erase_if(rounds.lost, [&](const LostRound& round) { return rounds.given.contains(round.number); });
  }
  Finding got_in;
  if (!rounds.lost.empty()) {
    std::vector<std::string> names;
    for (const harness::ClientSpec& client : scenario.clients) names.push_back(client.name);
    got_in.what = "these rounds never got the lock: " + rounds_text(rounds.lost, names);
  }
  if (rounds.client_ended) return got_in;
  if (scenario.progress && deadlock_freedom(history, scenario).verdict == Verdict::violated) return got_in;
  std::set<int> excused = rounds.given;
  for (const LostRound& round : rounds.lost) {
    if (round.while_held) excused.insert(round.number);
  }
  for (const LostRound& round : rounds.lost) {
    if (excused.contains(round.number)) continue;
    return {"",
            Verdict::violated,
            "shut-out",
            fmt::format("no client got the lock in its round {}, though no client had it", round.number),
            {}};
  }
  return got_in;
}

}  // namespace

Finding exercised(const harness::History& history, const harness::Scenario& scenario) {
  const auto vacuous = [](const std::string& what) { return Finding{"", Verdict::violated, "", what, {}}; };
  bool acquired = false;
  std::set<int> struck, too_late;
  std::set<harness::HostIndex> over;
  const auto clients = std::ranges::count(history.header.hosts, harness::HostKind::client, &harness::Host::kind);
  for (const Event& event : history.events) {
    acquired |= event.what == What::enter;
    if (event.what == What::strike) {
      const bool in_time = !over.contains(event.host) && std::ssize(over) < clients;
      (in_time ? struck : too_late).insert(event.fault);
    }
    if (ends_client(event, scenario)) over.insert(event.host);
    if (event.what == What::unmet)
      return vacuous(fmt::format("a [[step]] of the scenario never happened: {}", event.word));
  }
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    if (struck.contains(static_cast<int>(i) + 1)) continue;
    const harness::Fault& fault = scenario.faults[i];
    if (too_late.contains(static_cast<int>(i) + 1)) {
      return vacuous(fmt::format("the {} of {} (line {}) struck too late: {} finished by then",
                                 harness::name(fault.kind), fault.target, fault.line,
                                 is_client(history, fault.target) ? "it had" : "all clients had"));
    }
    std::string why = fault.at ? harness::to_text(*fault.at) : harness::to_text(*fault.when);
    why += " did not happen";
    if (fault.kind == harness::FaultKind::resend) {
      why += fmt::format(", or the call had ended before {} had passed", harness::to_text(fault.lasts));
    }
    if (fault.kind == harness::FaultKind::retry) why += ", or its call did not time out";
    if (fault.when && !fault.when->verb.empty()) why += "; " + what_did(history, *fault.when);
    return vacuous(fmt::format("the {} of {} (line {}) never struck: {}", harness::name(fault.kind), fault.target,
                               fault.line, why));
  }
  if (!acquired) return vacuous("no client ever acquired the lock");
  if (!contended(history)) return vacuous("no two clients ever wanted the lock at once");
  return shut_out(history, scenario);
}

}  // namespace lockproof::check
