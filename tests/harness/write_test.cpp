// SPDX-License-Identifier: Apache-2.0
// A scenario that is written and read again is the same scenario: every field of it, each by itself.
#include "harness/scenario/file/write.hpp"

#include <functional>
#include <utility>

#include "harness/scenario/names.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::harness::write_test {
namespace {

/// What a scenario says, without where it stood. A counterexample has no use for the bounds of a search.
Scenario meaning(Scenario s) {
  s.file.clear();
  s.called.clear();
  s.text.clear();
  s.name.clear();
  s.explore.reset();
  for (Fault& fault : s.faults) fault.line = 0;
  for (Step& step : s.steps) step.line = 0;
  return s;
}

void expect_same_again(const Scenario& s, const std::string& of_what) {
  SCOPED_TRACE(of_what);
  const std::string text = to_toml(s);
  try {
    const Scenario read = parse_scenario("written.toml", text);
    EXPECT_TRUE(meaning(read) == meaning(s)) << text;
    EXPECT_EQ(to_toml(read), text);
  } catch (const InputError& e) {
    ADD_FAILURE() << e.what() << "\n" << text;
  }
}

/// As a person writes it, nothing left at its default.
const char* const whole = R"(title = "Everything at once"
source = "nowhere"
lock = "orders:7"

[algorithm]
name = "redlock"
node_timeout = "80ms"

[workload]
clients = 3
rounds = 2
start = "1s"
lease = "10s"
acquire_timeout = "30s"
attempts = 5
retry = "150ms"
think_time = "3s"
stop_on = "deadline"
work = ["read", "hold 2s", "write"]
on_error = "give-up"

[[client]]
name = "client-2"
start = "2s"
clock = "-250ms"

[[client]]
name = "client-3"
acquire_timeout = "60s"
work = ["hold 1500us"]

[servers]
redis = 3

[[server]]
name = "redis-1"
clock = "+2s"
persistence = "aof-everysec"
unsynced = "2s"
min_replicas_to_write = 1
min_replicas_max_lag = "3s"

[[server]]
name = "redis-2"
replica_of = "redis-1"

[[server]]
name = "redis-3"
replica_of = "redis-1"

[[sentinel]]
master = "redis-1"
promotes = "redis-2"
down_after = "4s"
demotes_after = "2s"
count = 3
quorum = 3
notified = ["client-1"]

[network]
latency = ["1ms", "5ms"]
replication = "2ms"
timeout = "3s"
on_timeout = "discard"

[resource]
fencing = "writes"

[[fault]]
kind = "pause"
target = "client-1"
when = "client-1 before SET #2 round 2"
after = "1ms"
for = "10s"

[[fault]]
kind = "failover"
target = "redis-1"
at = "4s"
to = "redis-3"
old = "serves"
notified = ["client-1", "client-3"]

[[step]]
event = "client-1 -> redis-1 SET #2 round 2"
takes = "2ms"

[[step]]
event = "fault #2"

[judge]
takeover = "12s"
progress = "5s"
notice = "1500ms"

[run]
horizon = "90s"
grid = "2ms"
seed = 7

[real]
speedup = 8

[expect]
explore = "holds"

[expect.run]
mutual-exclusion = "double-grant"
owner-release = "violated"

[expect.real]
)";

TEST(Write, IsWhatAPersonWouldHaveWritten) { EXPECT_EQ(to_toml(parse_scenario("whole.toml", whole)), whole); }

TEST(Write, LeavesOutWhatIsAsEver) {
  EXPECT_EQ(to_toml(tests::scenario("")), "[algorithm]\nname = \"set-px-token\"\n");
}

TEST(Write, EveryScenarioOfTheCatalogueReadsBack) {
  for (const std::string& file : tests::scenario_files()) expect_same_again(load_scenario(file), file);
}

TEST(Write, EveryParameterOfEveryAlgorithmReadsBack) {
  for (const Algorithm& algorithm : catalogue()) {
    Scenario s = tests::scenario("", std::string(algorithm.name));
    expect_same_again(s, s.algorithm->name.data());
    for (const Parameter& parameter : algorithm.parameters) {
      s.parameters.find(parameter.name)->second += parameter.counts ? Duration(3) : Duration(milliseconds(3));
      expect_same_again(s, std::string(parameter.name));
    }
  }
}

