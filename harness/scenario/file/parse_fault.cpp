// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/parse_fault.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/scenario/fault_table.hpp"
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
void check_act(Fields& fields, const Node& node, const Scenario& s, const EventPlace& when) {
  fields.must_be(node, "when", "client", when.actor, s.host_names(true, false));
  if (when.moment == EventPlace::Moment::before) return;
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
  const auto* word = at ? std::get_if<std::string>(&at->value) : nullptr;
  if (word && when_from(*word)) {
    fields.fail(*at, "at", fmt::format("is an event, and not an instant: write when = \"{}\"", *word));
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
  const bool server =
      fault.when->moment == EventPlace::Moment::before || fault.when->moment == EventPlace::Moment::after;
  fields.must_be(*when, "when", "host", fault.when->actor, server ? peers_of(s) : s.host_names(true, false));
  if (!fault.when->client.empty()) {
    fields.must_be(*when, "when", "client", fault.when->client, s.host_names(true, false));
  }
  if (!fault.when->server.empty()) {
    fields.must_be(*when, "when", "client", fault.when->actor, s.host_names(true, false));
    std::vector<std::string> servers = s.host_names(false, true);
    servers.emplace_back("resource");
    fields.must_be(*when, "when", "server", fault.when->server, servers);
  }
  if (fault.when->state != EventPlace::LockState::any) {
    fields.must_be(*when, "when", "client", fault.when->actor, s.host_names(true, false));
  }
  if (fault.when->moment == EventPlace::Moment::touches && !s.program) {
    fields.fail(*when, "when", fmt::format("is '{}'; only a program of its own is told to touch the resource", text));
  }
  check_round(fields, *when, s, "when", fault.when->round);
  fields.read("after", fault.delay);
}

/// The event that ends a fault before its time is over.
void read_until(Fields& fields, const Scenario& s, Fault& fault) {
  const Node* until = fields.find("until");
  if (!until) return;
  const std::string& text = fields.text(*until, "until");
  fault.until = when_from(text);
  if (!fault.until) fields.fail(*until, "until", fmt::format("is '{}', which names no event", text));
  fields.must_be(*until, "until", "client", fault.until->actor, s.host_names(true, false));
  const std::string& verb = fault.until->verb;
  if (verb == "acquire" || verb == "release" || verb == "renew") {
    fields.fail(*until, "until", fmt::format("is '{}'; name the command with which that begins", text));
  }
  if (fault.kind != FaultKind::pause && fault.kind != FaultKind::delay && fault.kind != FaultKind::partition) {
    fields.fail(*until, "until", fmt::format("ends a pause, a delay or a partition, not a {}", name(fault.kind)));
  }
  fields.read("longer", fault.longer);
}

/// One key of a fault besides its place.
class SettingReader {
 public:
  SettingReader(Fields& fields, const Scenario& scenario, Fault& fault)
      : fields_(fields), scenario_(scenario), fault_(fault) {}

  void read(Setting setting) {
    switch (setting) {
      case Setting::none: return;
      case Setting::lasts: fault_.lasts = fields_.duration(fields_.need("for"), "for"); return;
      case Setting::may_last: return fields_.read("for", fault_.lasts);
      case Setting::by: return by(false);
      case Setting::jump: return by(true);
      case Setting::lose: return leg("lose");
      case Setting::late: return leg("late");
      case Setting::cause: return cause();
      case Setting::connection: {
        constexpr std::pair<std::string_view, bool> choices[] = {{"new", false}, {"same", true}};
        return fields_.read("connection", fault_.same_connection, Choices<bool>(choices));
      }
      case Setting::session: return session();
      case Setting::end: return end();
      case Setting::peer:
        if (const Node* node = fields_.find("peer")) peer("peer", *node, "host", peers_of(scenario_));
        return;
      case Setting::direction: return fields_.read("direction", fault_.direction, direction_choices());
      case Setting::rate: return rate();
      case Setting::promoted: return promoted();
      case Setting::old: {
        constexpr std::pair<std::string_view, bool> choices[] = {{"dead", false}, {"serves", true}};
        return fields_.read("old", fault_.old_serves, Choices<bool>(choices));
      }
      case Setting::notified:
        if (const Node* node = fields_.find("notified"))
          fault_.to_clients = read_notified_clients(fields_, *node, scenario_);
        return;
      case Setting::mode: {
        constexpr std::pair<std::string_view, bool> choices[] = {{"write", false}, {"all", true}};
        return fields_.read("mode", fault_.reads_too, Choices<bool>(choices));
      }
    }
  }

 private:
  void by(bool sign) {
    const Node& node = fields_.need("by");
    fault_.by = fields_.duration(node, "by", sign);
    if (sign && fault_.by % milliseconds(1) != Duration{}) fields_.fail(node, "by", "must be whole milliseconds");
    if (fault_.by == Duration{}) fields_.fail(node, "by", "must not be nothing");
  }

  void leg(std::string_view key) {
    constexpr std::pair<std::string_view, bool> legs[] = {{"request", false}, {"reply", true}};
    fields_.read(key, fault_.reply, Choices<bool>(legs));
  }

  void cause() {
    constexpr std::pair<std::string_view, bool> choices[] = {{"nothing", false}, {"reply", true}};
    fault_.reply = true;
    fields_.read("lose", fault_.reply, Choices<bool>(choices));
  }

  void session() {
    const Node* node = fields_.find("session");
    if (!node) return;
    const std::string& word = fields_.text(*node, "session");
    std::vector<std::string> choices{"new"};
    for (const ClientSpec& client : scenario_.clients) {
      if (client.name != fault_.target) choices.push_back(client.name);
    }
    fields_.must_be(*node, "session", "session", word, choices);
    if (word != "new") fault_.session = word;
  }

  void peer(std::string_view key, const Node& node, const std::string& what, const std::vector<std::string>& hosts) {
    fault_.peer = fields_.text(node, key);
    fields_.must_be(node, key, what, fault_.peer, hosts);
  }

  void end() {
    std::vector<std::string> hosts = scenario_.host_names(false, true);
    hosts.emplace_back("resource");
    peer("peer", fields_.need("peer"), "server", hosts);
  }

  void rate() {
    const Node& rate = fields_.need("rate");
    const auto ppb = rate_ppb_from(fields_.text(rate, "rate"));
    if (!ppb) fields_.fail(rate, "rate", "is no rate: write how much faster or slower, as in \"+1%\" or \"-0.5%\"");
    if (*ppb == 0) fields_.fail(rate, "rate", "is 0 %, the rate that clocks have without a fault");
    fault_.rate_ppb = *ppb;
  }

  void promoted() {
    peer("to", fields_.need("to"), "server", scenario_.host_names(false, true));
    const auto server = std::ranges::find(scenario_.servers, fault_.peer, &ServerSpec::name);
    const bool may_come_to_be = !server->replica_of.empty() && scenario_.replicate_together(fault_.target, fault_.peer);
    if (server->replica_of == fault_.target || may_come_to_be) return;
    fields_.fail(fields_.need("to"), "to",
                 fmt::format("names '{}', which is no replica of {}", fault_.peer, fault_.target));
  }

  Fields& fields_;
  const Scenario& scenario_;
  Fault& fault_;
};

/// A fault of a message comes before the message has passed: a client's own command is about to leave; at a server it
/// is the reply only that is still to come; after a client has its reply nothing is.
void check_message_is_there(Fields& fields, const Fault& fault) {
  const bool of_client = fault.when->actor == fault.target;
  const bool before = fault.when->moment == EventPlace::Moment::before;
  const bool again = fault.kind == FaultKind::resend || fault.kind == FaultKind::retry;
  const bool reply = fault.reply && !again;
  if (of_client ? before : reply) return;
  const std::string own = fmt::format("{} before {}", fault.target, fault.when->verb);
  const char* why = of_client ? "its reply has come"
                    : again   ? "a driver sends again only what it is about to send"
                              : "the command has arrived there";
  const std::string other = of_client || again ? ""
                                               : fmt::format(", or take its reply with {} = \"reply\"",
                                                             fault.kind == FaultKind::half_open ? "lose" : "late");
  fields.fail(fields.need("when"), "when",
              fmt::format("comes too late for '{}': {}; write \"{}\"{}", name(fault.kind), why, own, other));
}

}  // namespace

