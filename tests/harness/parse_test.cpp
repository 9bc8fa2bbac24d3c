// SPDX-License-Identifier: Apache-2.0
// A wrong scenario gets one clear message: file, line, what is wrong, the nearest valid choice.
#include <fmt/format.h>

#include <filesystem>

#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::harness::parse_test {
namespace {

TEST(Scenario, DefaultsAreTwoClientsAndOneServer) {
  const Scenario s = tests::scenario("");
  ASSERT_EQ(s.clients.size(), 2u);
  EXPECT_EQ(s.clients[1].name, "client-2");
  ASSERT_EQ(s.servers.size(), 1u);
  EXPECT_EQ(s.servers[0].name, "redis-1");
  EXPECT_EQ(s.parameters.at("retry"), milliseconds(50));
  EXPECT_FALSE(s.expect.run);
}

TEST(Scenario, AClientChangesWhatTheWorkloadSaysForAll) {
  const Scenario s = tests::scenario(
      "[workload]\nrounds = 3\nwork = [\"hold 1s\"]\n"
      "[[client]]\nname = \"client-2\"\nrounds = 5\nclock = \"-250ms\"\n");
  EXPECT_EQ(s.clients[0].plan.rounds, 3);
  EXPECT_EQ(s.clients[1].plan.rounds, 5);
  EXPECT_EQ(s.clients[1].plan.work, s.clients[0].plan.work);
  EXPECT_EQ(s.clients[1].clock.wall, milliseconds(-250));
}

TEST(Scenario, OneWordExpectsItOfAllProperties) {
  const Scenario s =
      tests::scenario("[expect]\nrun = \"no-violation\"\nexplore = { mutual-exclusion = \"outlived\" }\n");
  EXPECT_EQ(s.expect.run->at("owner-release"), "no-violation");
  EXPECT_EQ(s.expect.explore->at("mutual-exclusion"), "outlived");
  EXPECT_FALSE(s.expect.explore->contains("owner-release"));
  EXPECT_FALSE(s.expect.real);
}

TEST(Scenario, OneLineExpectsItOfAllWorlds) {
  const Scenario s =
      tests::scenario("[expect]\nall = \"no-violation\"\nexplore = { mutual-exclusion = \"outlived\" }\n");
  EXPECT_EQ(s.expect.run->at("owner-release"), "no-violation");
  EXPECT_EQ(s.expect.real, s.expect.run);
  EXPECT_EQ(s.expect.explore->size(), 1u);
  EXPECT_FALSE(s.expect.liveness);
  const Scenario table = tests::scenario("[expect.all]\nmutual-exclusion = \"outlived\"\n");
  for (const auto world : {&Expect::run, &Expect::explore, &Expect::real}) {
    EXPECT_EQ((table.expect.*world)->at("mutual-exclusion"), "outlived");
  }
}

TEST(Scenario, EveryScenarioOfTheCatalogueIsRead) {
  int count = 0;
  for (const std::string& file : tests::scenario_files()) {
    EXPECT_FALSE(load_scenario(file).title.empty()) << file;
    ++count;
  }
  EXPECT_GE(count, 12);
}

struct Mistake {
  const char* text;
  const char* message;
};
std::string message_for(const std::string& text) {
  try {
    (void)parse_scenario("s.toml", text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

const char* const algorithm = "[algorithm]\nname = \"set-px-token\"\n";

TEST(Scenario, MistakesAreNamedWithFileLineAndTheNearestChoice) {
  const Mistake mistakes[] = {
      {"[workload]\nroundz = 3\n", "s.toml:4: [workload] has no key 'roundz'; did you mean 'rounds'?"},
      {"[wrkload]\n", "s.toml:3: the scenario has no key 'wrkload'; did you mean 'workload'?"},
      {"[workload]\nrounds = \"3\"\n", "s.toml:4: [workload]: 'rounds' is '3'; write a number, or \"for ever\""},
      {"[workload]\nrounds = 0\n", "s.toml:4: [workload]: 'rounds' is 0, but must be from 1 to 1000000"},
      {"[workload]\nlease = 10\n", "s.toml:4: [workload]: 'lease' has no unit: write \"10ms\" or \"10s\""},
      {"[workload]\nlease = \"10 s\"\n", "s.toml:4: [workload]: 'lease' is '10 s', which is no duration"},
      {"[workload]\nlease = \"1500us\"\n", "counts leases in whole milliseconds"},
      {"[workload]\nstop_on = \"deadlin\"\n", "'stop_on' is 'deadlin', which is no choice; did you mean 'deadline'?"},
      {"[workload]\nwork = [\"write\"]\n", "writes before it reads"},
      {"[workload]\nwork = [\"sleep 3s\"]\n",
       "its steps are \"hold 3s\", \"read\", \"write\", \"acquire\" and \"release\""},
      {"[workload]\nwork = [\"release\", \"acquire\"]\n", "comes after the release of the lock itself"},
      {"[workload]\nwork = [\"release\", \"hold 1s\", \"release\"]\n", "only hold, read and write are left"},
      {"[workload]\nwork = [\"acquire\", \"hold 1s\"]\n", "acquires once more without a \"release\" after it"},
      {"[[client]]\nname = \"client-3\"\n", "there is no such client; did you mean 'client-"},
      {"[[fault]]\nkind = \"half-open\"\ntarget = \"client-1\"\nwhen = \"client-1 after SET\"\n",
       "comes too late for 'half-open': its reply has come; write \"client-1 before SET\""},
      {"[[fault]]\nkind = \"delay\"\nby = \"1s\"\ntarget = \"client-1\"\nwhen = \"redis-1 before SET of client-1\"\n",
       "s.toml:7: [[fault]]: 'when' comes too late for 'delay': the command has arrived there; write \"client-1 before "
       "SET\", or take its reply with late = \"reply\""},
      {"[[fault]]\nkind = \"resend\"\nfor = \"1s\"\ntarget = \"client-1\"\nwhen = \"redis-1 after SET of client-1\"\n",
       "a driver sends again only what it is about to send; write \"client-1 before SET\""},
      {"[[fault]]\nkind = \"pouse\"\ntarget = \"client-1\"\nat = \"1s\"\n",
       "s.toml:4: [[fault]]: 'kind' is 'pouse', which is no choice; did you mean 'pause'?"},
      {"[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nat = \"1s\"\n", "s.toml:3: [[fault]] needs 'for'"},
      {"[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\n", "has no place"},
      {"[[fault]]\nkind = \"crash\"\ntarget = \"redis-1\"\nat = \"1s\"\n", "there is no such client"},
      {"[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nat = \"1s\"\nwhen = \"client-1 enters\"\n",
       "place a fault by one of them"},
      {"[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = \"client-1 befor DEL\"\n", "names no event"},
      {"[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nat = \"client-1 exits\"\n",
       "is an event, and not an instant: write when = \"client-1 exits\""},
      {"[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = \"client-1 after acquire\"\n",
       "faults can be placed before acquire"},
      {"[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = \"redis-1 before release\"\n",
       "names 'redis-1', but there is no such client"},
      {"[[fault]]\nkind = \"half-open\"\ntarget = \"client-1\"\nwhen = \"client-1 before enter\"\n", "which message?"},
      {"[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = \"client-4 before DEL\"\n", "there is no such host"},
      {"[[fault]]\nkind = \"half-open\"\ntarget = \"client-1\"\nat = \"1s\"\n", "which message?"},
      {"[[fault]]\nkind = \"clock-jump\"\ntarget = \"redis-1\"\nat = \"1s\"\nby = \"1500us\"\n",
       "must be whole milliseconds"},
      {"[servers]\nredis = 2\n[[sentinel]]\nmaster = \"redis-1\"\npromotes = \"redis-2\"\n",
       "s.toml:7: [[sentinel]]: 'promotes' names 'redis-2', which is no replica of redis-1"},
      {"[[sentinel]]\nmaster = \"redis-1\"\n", "s.toml:3: [[sentinel]] needs 'promotes'"},
      {"[[sentinel]]\nmaster = \"redis-2\"\n", "there is no such server; did you mean 'redis-1'?"},
      {"[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"
       "[[sentinel]]\nmaster = \"redis-1\"\npromotes = \"redis-2\"\n"
       "[[sentinel]]\nmaster = \"redis-1\"\npromotes = \"redis-2\"\n",
       "s.toml:12: [[sentinel]]: 'master' names 'redis-1', which another sentinel watches"},
      {"[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"
       "[[sentinel]]\nmaster = \"redis-1\"\npromotes = \"redis-2\"\ncount = 3\nquorum = 4\n",
       "s.toml:12: [[sentinel]]: 'quorum' is 4, but must be from 1 to 3"},
      {"[[step]]\nevent = \"client-1 jumps\"\n", "names no event"},
      {"[[step]]\nevent = \"client-9 worker\"\n", "there is no such host"},
      {"[expect]\nrun = \"hold\"\n", "is 'hold', which is no verdict; did you mean 'holds'?"},
      {"[expect.run]\nmutual-exclusoin = \"holds\"\n", "did you mean 'mutual-exclusion'?"},
      {"[network]\nlatency = [\"3ms\", \"1ms\"]\n", "has its lower bound above its upper one"},
      {"[real]\nspeedup = 0\n", "must be from 1 to 1000"},
      {"start = 1979-05-27\n", "dates and times have no use"},
      {"[workload\n", "s.toml:3: this is not TOML"},
  };
  for (const Mistake& m : mistakes) {
    const bool top_level = std::string(m.text).starts_with("start");
    const std::string found =
        message_for(top_level ? m.text + std::string(algorithm) : algorithm + std::string(m.text));
    EXPECT_NE(found.find(m.message), std::string::npos) << m.text << "gives: " << found;
  }
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Scenario, TablesInTablesWithoutEndAreRefused) {
  const std::string dots = repeated(".", 1000), deep = "\n\na" + repeated(".a", 1'000'000) + " = 1\n";
  const std::string refused = ": this line has more than 16 dots: no key is that long";
  EXPECT_EQ(message_for(deep), "s.toml:3" + refused);
  EXPECT_EQ(message_for("title = '''\n\"'''" + deep), "s.toml:4" + refused);
  EXPECT_EQ(message_for("title = \"\"\"\n\\\"\"\"\"\"\"" + deep), "s.toml:4" + refused);
  EXPECT_EQ(message_for("# and so on" + dots + "\ntitle = \"\\\"" + dots + "\"\nsource = '''\n" + dots +
                        "'''\nlock = '" + dots + "'\n" + algorithm),
            "no error");
}

TEST(Scenario, ABudgetOfTooManyFaultsIsRefused) {
  const std::string budget = std::string(algorithm) + "[workload]\nclients = 64\n[explore]\n";
  const std::string rates = "[[explore.fault]]\nkind = \"clock-rate\"\nrate = [" + repeated("\"1%\", ", 300) + "]\n";
  std::string lengths;
  for (int i = 1; i <= 1000; ++i) lengths += fmt::format("\"{}s\", ", i);
  EXPECT_NE(message_for(budget + rates + "for = [" + lengths + "]\n")
                .find("s.toml:7: [[explore.fault]]: 'kind' is 'clock-rate', with which the budget has 19500000 faults; "
                      "20000 are the most"),
            std::string::npos);
  const std::string crash = "[[explore.fault]]\nkind = \"crash\"\n";
  EXPECT_EQ(message_for(budget + repeated(crash, 312)), "no error");
  EXPECT_NE(message_for(budget + repeated(crash, 313)).find("the budget has 20032 faults"), std::string::npos);
}

TEST(Scenario, AFaultThatCanBeKnownToChangeNothingIsRefused) {
  const Mistake mistakes[] = {
      {"[[fault]]\nkind = \"clock-rate\"\nrate = \"0%\"\ntarget = \"client-1\"\nat = \"1s\"\n",
       "s.toml:5: [[fault]]: 'rate' is 0 %, the rate that clocks have without a fault"},
      {"[[fault]]\nkind = \"clock-jump\"\nby = \"0s\"\ntarget = \"client-1\"\nat = \"1s\"\n",
       "s.toml:5: [[fault]]: 'by' must not be nothing"},
      {"[explore]\n[[explore.fault]]\nkind = \"failover\"\n",
       "s.toml:5: [[explore.fault]]: 'kind' is 'failover', which can never strike here: redis-1 has no replica that "
       "could "
       "be promoted; give one a replica_of"},
      {"[explore]\n[[explore.fault]]\nkind = \"replication-stall\"\nfor = \"1s\"\n",
       "can never strike here: no server of the scenario is a replica"},
      {"[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"
       "[explore]\n[[explore.fault]]\nkind = \"replication-stall\"\ntarget = \"redis-1\"\nfor = \"1s\"\n",
       "names 'redis-1', but there is no such host; did you mean 'redis-2'?"},
      {"[explore]\n[[explore.fault]]\nkind = \"clock-jump\"\nby = [\"T\", \"400us\"]\n",
       "'by' is '400us': no jump at all in whole milliseconds"},
      {"[explore]\n[[explore.fault]]\nkind = \"clock-rate\"\nrate = \"+0%\"\n", "'rate' is 0 %"},
      {"[explore]\n[[explore.fault]]\nkind = \"pause\"\nfor = []\n", "'for' is an empty list"},
      {"[explore]\n[[explore.fault]]\nkind = \"clock-rate\"\nrate = []\n", "'rate' is an empty list"},
  };
  for (const Mistake& m : mistakes) {
    const std::string found = message_for(algorithm + std::string(m.text));
    EXPECT_NE(found.find(m.message), std::string::npos) << m.text << "gives: " << found;
  }
}

TEST(Scenario, NamesOfTablesAreDifferent) {
  const std::string two = "[servers]\nredis = 3\n";
  const auto server = [](int n, int of) {
    return fmt::format("[[server]]\nname = \"redis-{}\"\nreplica_of = \"redis-{}\"\n", n, of);
  };
  const std::pair<std::string, std::string> mistakes[] = {
      {"[[client]]\nname = \"client-1\"\n[[client]]\nname = \"client-1\"\n",
       "s.toml:6: [[client]]: 'name' is 'client-1', as in an earlier [[client]]"},
      {"[[server]]\nname = \"redis-1\"\n[[server]]\nname = \"redis-1\"\n",
       "s.toml:6: [[server]]: 'name' is 'redis-1', as in an earlier [[server]]"},
      {two + server(1, 2) + server(2, 1), "'replica_of' is 'redis-1', which is a replica of redis-2 itself"},
      {two + server(1, 2) + server(2, 3) + server(3, 1),
       "'replica_of' is 'redis-1', which is a replica of redis-3 itself"},
  };
  for (const auto& [text, message] : mistakes) {
    const std::string found = message_for(algorithm + text);
    EXPECT_NE(found.find(message), std::string::npos) << text << "gives: " << found;
  }
}

TEST(Scenario, MistakesAboutPeriodsAreNamed) {
  const Mistake mistakes[] = {
      {"[workload]\nperiod = \"1500us\"\n",
       "s.toml:4: [workload]: 'period' must be whole milliseconds, at least one: periods begin by a wall clock"},
      {"[workload]\nperiod = \"1min\"\nthink_time = \"3s\"\n",
       "s.toml:5: [workload]: 'think_time' has no part where there is a period: a round begins with its period"},
      {"[workload]\nperiod = \"1min\"\nstart = \"1500us\"\n",
       "s.toml:5: [workload]: 'start' must be whole milliseconds"},
      {"[[client]]\nname = \"client-1\"\nperiod = \"1min\"\n", "[[client]] has no key 'period'"},
      {"[resource]\nmarker = \"period\"\n",
       "s.toml:4: [resource]: 'marker' is \"period\", which needs a period: [workload] period = \"1min\""},
  };
  for (const Mistake& m : mistakes) {
    const std::string found = message_for(algorithm + std::string(m.text));
    EXPECT_NE(found.find(m.message), std::string::npos) << m.text << "gives: " << found;
  }
  EXPECT_NE(message_for("[algorithm]\nname = \"redlock\"\n[servers]\nredis = 3\n[explore]\n[[explore.fault]]\n"
                        "kind = \"failover\"\n")
                .find("can never strike here: no server has a replica that could be promoted"),
            std::string::npos);
}

TEST(Scenario, TheAlgorithmAndItsParametersAreChecked) {
  EXPECT_EQ(message_for("title = \"x\"\n"), "s.toml:1: the scenario needs 'algorithm'");
  EXPECT_NE(message_for("[algorithm]\nname = \"set-px-tokens\"\n")
                .find("s.toml:2: [algorithm]: 'name' names "
                      "'set-px-tokens', but there is no such algorithm; did you mean 'set-px-token'?"),
            std::string::npos);
  EXPECT_NE(message_for("[algorithm]\nname = \"set-px-token\"\nretri = \"1s\"\n").find("did you mean 'retry'?"),
            std::string::npos);
  EXPECT_NE(
      message_for("[algorithm]\nname = \"setnx-expire-del\"\n[workload]\nlease = \"500ms\"\n").find("whole seconds"),
      std::string::npos);
}

TEST(Scenario, WhatALockIsNotItselfWithoutMustBeSaid) {
  const std::string waits = "[algorithm]\nname = \"set-px-token-wait\"\n";
  EXPECT_NE(
      message_for(waits).find("s.toml:2: [algorithm]: 'name' is 'set-px-token-wait', which needs 'wait' (how long "
                              "replicas have to acknowledge the lock), for example wait = \"1s\""),
      std::string::npos)
      << message_for(waits);
  for (const char* wrong : {"wait = \"0s\"\n", "wait = \"1500us\"\n"}) {
    EXPECT_NE(message_for(waits + wrong).find("it must be 1ms or a multiple of that"), std::string::npos) << wrong;
  }
  EXPECT_EQ(message_for(waits + "wait = \"5ms\"\n"), "no error");
}

TEST(Scenario, ServersThatNobodyAsksAreRefused) {
  const std::string five = "[servers]\nredis = 5\n", two_of_five = "[[server]]\nname = \"redis-2\"\nreplica_of = ";
  EXPECT_NE(
      message_for(algorithm + five)
          .find("s.toml:4: [servers]: 'redis' is 5, but set-px-token asks one server and would leave 4 idle; write 1, "
                "make the others its replicas (replica_of), or take a lock that asks all of them, such as redlock"),
      std::string::npos)
      << message_for(algorithm + five);
  EXPECT_NE(message_for(algorithm + five + two_of_five + "\"redis-1\"\n").find("leave 3 idle"), std::string::npos);
  EXPECT_EQ(message_for(algorithm + std::string("[servers]\nredis = 2\n") + two_of_five + "\"redis-1\"\n"), "no error");
  EXPECT_EQ(message_for("[algorithm]\nname = \"redlock\"\n" + five), "no error");
}

TEST(Scenario, AFileThatIsNotThereIsNamed) {
  EXPECT_THROW((void)load_scenario("nowhere.toml"), InputError);
  EXPECT_THROW((void)load_scenario("/"), InputError);
}

TEST(Scenario, AFaultOfAMessageMayBePlacedWhereItIsStillToCome) {
  const std::string fault = "[[fault]]\ntarget = \"client-1\"\nkind = ";
  for (const char* placed :
       {"\"half-open\"\nwhen = \"client-1 before SET\"\n",
        "\"half-open\"\nlose = \"reply\"\nwhen = \"redis-1 before SET of client-1\"\n",
        "\"half-open\"\nlose = \"reply\"\nwhen = \"redis-1 after SET of client-1\"\n",
        "\"delay\"\nby = \"1s\"\nlate = \"reply\"\nwhen = \"redis-1 after SET of client-1\"\n",
        "\"resend\"\nfor = \"1s\"\nwhen = \"client-1 before SET\"\n", "\"retry\"\nwhen = \"client-1 before SET\"\n"}) {
    EXPECT_EQ(tests::scenario(fault + placed).faults.size(), 1u) << placed;
  }
}

/// Each fault of a budget, as a scenario would write it.
std::vector<std::string> faults_of(const Bounds& bounds) {
  std::vector<std::string> all;
  for (const BudgetedFault& entry : bounds.budget) {
    for (const Fault& form : entry.forms) {
      all.push_back(fmt::format("{} of {} for {} by {} rate {} after {}", name(entry.kind), form.target,
                                form.lasts.count(), form.by.count(), form.rate_ppb, form.delay.count()));
    }
  }
  return all;
}

TEST(Scenario, AFaultOfABudgetHasStandardAmounts) {
  const auto faults = [](const std::string& keys) {
    const Scenario s =
        tests::scenario("[workload]\nlease = \"10s\"\n[explore]\n[[explore.fault]]\ntarget = \"client-1\"\n" + keys);
    return faults_of(*s.explore);
  };
  const auto same = [&](const std::string& kind, const std::string& amounts) {
    EXPECT_EQ(faults("kind = \"" + kind + "\"\n"), faults("kind = \"" + kind + "\"\n" + amounts + "\n")) << kind;
  };
  same("pause", "for = [\"timeout-grid\", \"slack\", \"slack+grid\", \"T\", \"T+grid\"]");
  same("delay", "by = [\"timeout-grid\", \"slack\", \"slack+grid\", \"T\", \"T+grid\"]");
  same("resend", "for = [\"timeout/2\", \"timeout-grid\"]");
  same("clock-jump", "by = [\"slack\", \"slack+grid\", \"T\", \"T+grid\", \"-T/2\", \"-T\"]");
  same("clock-rate", "rate = [\"+1%\", \"-1%\", \"+2%\", \"-2%\"]");
  EXPECT_EQ(faults("kind = \"pause\"\n").size(), 5U);
  EXPECT_EQ(faults("kind = \"pause\"\nfor = [\"T\", \"10s\", \"slack\"]\n").size(), 2U);
}

TEST(Scenario, StandardAmountsAreAboutWhatTheScenarioHas) {
  const auto faults = [](const std::string& keys) {
    const Scenario s = tests::scenario("[workload]\nlease = \"10s\"\n" + keys);
    return faults_of(*s.explore).size();
  };
  const std::string pause = "[explore]\n[[explore.fault]]\nkind = \"pause\"\ntarget = \"client-1\"\n";
  const std::string watched =
      "[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"
      "[[sentinel]]\nmaster = \"redis-1\"\npromotes = \"redis-2\"\ndown_after = \"3s\"\n";
  EXPECT_EQ(faults("work = [\"hold 20s\"]\n" + pause), 3U) << "no slack: the time-out and the lease";
  EXPECT_EQ(faults(watched + pause), 7U);
}

TEST(Scenario, TheBudgetForOneServerHasTheStandardAmounts) {
  const Scenario s = tests::scenario("[workload]\nlease = \"10s\"\n");
  const Bounds written = load_budget(LOCKPROOF_SOURCE "/scenarios/budgets/one-server.toml", s);
  std::string kinds = "[workload]\nlease = \"10s\"\n[explore]\n";
  for (const BudgetedFault& entry : written.budget) {
    const char* const target = entry.kind == FaultKind::suspend ? "target = \"clients\"\n" : "";
    kinds += fmt::format("[[explore.fault]]\nkind = \"{}\"\n{}", name(entry.kind), target);
  }
  EXPECT_EQ(faults_of(*tests::scenario(kinds).explore), faults_of(written));
}

TEST(Scenario, ABudgetsPoolHandsOnANewSessionOrThatOfEachOtherClient) {
  const auto sessions = [](const std::string& key) {
    const Scenario s = tests::scenario(
        "[workload]\nclients = 3\n[explore]\n[[explore.fault]]\nkind = \"pool-switch\"\n"
        "target = \"client-1\"\n" +
            key,
        "postgres-advisory");
    std::vector<std::string> all;
    for (const Fault& form : s.explore->budget.front().forms) all.push_back(form.session);
    return all;
  };
  EXPECT_EQ(sessions(""), std::vector<std::string>{""});
  EXPECT_EQ(sessions("session = \"another\"\n"), (std::vector<std::string>{"client-2", "client-3"}));
  EXPECT_EQ(sessions("session = [\"new\", \"another\"]\n"), (std::vector<std::string>{"", "client-2", "client-3"}));
  const std::string own =
      "[algorithm]\nname = \"postgres-advisory\"\n[[fault]]\nkind = \"pool-switch\"\n"
      "target = \"client-1\"\npeer = \"postgres-1\"\nat = \"1s\"\nsession = \"client-1\"\n";
  EXPECT_NE(message_for(own).find("'session' names 'client-1'"), std::string::npos) << message_for(own);
}

TEST(Scenario, ARetryIsOfAClientsOwnCommandAndLosesItsReplyOrNothing) {
  const std::string fault = std::string(algorithm) + "[[fault]]\nkind = \"retry\"\ntarget = \"client-1\"\n";
  EXPECT_NE(message_for(fault + "when = \"redis-1 before SET of client-1\"\n")
                .find("a driver sends again only what it is about to send; write \"client-1 before SET\""),
            std::string::npos);
  EXPECT_NE(message_for(fault + "when = \"client-1 before SET\"\nlose = \"request\"\n")
                .find("'lose' is 'request', which is no choice"),
            std::string::npos);
}

}  // namespace
}  // namespace lockproof::harness::parse_test
