// SPDX-License-Identifier: Apache-2.0
#include "real/trace_replay/director.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "harness/scenario/services.hpp"
#include "real/services/services.hpp"
#include "real/trace_replay/shown.hpp"

namespace lockproof::real {

using harness::Difference;
using harness::Effect;
using harness::Event;
using harness::FaultKind;
using harness::HostIndex;
using harness::What;

namespace {

/// A comparison that failed, on its way to direct().
struct ReplayDifference {
  Divergence divergence;
};

/// Commands that say when they are answered instead of being answered at once.
bool is_held_back(const Command& command) {
  const std::string_view verb = command.verb();
  return verb == "WAIT" || verb == "CLIENT";
}

}  // namespace

Director::Director(const harness::Scenario& scenario, const harness::History& predicted, const Programs& programs)
    : scenario_(scenario), predicted_(predicted), resource_(scenario.fencing) {
  const std::string program = program_of(service_of(scenario).service, programs);
  for (const harness::ServerSpec& spec : scenario.servers) {
    const bool loses_power = std::ranges::any_of(scenario.faults, [&](const harness::Fault& fault) {
      return fault.kind == FaultKind::power_cut && fault.target == spec.name;
    });
    servers_.push_back(std::make_unique<StagedServer>(spec, janitor_, loses_power, program));
  }
  for (const auto& server : servers_) server->await_ready();
  result_.servers = servers_.front()->version();
  result_.history.header = predicted.header;
  result_.history.header.world = "trace-replay";
  result_.history.header.node_stamps = "world time, as the simulator said when a server would run a command";
}

TraceReplay Director::direct() {
  try {
    refuse();
    link_all();
    for (std::size_t i = 0; i < scenario_.clients.size(); ++i) {
      clients_.push_back(std::make_unique<StagedClient>(predicted_, static_cast<HostIndex>(i), scenario_));
    }
    for (at_ = 0; at_ < predicted_.events.size(); ++at_) result_.history.events.push_back(enact(at_));
  } catch (const ReplayDifference& differs) {
    result_.divergence = differs.divergence;
  } catch (const Difference& difference) {
    const std::size_t event = difference.entry == 0 ? at_ : difference.entry - 1;
    const Event& recorded = predicted_.events.at(std::min(event, predicted_.events.size() - 1));
    result_.divergence = {
        event, fmt::format("what {} does", recorded.host == harness::no_host ? "nobody" : name(recorded.host)),
        difference.recorded, difference.came};
  } catch (const LostConnection& lost) {
    result_.divergence = {at_, "a server's answer", "one", lost.what()};
  } catch (const NotReproducible& cannot) {
    result_.outcome = TraceReplay::Outcome::not_reproducible;
    result_.reason = cannot.what();
  }
  if (result_.divergence) result_.outcome = TraceReplay::Outcome::diverged;
  return std::move(result_);
}

void Director::differ(const std::string& what, const std::string& predicted, const std::string& real) const {
  throw ReplayDifference{{at_, what, predicted, real}};
}

bool Director::is_resource(HostIndex host) const { return predicted_.host_kind(host) == harness::HostKind::resource; }

StagedServer& Director::server(HostIndex host) {
  return *servers_.at(static_cast<std::size_t>(host) - scenario_.clients.size());
}

/// Makes one event happen. Returns it as it happened on the real servers.
Event Director::enact(std::size_t index) {
  const Event& event = predicted_.events[index];
  if (harness::of_process(event.what)) {
    client(event.host).happens(index, event);
    return event;
  }
  switch (event.what) {
    case What::execute: return execute(event);
    case What::replicate: return replicate(event);
    case What::copy: copy(event); return event;
    case What::strike: return strike(event);
    case What::heal: heal(event); return event;
    default: enact_message(event); return event;
  }
}

/// Handles the events between a client and the servers.
void Director::enact_message(const Event& event) {
  switch (event.what) {
    case What::send: return client(event.host).send(event);
    case What::receive:
      compare_reply(event, client(event.host).command(event.peer, event.message).reply.value_or(Reply::nil()));
      return client(event.host).receive(event.peer, event.message);
    case What::discard:
      return compare_reply(event, client(event.host).command(event.peer, event.message).reply.value_or(Reply::nil()));
    case What::drop:
      if (event.word == "request") client(event.host).arrived(event.peer, event.message);
      return;
    case What::refused:
      if (server_refuses(event)) ++result_.replies;
      client(event.host).arrived(event.peer, event.message);
      return client(event.host).ends(event.peer, event.message, Error::not_sent);
    case What::time_out:
      if (scenario_.network.on_timeout == harness::OnTimeout::discard) {
        client(event.host).ends(event.peer, event.message, Error::no_reply);
      }
      return;
    case What::broken: return client(event.host).lose_connections(event.peer);
    case What::push: return hear_message(event);
    default: return;
  }
}

/// Whether it was tried: by now the server may be up again.
bool Director::server_refuses(const Event& event) {
  if (is_resource(event.peer) || !server(event.peer).down()) return false;
  try {
    const Wire wire(server(event.peer).port());
  } catch (const LostConnection&) {
    return true;
  }
  differ(fmt::format("the connection of {} to {}", name(event.host), name(event.peer)), "refused", "open");
}

Event Director::execute(const Event& event) {
  StagedClient::Command& command = client(event.peer).command(event.host, event.message);
  Event enacted = event;
  ++result_.commands;
  if (is_resource(event.host)) {
    command.reply = resource_.execute(Command(command.words));
  } else {
    if (is_held_back(*event.command)) {
      throw NotReproducible(fmt::format("{} is answered when other things have happened", event.command->verb()));
    }
    listen(event.at);
    server(event.host).set_clock(event.clocks.wall_ms);
    command.reply = run(event, command);
  }
  enacted.reply = command.reply;
  compare_reply(event, *command.reply);
  if (!is_resource(event.host)) {
    compare_effects(event, server(event.host).take_effects(event.clocks.wall_ms), enacted);
  }
  client(event.peer).arrived(event.host, event.message);
  return enacted;
}

Reply Director::run(const Event& event, StagedClient::Command& command) {
  StagedServer& at = server(event.host);
  StagedClient::Connection& over = *command.connection;
  try {
    if (!over.wire) over.wire = std::make_unique<Wire>(at.port());
    std::vector<Reply> messages;
    Reply reply = at.run(*over.wire, command.words, messages, event.at);
    std::ranges::move(messages, std::back_inserter(over.messages));
    return reply;
  } catch (const LostConnection& lost) {
    differ(fmt::format("{}'s reply to {}'s {}", name(event.host), name(event.peer), event.command->verb()),
           shown(*event.reply), lost.what());
  }
}

void Director::compare_reply(const Event& event, const Reply& real) {
  ++result_.replies;
  if (*event.reply == real) return;
  const bool at_server = event.what == What::execute;
  const std::string verb = at_server ? fmt::format("'s {}", event.command->verb()) : "";
  differ(fmt::format("{}'s reply to {}{}", name(at_server ? event.host : event.peer),
                     name(at_server ? event.peer : event.host), verb),
         shown(*event.reply), shown(real));
}

/// A flush does not report which keys existed. The time to live of a key cannot be queried if it was set several times
/// or is over; then the predicted one is recorded.
void Director::compare_effects(const Event& event, std::vector<Effect> real, Event& enacted) {
  std::vector<Effect> predicted = event.effects;
  std::erase_if(predicted, [](const Effect& effect) { return effect.event == "flushed"; });
  const bool same = std::ranges::equal(predicted, real, [](const Effect& one, const Effect& other) {
    return one.change == other.change && one.event == other.event && one.key == other.key &&
           (!other.ttl || one.ttl == other.ttl);
  });
  if (!same) differ(fmt::format("what became of keys at {}", name(event.host)), shown(predicted), shown(real));
  result_.effects += real.size();
  result_.leases +=
      static_cast<std::uint64_t>(std::ranges::count_if(real, [](const Effect& e) { return e.ttl.has_value(); }));
  for (std::size_t i = 0; i < real.size(); ++i) {
    if (!real[i].ttl) real[i].ttl = predicted[i].ttl;
  }
  std::erase_if(enacted.effects, [](const Effect& effect) { return effect.event != "flushed"; });
  std::ranges::move(real, std::back_inserter(enacted.effects));
}

void Director::hear_message(const Event& event) {
  const std::optional<Reply> message = client(event.host).next_message(event.peer);
  const std::string channel = message ? message->items()[1].value().bytes() : "";
  if (channel != event.word) {
    differ(fmt::format("the message that {} gets from {}", name(event.host), name(event.peer)), event.word,
           message ? channel : "none");
  }
  ++result_.messages;
  client(event.host).told(channel);
}

TraceReplay replay_trace(const harness::Scenario& scenario, const harness::History& predicted,
                         const Programs& programs) {
  if (!replays_traces(scenario)) {
    const std::string_view service = harness::row_of(scenario.algorithm->service).name;
    return {.outcome = TraceReplay::Outcome::not_reproducible,
            .reason = fmt::format("servers of {} are not driven step by step", service)};
  }
  if (scenario.shares_processes()) {
    return {.outcome = TraceReplay::Outcome::not_reproducible,
            .reason = "clients that are tasks of one process are not run again one by one"};
  }
  Director director(scenario, predicted, programs);
  return director.direct();
}

}  // namespace lockproof::real