/// A field that is new does not compile here. Add it, change it below, and let write.cpp write it.
[[maybe_unused]] void every_field(const Scenario& s, const ClientSpec& c, const ServerSpec& server, const Plan& p) {
  [[maybe_unused]] const auto& [file, called, text, name, title, source, documented, algorithm, parameters, program,
                                lock, clients, servers, ensemble, service, sentinels, fencing, marker, network, faults,
                                steps, expect, explore, horizon, grid, takeover, progress, waiting, notice, available,
                                answers, entry, settled, early, period, seed, speedup, contention] = s;
  [[maybe_unused]] const auto& [client_name, client_clock, plan, connected, own, variables, process] = c;
  [[maybe_unused]] const auto& [server_name, server_clock, replica_of, persistence, unsynced, min_replicas_to_write,
                                min_replicas_max_lag] = server;
  [[maybe_unused]] const auto& [master, promotes, down_after, demotes_after, who, count, quorum] = s.sentinels.front();
  [[maybe_unused]] const auto& [wall, mono] = client_clock;
  [[maybe_unused]] const auto& [start, latest, rounds, lease, limit, within, attempts, retry, think, own_lock, before,
                                work, modes, lock_object, stop_on, connect, on_error, release_tries, same_period,
                                claims, asking, counts, failed_attempts, asks] = p;  // the last four are of a search
  [[maybe_unused]] const auto& [latency, replication, timeout, on_timeout] = network;
  [[maybe_unused]] const auto& [run, exploration, real, of_progress] = expect;
  [[maybe_unused]] const auto& [event, takes, at, line] = steps.front();
  [[maybe_unused]] const auto& [kind, actor, peer, verb, occurrence, round] = event;
}

template <class T>
struct Change {
  const char* field;
  std::function<void(T&)> make;
};

void keep(Scenario& s, Persistence kind, Duration age) { s.servers[0].persistence = kind, s.servers[0].unsynced = age; }

/// Each is noticed by the comparison, shows in the text, and comes back.
void expect_kept(const std::vector<Change<Scenario>>& changes, const Scenario& base) {
  for (const auto& [field, make] : changes) {
    Scenario changed = base;
    make(changed);
    EXPECT_FALSE(meaning(changed) == meaning(base)) << field;
    EXPECT_NE(to_toml(changed), to_toml(base)) << field;
    expect_same_again(changed, field);
  }
}

std::vector<Change<Scenario>> changes_of_scenarios() {
  return {
      {"title", [](Scenario& s) { s.title += "!"; }},
      {"source", [](Scenario& s) { s.source += "!"; }},
      {"lock", [](Scenario& s) { s.lock += "!"; }},
      {"clients",
       [](Scenario& s) {
         s.clients.push_back({"client-" + std::to_string(s.clients.size() + 1), {}, {}});
       }},
      {"own parameter", [](Scenario& s) { s.clients[0].parameters["retry"] = milliseconds(33); }},
      {"process", [](Scenario& s) { s.clients[0].process = "p"; }},
      {"client clock", [](Scenario& s) { s.clients[0].clock.wall += milliseconds(7); }},
      {"servers",
       [](Scenario& s) {
         s.servers.push_back({"redis-" + std::to_string(s.servers.size() + 1), {}, "redis-1"});
       }},
      {"server clock", [](Scenario& s) { s.servers[0].clock.wall -= seconds(7); }},
      {"min_replicas", [](Scenario& s) { s.servers.back().min_replicas_to_write = 2; }},
      {"max_lag", [](Scenario& s) { s.servers.back().min_replicas_max_lag = seconds(4); }},
      {"unsynced", [](Scenario& s) { keep(s, Persistence::aof_everysec, milliseconds(1500)); }},
      {"persistence none", [](Scenario& s) { s.servers.back().persistence = Persistence::aof_always; }},
      {"persistence rdb", [](Scenario& s) { keep(s, Persistence::rdb, seconds(1)); }},
      {"fencing", [](Scenario& s) { s.fencing = Fencing::all; }},
      {"latency least", [](Scenario& s) { s.network.latency.least -= Duration(1); }},
      {"latency most", [](Scenario& s) { s.network.latency.most += Duration(1); }},
      {"replication", [](Scenario& s) { s.network.replication.most += seconds(1); }},
      {"timeout", [](Scenario& s) { s.network.timeout += seconds(1); }},
      {"on_timeout",
       [](Scenario& s) {
         const bool discards = s.network.on_timeout == OnTimeout::discard;
         s.network.on_timeout = discards ? OnTimeout::reconnect : OnTimeout::discard;
       }},
      {"horizon", [](Scenario& s) { s.horizon += Duration(1); }},
      {"grid", [](Scenario& s) { s.grid += Duration(1); }},
      {"takeover", [](Scenario& s) { s.takeover = s.takeover.value_or(Duration{}) + seconds(1); }},
      {"progress", [](Scenario& s) { s.progress = s.progress.value_or(Duration{}) + seconds(1); }},
      {"notice", [](Scenario& s) { s.notice = s.notice.value_or(Duration{}) + seconds(1); }},
      {"available", [](Scenario& s) { s.available = s.available.value_or(Duration{}) + seconds(1); }},
      {"answers", [](Scenario& s) { s.answers = s.answers.value_or(Duration{}) + seconds(1); }},
      {"seed", [](Scenario& s) { s.seed = INT64_MAX; }},
      {"speedup", [](Scenario& s) { s.speedup += 1; }},
  };
}

