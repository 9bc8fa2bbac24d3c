// SPDX-License-Identifier: Apache-2.0
// Readers and permits: mutual exclusion rejects a history only where the lock has no room for those who are inside, and
// what needs one owner of the key is not judged.
#include "tests/harness/history_table.hpp"

namespace lockproof::check::modes_check_test {
namespace {

Finding exclusion(const std::string& table, int permits = 1) {
  harness::History history = tests::parsed(table);
  history.header.permits = permits;
  return mutual_exclusion(history, harness::Scenario());
}

TEST(Modes, AcceptReadersTogether) {
  EXPECT_EQ(exclusion("0 A enter shared\n1 B enter shared\n2 C enter shared").verdict, Verdict::not_found);
}

TEST(Modes, RejectAWriterBesideAReaderWhoeverComesFirst) {
  for (const char* table : {"0 A enter shared\n1 B enter", "0 A enter\n1 B enter shared"}) {
    EXPECT_EQ(exclusion(table).kind, "double-grant") << table;
  }
  EXPECT_EQ(
      exclusion("0 A enter shared\n1 B enter").what,
      "B at 0.001 s entered while A was inside to read (since 0.000 s), whose lock was still good by its own clock");
  EXPECT_EQ(exclusion("0 A enter\n1 B enter\n").kind, "double-grant");
}

TEST(Modes, AcceptAWriterOnceTheReadersHaveLeft) {
  EXPECT_EQ(exclusion("0 A enter shared\n1 A exit\n1 B enter").verdict, Verdict::not_found);
}

TEST(Modes, NameTheReaderThatOutlivedItsLease) {
  const Finding f = exclusion(
      "0 A granted 10s\n0 A enter shared\n1 B granted 1s\n1 B enter shared\n5 A exit\n5000 C granted 10s\n5000 C "
      "enter");
  EXPECT_EQ(f.kind, "outlived");
  EXPECT_TRUE(f.what.starts_with("C at 5.000 s entered while B was inside to read")) << f.what;
}

TEST(Permits, AcceptAsManyClientsAsThereAre) {
  EXPECT_EQ(exclusion("0 A enter\n1 B enter", 2).verdict, Verdict::not_found);
  EXPECT_EQ(exclusion("0 A enter\n1 B enter\n2 A exit\n3 C enter", 2).verdict, Verdict::not_found);
}

TEST(Permits, RejectOneClientMore) {
  const Finding f = exclusion("0 A enter\n1 B enter\n2 C enter", 2);
  EXPECT_EQ(f.kind, "double-grant");
  EXPECT_TRUE(f.what.ends_with("; the lock has 2 permits")) << f.what;
}

TEST(Permits, AreOutlivedByWhoIsPastItsDeadline) {
  const Finding f =
      exclusion("0 A granted 60s\n0 A enter\n0 B granted 1s\n0 B enter\n5000 C granted 10s\n5000 C enter", 2);
  EXPECT_EQ(f.kind, "outlived");
  EXPECT_TRUE(f.what.starts_with("C at 5.000 s entered while B was inside")) << f.what;
}

Finding of_resource(const std::string& table, Mode of_b) {
  harness::Scenario scenario;
  for (const Mode mode : {Mode::shared, of_b}) {
    scenario.clients.emplace_back();
    scenario.clients.back().plan.modes = {mode};
  }
  return resource_safety(tests::parsed(table), scenario);
}

TEST(Modes, ReadersAccessTheResourceInAnyOrder) {
  const char* table =
      "0 A attempt\n1 A granted\n2 B attempt\n3 B granted\n4 B send resource 1 READ\n5 resource execute B 1 READ =0\n"
      "6 A send resource 1 READ\n7 resource execute A 1 READ =0";
  EXPECT_EQ(of_resource(table, Mode::shared).verdict, Verdict::not_found);
  EXPECT_EQ(of_resource(table, Mode::exclusive).verdict, Verdict::violated);
}

std::vector<std::string> judged(const std::string& algorithm, const std::string& text) {
  std::vector<std::string> names;
  const harness::Scenario scenario = tests::scenario(text, algorithm);
  for (const Property& property : properties()) {
    if (is_judged(property, scenario)) names.emplace_back(property.name);
  }
  return names;
}

bool judges(const std::vector<std::string>& names, const char* property) {
  return std::ranges::find(names, property) != names.end();
}

TEST(SeveralHolders, HaveNoOneOwnerOfTheKey) {
  const auto plain = judged("redisson-semaphore", "");
  EXPECT_TRUE(judges(plain, "owner-release") && judges(plain, "re-entrancy"));
  const auto permits = judged("redisson-semaphore", "permits = 2\n");
  for (const char* property : {"owner-release", "re-entrancy", "resource-safety"}) {
    EXPECT_FALSE(judges(permits, property)) << property;
  }
  const auto readers = judged("redisson-read-write", "[workload]\nmode = \"shared\"\n");
  EXPECT_FALSE(judges(readers, "owner-release"));
  EXPECT_TRUE(judges(readers, "re-entrancy") && judges(readers, "mutual-exclusion"));
}

std::string refused(const std::string& text, const std::string& algorithm) {
  try {
    (void)tests::scenario(text, algorithm);
    return "";
  } catch (const harness::InputError& e) {
    return e.what();
  }
}

TEST(SeveralHolders, AreReadersOrHoldersOfPermits) {
  EXPECT_EQ(refused("permits = 2\n[workload]\nmode = \"shared\"\n", "redisson-semaphore"),
            "test.toml: has 2 permits and clients with mode \"shared\": a permit has no modes; leave one of them out");
}

TEST(OwnParameters, AreThoseOfTheLock) {
  const std::string client = "[[client]]\nname = \"client-2\"\nparameters = ";
  const harness::Scenario s = tests::scenario(client + "{ retry = \"20ms\" }\n");
  EXPECT_EQ(s.clients[1].parameters.at("retry"), milliseconds(20));
  EXPECT_TRUE(s.clients[0].parameters.empty());
  EXPECT_TRUE(
      tests::scenario(client + "{ retry = \"50ms\" }\n").clients[1].parameters.empty());  // as [algorithm] has it
  EXPECT_TRUE(refused(client + "{ rety = \"20ms\" }\n", "set-px-token").find("did you mean 'retry'?") !=
              std::string::npos);
}

}  // namespace
}  // namespace lockproof::check::modes_check_test
