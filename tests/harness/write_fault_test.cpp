// SPDX-License-Identifier: Apache-2.0
// Every kind of fault, written and read again, with each of its settings changed by itself.
#include <functional>
#include <set>
#include <utility>

#include "harness/scenario/file/write.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::harness::write_fault_test {
namespace {

const char* const servers = R"(
[workload]
clients = 3
[servers]
redis = 4
[[server]]
name = "redis-2"
replica_of = "redis-1"
[[server]]
name = "redis-3"
replica_of = "redis-1"
)";

bool of_message(FaultKind kind) {
  return kind == FaultKind::half_open || kind == FaultKind::delay || kind == FaultKind::resend ||
         kind == FaultKind::retry;
}

/// One of each kind, with what it needs and nothing more.
Fault least(FaultKind kind) {
  Fault f{.kind = kind};
  switch (kind) {
    case FaultKind::restart:
    case FaultKind::power_cut:
    case FaultKind::failover:
    case FaultKind::evict:
    case FaultKind::flush:
    case FaultKind::script_flush:
    case FaultKind::client_pause: f.target = "redis-1"; break;
    case FaultKind::replication_stall: f.target = "redis-2"; break;
    default: f.target = "client-1";
  }
  f.when = EventPlace{.actor = "client-1", .verb = "SET", .client = ""};
  if (kind == FaultKind::failover) f.peer = "redis-2";
  if (kind == FaultKind::break_connection) f.peer = "redis-1";
  if (kind == FaultKind::clock_jump || kind == FaultKind::delay) f.by = milliseconds(1);
  if (kind == FaultKind::retry) f.reply = true;
  if (kind == FaultKind::clock_rate) f.rate_ppb = 1'000;
  return f;
}

/// What comes back of it; the line is where it stood.
std::optional<Fault> again(const Fault& fault, std::string& text) {
  Scenario s = tests::scenario(servers, "redlock");
  s.faults.push_back(fault);
  text = to_toml(s);
  try {
    const Scenario read = parse_scenario("written.toml", text);
    EXPECT_EQ(to_toml(read), text);
    Fault f = read.faults.at(0);
    f.line = fault.line;
    return f;
  } catch (const InputError& e) {
    ADD_FAILURE() << e.what() << "\n" << text;
    return std::nullopt;
  }
}

/// A field that is new does not compile here. Add it, change it below, and let write.cpp write it.
[[maybe_unused]] void every_field(const Fault& f, const EventPlace& w) {
  [[maybe_unused]] const auto& [kind, target, at, when, delay, lasts, at_least, until, longer, by, reply, peer, way,
                                rate_ppb, same_connection, session, reads_too, old_serves, to_clients, line] =
      f;  // at_least: of budgets
  [[maybe_unused]] const auto& [actor, moment, verb, state, client, server, occurrence, round] =
      w;  // until, longer, state: of programs
}

struct Change {
  const char* field;
  std::function<bool(FaultKind)> of;
  std::function<void(Fault&)> make;
};
std::function<bool(FaultKind)> any(std::set<FaultKind> kinds) {
  return [kinds = std::move(kinds)](FaultKind kind) { return kinds.contains(kind); };
}
bool all(FaultKind) { return true; }
bool not_of_message(FaultKind kind) { return !of_message(kind); }

std::vector<Change> changes_of_place() {
  return {
      {"at", not_of_message, [](Fault& f) { f.when.reset(), f.at = Duration(1500); }},
      {"at the start", not_of_message, [](Fault& f) { f.when.reset(), f.at = Duration{}; }},
      {"after", not_of_message, [](Fault& f) { f.delay = Duration(1); }},
      {"moment", not_of_message, [](Fault& f) { f.when->moment = EventPlace::Moment::after; }},
      {"enters", not_of_message, [](Fault& f) { f.when->moment = EventPlace::Moment::enters, f.when->verb.clear(); }},
      {"exits", not_of_message, [](Fault& f) { f.when->moment = EventPlace::Moment::exits, f.when->verb.clear(); }},
      {"verb", all, [](Fault& f) { f.when->verb = "compare-and-delete"; }},
      {"actor", not_of_message, [](Fault& f) { f.when->actor = "client-2"; }},
      {"at a server", not_of_message, [](Fault& f) { f.when->actor = "redis-1"; }},
      {"at the resource", not_of_message, [](Fault& f) { f.when->actor = "resource", f.when->verb = "WRITE"; }},
      {"of a client", not_of_message, [](Fault& f) { f.when->actor = "redis-1", f.when->client = "client-1"; }},
      {"of a reply, at a server",
       [](FaultKind kind) { return kind == FaultKind::half_open || kind == FaultKind::delay; },
       [](Fault& f) {
         f.reply = true;
         f.when->actor = "redis-1", f.when->client = "client-1", f.when->moment = EventPlace::Moment::after;
       }},
      {"to a server", all, [](Fault& f) { f.when->server = "redis-2"; }},
      {"occurrence", all, [](Fault& f) { f.when->occurrence = 2; }},
      {"round", all, [](Fault& f) { f.when->round = 3; }},
  };
}