TEST(Write, EveryFieldOfAScenarioIsKept) {
  expect_kept(changes_of_scenarios(), parse_scenario("whole.toml", whole));
  expect_kept(changes_of_scenarios(), tests::scenario(""));
  const Scenario full = parse_scenario("whole.toml", whole);
  expect_kept({{"no takeover", [](Scenario& s) { s.takeover.reset(); }},
               {"no progress", [](Scenario& s) { s.progress.reset(); }},
               {"no notice", [](Scenario& s) { s.notice.reset(); }},
               {"no replica", [](Scenario& s) { s.servers[2].replica_of.clear(), s.faults.pop_back(); }},
               {"replica of", [](Scenario& s) { s.servers[2].replica_of = "redis-2", s.faults.pop_back(); }},
               {"no sentinel", [](Scenario& s) { s.sentinels.clear(); }},
               {"sentinel promotes", [](Scenario& s) { s.sentinels[0].promotes = "redis-3"; }},
               {"down_after", [](Scenario& s) { s.sentinels[0].down_after += seconds(1); }},
               {"demotes_after", [](Scenario& s) { s.sentinels[0].demotes_after += seconds(1); }},
               {"notified", [](Scenario& s) { s.sentinels[0].to_clients.clear(); }},
               {"count", [](Scenario& s) { s.sentinels[0].count += 2; }},
               {"quorum", [](Scenario& s) { s.sentinels[0].quorum -= 1; }},
               {"no faults", [](Scenario& s) { s.faults.clear(); }},
               {"order of faults", [](Scenario& s) { std::swap(s.faults[0], s.faults[1]); }},
               {"no steps", [](Scenario& s) { s.steps.clear(); }},
               {"order of steps", [](Scenario& s) { std::swap(s.steps[0], s.steps[1]); }}},
              full);
}

std::vector<Change<Plan>> changes_of_plans() {
  return {
      {"start", [](Plan& p) { p.start += milliseconds(1); }},
      {"window of starts", [](Plan& p) { p.start_latest = p.start + seconds(1); }},
      {"rounds", [](Plan& p) { p.rounds += 1; }},
      {"lease", [](Plan& p) { p.lease = p.lease.value_or(milliseconds(10)) + milliseconds(1); }},
      {"acquire_timeout", [](Plan& p) { p.acquire_timeout += Duration(1); }},
      {"attempt_timeout", [](Plan& p) { p.attempt_timeout = seconds(77); }},
      {"attempts", [](Plan& p) { p.attempts = p.attempts.value_or(0) + 1; }},
      {"retry", [](Plan& p) { p.retry = p.retry.value_or(Duration{}) + milliseconds(1); }},
      {"think_time", [](Plan& p) { p.think_time += milliseconds(1); }},
      {"no work", [](Plan& p) { p.work.clear(); }},
      {"more work",
       [](Plan& p) {
         p.work.push_back({Work::Kind::hold, Duration(1)});
       }},
      {"mode", [](Plan& p) { p.modes = {Mode::shared}; }},
      {"stop_on", [](Plan& p) { p.stop_on = StopOn::loss; }},
      {"connect", [](Plan& p) { p.connect = ConnectTime::at_first_attempt; }},
      {"on_error", [](Plan& p) { p.on_error = p.on_error == OnError::retry ? OnError::give_up : OnError::retry; }},
      {"release on error", [](Plan& p) { p.on_error = OnError::release; }},
      {"release_tries", [](Plan& p) { p.release_tries += 2; }},
      {"acquired once more",
       [](Plan& p) {
         p.work.push_back({Work::Kind::acquire, {}});
         p.work.push_back({Work::Kind::release, {}});
       }},
      {"no lease, no attempts, no delay", [](Plan& p) { p = {.rounds = 9, .work = p.work}; }},
  };
}

TEST(Write, EveryFieldOfAPlanIsKeptWhicheverClientsItIs) {
  std::vector<Change<Scenario>> changes;
  for (const auto& of_a_plan : changes_of_plans()) {
    const auto make = of_a_plan.make;  // a lambda of Clang 14 captures no structured binding
    changes.push_back({of_a_plan.field, [=](Scenario& s) { make(s.clients.front().plan); }});
    changes.push_back({of_a_plan.field, [=](Scenario& s) { make(s.clients.back().plan); }});
    changes.push_back({of_a_plan.field, [=](Scenario& s) {
                         for (ClientSpec& client : s.clients) make(client.plan);
                       }});
  }
  expect_kept(changes, parse_scenario("whole.toml", whole));
  expect_kept(changes, tests::scenario(""));
}

