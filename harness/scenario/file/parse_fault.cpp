// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/parse_fault.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/scenario/services.hpp"

namespace lockproof::harness {
namespace {

/// What can be at the other end of a connection.
std::vector<std::string> peers_of(const Scenario& s) {
  std::vector<std::string> hosts = s.host_names(true, true);
  hosts.emplace_back("resource");
  return hosts;
}

/// What every client does has a before, and no other hosts that do it.
void check_act(Fields& fields, const Node& node, const Scenario& s, const When& when) {
  fields.must_be(node, "when", "client", when.actor, s.host_names(true, false));
  if (when.moment == When::Moment::before) return;
  fields.fail(node, "when",
              fmt::format("is '{}'; faults can be placed before {}, or after a command, as in \"{} after SET\"",
                          to_text(when), when.verb, when.actor));
}

void read_placement(Fields& fields, const Scenario& s, Fault& fault) {
  const Node* at = fields.find("at");
  const Node* when = fields.find("when");
  if (!at == !when) {
    fields.fail(at ? *at : fields.need("kind"), at ? "at" : "kind",
                at ? "and 'when' are both there: place a fault by one of them"
                   : "has no place: add at = \"2s\" or when = \"client-1 before DEL\"");
  }
  if (at) fault.at = fields.duration(*at, "at");
  if (!when) return;
  const std::string& text = fields.text(*when, "when");
  fault.when = when_from(text);
  if (!fault.when) {
    fields.fail(*when, "when",
                fmt::format("is '{}', which names no event; write for example \"client-1 before DEL\", "
                            "\"client-1 after GET #2 round 1\", \"redis-1 after SET of client-1\", "
                            "\"client-1 before acquire\", \"client-1 enters\" or \"client-1 exits\"",
                            text));
  }
  if (is_act(fault.when->verb)) check_act(fields, *when, s, *fault.when);
  const bool server = fault.when->moment == When::Moment::before || fault.when->moment == When::Moment::after;
  fields.must_be(*when, "when", "host", fault.when->actor, server ? peers_of(s) : s.host_names(true, false));
  if (!fault.when->client.empty()) {
    fields.must_be(*when, "when", "client", fault.when->client, s.host_names(true, false));
  }
  fields.read("after", fault.delay);
}

/// What each kind of fault needs to know besides its place.
void read_fault_settings(Fields& fields, const Scenario& s, Fault& fault) {
  const auto lasts = [&] { fault.lasts = fields.duration(fields.need("for"), "for"); };
  const auto reply = [&](std::string_view key) {
    constexpr std::pair<std::string_view, bool> legs[] = {{"request", false}, {"reply", true}};
    fields.read(key, fault.reply, Choices<bool>(legs));
  };
  const auto by = [&](bool sign) {
    const Node& node = fields.need("by");
    fault.by = fields.duration(node, "by", sign);
    if (sign && fault.by % milliseconds(1) != Duration{}) fields.fail(node, "by", "must be whole milliseconds");
    if (fault.by == Duration{}) fields.fail(node, "by", "must not be nothing");
  };
  const auto peer = [&](std::string_view key, const Node& node, const std::string& what,
                        const std::vector<std::string>& hosts) {
    fault.peer = fields.text(node, key);
    fields.must_be(node, key, what, fault.peer, hosts);
  };
  switch (fault.kind) {
    case FaultKind::pause:
    case FaultKind::suspend:
    case FaultKind::replication_stall:
    case FaultKind::restart:
    case FaultKind::power_cut:
    case FaultKind::resend: return lasts();
    case FaultKind::delay: reply("late"); return by(false);
    case FaultKind::drop: return reply("lose");
    case FaultKind::clock_jump: return by(true);
    case FaultKind::break_connection: {
      std::vector<std::string> hosts = s.host_names(false, true);
      hosts.emplace_back("resource");
      return peer("peer", fields.need("peer"), "server", hosts);
    }
    case FaultKind::partition:
      fields.read("way", fault.way, way_choices());
      if (const Node* node = fields.find("peer")) peer("peer", *node, "host", peers_of(s));
      return lasts();
    case FaultKind::clock_rate: {
      const Node& rate = fields.need("rate");
      const auto ppb = rate_ppb_from(fields.text(rate, "rate"));
      if (!ppb) fields.fail(rate, "rate", "is no rate: write how much faster or slower, as in \"+1%\" or \"-0.5%\"");
      if (*ppb == 0) fields.fail(rate, "rate", "is 0 %, the rate that clocks have without a fault");
      fault.rate_ppb = *ppb;
      fields.read("for", fault.lasts);
      return;
    }
    case FaultKind::failover: {
      constexpr std::pair<std::string_view, bool> old[] = {{"dead", false}, {"serves", true}};
      fields.read("old", fault.old_serves, Choices<bool>(old));
      peer("to", fields.need("to"), "server", s.host_names(false, true));
      const auto promoted = std::ranges::find(s.servers, fault.peer, &ServerSpec::name);
      const bool may_come_to_be = !promoted->replica_of.empty() && s.replicate_together(fault.target, fault.peer);
      if (promoted->replica_of != fault.target && !may_come_to_be) {
        fields.fail(fields.need("to"), "to",
                    fmt::format("names '{}', which is no replica of {}", fault.peer, fault.target));
      }
      if (const Node* told = fields.find("told")) fault.to_clients = read_clients_told(fields, *told, s);
      return;
    }
    case FaultKind::crash:
    case FaultKind::kill_task:
    case FaultKind::evict:
    case FaultKind::flush:
    case FaultKind::script_flush: return;
    case FaultKind::client_pause: {
      constexpr std::pair<std::string_view, bool> modes[] = {{"write", false}, {"all", true}};
      fields.read("mode", fault.reads_too, Choices<bool>(modes));
      return lasts();
    }
  }
}

/// A fault of a message comes before the message has passed: a client's own command is about to leave; at a server it
/// is the reply only that is still to come; after a client has its reply nothing is.
void check_message_is_there(Fields& fields, const Fault& fault) {
  const bool of_client = fault.when->actor == fault.target;
  const bool before = fault.when->moment == When::Moment::before;
  const bool reply = fault.reply && fault.kind != FaultKind::resend;
  if (of_client ? before : reply) return;
  const std::string own = fmt::format("{} before {}", fault.target, fault.when->verb);
  const char* why = of_client                         ? "its reply has come"
                    : fault.kind == FaultKind::resend ? "a driver sends again only what it is about to send"
                                                      : "the command has arrived there";
  const std::string other =
      of_client || fault.kind == FaultKind::resend
          ? ""
          : fmt::format(", or take its reply with {} = \"reply\"", fault.kind == FaultKind::drop ? "lose" : "late");
  fields.fail(fields.need("when"), "when",
              fmt::format("comes too late for a {}: {}; write \"{}\"{}", name(fault.kind), why, own, other));
}

}  // namespace

std::vector<std::string> read_clients_told(Fields& fields, const Node& told, const Scenario& s) {
  std::vector<std::string> clients;
  for (const Node& name : fields.list(told, "told")) {
    fields.must_be(name, "told", "client", fields.text(name, "told"), s.host_names(true, false));
    clients.push_back(fields.text(name, "told"));
  }
  return clients;
}

bool strikes_clients_only(FaultKind kind) {
  return kind == FaultKind::crash || kind == FaultKind::kill_task || kind == FaultKind::drop ||
         kind == FaultKind::delay || kind == FaultKind::resend || kind == FaultKind::break_connection;
}
bool strikes_servers_only(FaultKind kind) {
  return kind == FaultKind::restart || kind == FaultKind::power_cut || kind == FaultKind::failover ||
         kind == FaultKind::replication_stall || kind == FaultKind::evict || kind == FaultKind::flush ||
         kind == FaultKind::script_flush || kind == FaultKind::client_pause;
}

FaultKind known_kind(Fields& fields) { return fields.choice(fields.need("kind"), "kind", fault_kinds()); }

FaultKind read_kind(Fields& fields, const Scenario& s) {
  const Node& node = fields.need("kind");
  const FaultKind kind = known_kind(fields);
  const ServiceRow& service = row_of(s.algorithm->service);
  if (can_have(service, kind)) return kind;
  std::vector<std::string_view> others;
  for (const auto& [word, other] : fault_kinds()) {
    if (can_have(service, other)) others.push_back(word);
  }
  fields.fail(node, "kind",
              fmt::format("is '{}', which cannot happen to {}; what can: {}", name(kind), service.name,
                          fmt::join(others, ", ")));
}

Fault read_fault(Fields fields, const Scenario& s) {
  Fault fault;
  fault.line = fields.line();
  fault.kind = read_kind(fields, s);
  const Node& target = fields.need("target");
  fault.target = fields.text(target, "target");
  const bool clients = !strikes_servers_only(fault.kind), servers = !strikes_clients_only(fault.kind);
  fields.must_be(target, "target",
                 !servers   ? "client"
                 : !clients ? "server"
                            : "host",
                 fault.target, s.host_names(clients, servers));
  read_placement(fields, s, fault);
  read_fault_settings(fields, s, fault);
  const bool of_message =
      fault.kind == FaultKind::drop || fault.kind == FaultKind::delay || fault.kind == FaultKind::resend;
  if (of_message &&
      (!fault.when || fault.when->verb.empty() || fault.when->verb == "enter" || fault.when->verb == "exit")) {
    fields.fail(target, "target", "which message? Place the fault with when = \"client-1 before EXPIRE\"");
  }
  if (of_message && fault.when->actor != fault.target && fault.when->client != fault.target) {
    fields.fail(target, "target", "is not whose message 'when' names");
  }
  if (of_message) check_message_is_there(fields, fault);
  if (of_message && fault.delay != Duration{}) {
    fields.fail(fields.need("after"), "after", "makes no sense here: the fault lies on the message itself");
  }
  fields.done();
  return fault;
}

}  // namespace lockproof::harness