std::vector<Change> changes_of_settings() {
  using enum FaultKind;
  const auto with_for =
      any({pause, replication_stall, restart, power_cut, resend, partition, clock_rate, client_pause});
  return {
      {"target client", any({pause, crash, kill_task, break_connection, partition, clock_jump, clock_rate}),
       [](Fault& f) { f.target = "client-2"; }},
      {"target server",
       any({pause, partition, clock_jump, clock_rate, restart, power_cut, evict, flush, script_flush, client_pause}),
       [](Fault& f) { f.target = "redis-4"; }},
      {"target replica", any({replication_stall}), [](Fault& f) { f.target = "redis-3"; }},
      {"mode", any({client_pause}), [](Fault& f) { f.reads_too = true; }},
      {"for", with_for, [](Fault& f) { f.lasts = Duration(10'001'000); }},
      {"by", any({delay, clock_jump}), [](Fault& f) { f.by = milliseconds(250); }},
      {"by, back", any({clock_jump}), [](Fault& f) { f.by = milliseconds(-250); }},
      {"reply", any({half_open, delay}), [](Fault& f) { f.reply = true; }},
      {"nothing lost", any({retry}), [](Fault& f) { f.reply = false; }},
      {"connection", any({retry}), [](Fault& f) { f.same_connection = true; }},
      {"peer", any({partition, break_connection, failover}), [](Fault& f) { f.peer = "redis-3"; }},
      {"peer client", any({partition}), [](Fault& f) { f.peer = "client-2"; }},
      {"peer resource", any({partition, break_connection}), [](Fault& f) { f.peer = "resource"; }},
      {"to peer", any({partition}), [](Fault& f) { f.direction = Fault::Direction::to_peer; }},
      {"from peer", any({partition}), [](Fault& f) { f.direction = Fault::Direction::from_peer; }},
      {"rate", any({clock_rate}), [](Fault& f) { f.rate_ppb = 10'000'000; }},
      {"rate, slow", any({clock_rate}), [](Fault& f) { f.rate_ppb = -5'000'000; }},
      {"rate, a billionth", any({clock_rate}), [](Fault& f) { f.rate_ppb = 1; }},
      {"rate, stopped", any({clock_rate}), [](Fault& f) { f.rate_ppb = -1'000'000'000; }},
      {"old", any({failover}), [](Fault& f) { f.old_serves = true; }},
      {"notified", any({failover}), [](Fault& f) { f.to_clients = {"client-3"}; }},
      {"notified in order", any({failover}),
       [](Fault& f) {
         f.to_clients = {"client-2", "client-1"};
       }},
  };
}

TEST(WriteFault, EverySettingOfEveryKindIsKept) {
  std::vector<Change> changes = changes_of_place();
  for (Change& change : changes_of_settings()) changes.push_back(std::move(change));
  std::string text, changed_text;
  for (const auto& [word, kind] : fault_kinds()) {
    if (!can_have(row_of(Service::redis), kind)) continue;
    SCOPED_TRACE(word);
    const Fault fault = least(kind);
    EXPECT_EQ(again(fault, text), fault) << text;
    for (const Change& change : changes) {
      if (!change.of(kind)) continue;
      SCOPED_TRACE(change.field);
      Fault changed = fault;
      change.make(changed);
      EXPECT_FALSE(changed == fault);
      EXPECT_EQ(again(changed, changed_text), changed) << changed_text;
      EXPECT_NE(changed_text, text);
    }
  }
}

TEST(WriteFault, SettingsOfAKindAreKeptTogether) {
  std::string text;
  for (const auto& [word, kind] : fault_kinds()) {
    if (!can_have(row_of(Service::redis), kind)) continue;
    Fault fault = least(kind);
    for (const Change& change : changes_of_settings()) {
      if (change.of(kind)) change.make(fault);
    }
    EXPECT_EQ(again(fault, text), fault) << text;
  }
}

/// The kind that Redis cannot have.
TEST(WriteFault, AnotherConnectionOfAPoolIsWritten) {
  Scenario s = tests::scenario("", "postgres-advisory");
  Fault fault;
  fault.kind = FaultKind::pool_switch;
  fault.target = "client-1";
  fault.peer = "postgres-1";
  fault.when = EventPlace{.actor = "client-1", .verb = "unlock-advisory", .client = ""};
  s.faults.push_back(fault);
  for (const char* const session : {"", "client-2"}) {
    s.faults.front().session = fault.session = session;
    Fault read = parse_scenario("written.toml", to_toml(s)).faults.at(0);
    read.line = fault.line;
    EXPECT_EQ(read, fault);
  }
}

}  // namespace
}  // namespace lockproof::harness::write_fault_test