/// A [[client]] can set what [workload] leaves open, but cannot take back what it sets.
TEST(Write, SharesASettingOnlyAsFarAsTheFileCanSayIt) {
  for (int n = 0; n < 27; ++n) {
    const int has[] = {n % 3, n / 3 % 3, n / 9};
    Scenario leases = tests::scenario("[workload]\nclients = 3\n"), attempts = leases, delays = leases, rounds = leases;
    for (std::size_t i = 0; i < 3; ++i) {
      if (has[i]) leases.clients[i].plan.lease = seconds(has[i]);
      if (has[i]) attempts.clients[i].plan.attempts = has[i];
      if (has[i]) delays.clients[i].plan.retry = seconds(has[i]);
      rounds.clients[i].plan.rounds = has[i] + 1;
    }
    for (const Scenario& s : {leases, attempts, delays, rounds}) expect_same_again(s, std::to_string(n));
  }
}

TEST(Write, WhatMostClientsDoIsTheWorkload) {
  Scenario s = tests::scenario("[workload]\nclients = 3\nrounds = 4\n");
  s.clients[0].plan.rounds = 2;
  EXPECT_EQ(to_toml(s),
            "[algorithm]\nname = \"set-px-token\"\n\n[workload]\nclients = 3\nrounds = 4\n\n"
            "[[client]]\nname = \"client-1\"\nrounds = 2\n");
}

TEST(Write, EveryFieldOfAStepIsKept) {
  std::vector<Change<Scenario>> changes{
      {"takes", [](Scenario& s) { s.steps[0].takes = seconds(1); }},
      {"takes nothing", [](Scenario& s) { s.steps[0].takes = Duration{}; }},
      {"no takes", [](Scenario& s) { s.steps[0].takes.reset(); }},
      {"actor and peer", [](Scenario& s) { std::swap(s.steps[0].event.actor, s.steps[0].event.peer); }},
      {"resource", [](Scenario& s) { s.steps[0].event.peer = "resource"; }},
      {"verb", [](Scenario& s) { s.steps[0].event.verb = "GET"; }},
      {"occurrence", [](Scenario& s) { s.steps[0].event.occurrence = 12; }},
      {"round", [](Scenario& s) { s.steps[0].event.round = 1; }}};
  for (const char* event :
       {"client-2 worker #3", "client-2 watchdog", "client-2 news round 2", "client-1 time-out redis-1 GET",
        "client-1 resends redis-1 GET", "client-3 jitter #2", "fault", "heal #2"}) {
    changes.push_back({event, [=](Scenario& s) { s.steps[0].event = event_name_from(event).value(); }});
  }
  expect_kept(changes, parse_scenario("whole.toml", whole));
}

TEST(Write, WhatIsExpectedIsKept) {
  Expectations all, almost;
  for (const std::string_view property : check::names()) all.emplace(property, "no-violation");
  almost = all;
  almost.erase(almost.begin());
  Expectations mixed = all;
  mixed.begin()->second = "violated";
  std::vector<Change<Scenario>> changes;
  for (const auto world : {&Expect::run, &Expect::explore, &Expect::real}) {
    for (const Expectations& expected : {Expectations{{"owner-release", "unknown"}}, all, almost, mixed}) {
      changes.push_back({"expectations", [=](Scenario& s) { s.expect.*world = expected; }});
    }
  }
  for (const auto world : {&Expect::run, &Expect::explore, &Expect::real}) {
    changes.push_back({"all expected to hold", [=](Scenario& s) {
                         s.expect.*world = Expectations{{"owner-release", "holds"}};
                       }});
  }
  expect_kept(changes, parse_scenario("whole.toml", whole));
  expect_kept({{"nothing named", [](Scenario& s) { s.expect.run.emplace(); }}}, tests::scenario(""));
  expect_kept({{"nothing expected", [](Scenario& s) { s.expect = {}; }}}, parse_scenario("whole.toml", whole));
}

TEST(Write, TextIsEscaped) {
  const std::string texts[] = {
      "say \"no\"",   "C:\\new\\u0041",   "two\nlines\r\n", "a\ttab",  std::string("nul\0, bell\a, delete\x7f", 20),
      "Ünïcode → 鎖", "# no comment '''", "\"\"\"",         "[table]", " blanks "};
  Scenario s = tests::scenario("");
  for (const std::string& text : texts) {
    s.title = s.source = s.lock = text;
    expect_same_again(s, text);
  }
}

}  // namespace
}  // namespace lockproof::harness::write_test