std::vector<std::string> read_notified_clients(Fields& fields, const Node& notified, const Scenario& s) {
  std::vector<std::string> clients;
  for (const Node& name : fields.list(notified, "notified")) {
    fields.must_be(name, "notified", "client", fields.text(name, "notified"), s.host_names(true, false));
    clients.push_back(fields.text(name, "notified"));
  }
  return clients;
}

void check_round(Fields& fields, const Node& node, const Scenario& s, std::string_view key, int round) {
  if (round > 0 || s.program) return;
  fields.fail(node, key, "names round 0, in which only a program of its own does anything; the first round is round 1");
}

FaultKind known_kind(Fields& fields) { return fields.choice(fields.need("kind"), "kind", fault_kinds()); }

FaultKind read_kind(Fields& fields, const Scenario& s) {
  const Node& node = fields.need("kind");
  const FaultKind kind = known_kind(fields);
  if (can_have(s, kind)) return kind;
  std::vector<std::string_view> others;
  for (const auto& [word, other] : fault_kinds()) {
    if (can_have(s, other)) others.push_back(word);
  }
  const ServiceRow& service = row_of(s.algorithm->service);
  fields.fail(
      node, "kind",
      fmt::format("is '{}', which cannot happen to {}; what can: {}", name(kind),
                  can_have(service, kind) ? "a program, which has no task and no library of lockproof's" : service.name,
                  fmt::join(others, ", ")));
}

Fault read_fault(Fields fields, const Scenario& s) {
  Fault fault;
  fault.line = fields.line();
  fault.kind = read_kind(fields, s);
  const Node& target = fields.need("target");
  fault.target = fields.text(target, "target");
  const FaultRow& row = row_of(fault.kind);
  const bool clients = strikes_clients(row), servers = strikes_servers(row);
  fields.must_be(target, "target",
                 !servers   ? "client"
                 : !clients ? "server"
                            : "host",
                 fault.target, s.host_names(clients, servers));
  const bool no_replica =
      row.targets == FaultRow::Targets::replicas && !s.ensemble && !row_of(s.algorithm->service).replicates;
  if (no_replica) fields.fail(target, "target", "is a server that stands alone, and applies what it has run itself");
  read_placement(fields, s, fault);
  SettingReader reader(fields, s, fault);
  for (const Setting setting : row.settings) reader.read(setting);
  read_until(fields, s, fault);
  const bool of_message = row.of_message;
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
