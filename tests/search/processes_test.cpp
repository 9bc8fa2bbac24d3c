// SPDX-License-Identifier: Apache-2.0
// Clients that are tasks of one process, in a search: each order of what is ready at one instant, and states that
// differ in the shared memory alone are two.
#include "harness/lua/lua_algorithm.hpp"
#include "search/search.hpp"
#include "tests/search/both_engines.hpp"

namespace lockproof::search::processes_test {
namespace {

const std::string two_tasks =
    "[workload]\nlease = \"30s\"\nattempts = 2\nwork = [\"hold 1s\"]\n"
    "[[client]]\nname = \"client-1\"\nprocess = \"p\"\n"
    "[[client]]\nname = \"client-2\"\nprocess = \"p\"\nstart = \"2ms\"\n[explore]\nmax_faults = 0\n";

/// A mutex in memory. `first` and `then`: what an attempt does once it has found it free.
std::string mutex(const std::string& first, const std::string& then) {
  return "local taken = false\nfunction acquire(name, lease)\n  if taken then return busy() end\n  " + first + "\n  " +
         then + "\n  return { token = \"mine\" }\nend\nfunction release(grant) taken = false return skipped() end\n";
}

Answer answer_of(const std::string& lua, const std::string& rest = two_tasks) {
  Question question;
  question.scenario = harness::parse_scenario("test.toml", "[algorithm]\nname = \"set-px-token\"\n" + rest,
                                              lua::load_algorithm("mine.lua", lua));
  question.bounds = question.scenario.explore.value();
  return answer(question, {});
}

const sim::ViolationKind both_inside{"mutual-exclusion", "double-grant"};

/// client-2 begins at the instant at which client-1's answer comes: in one of the two orders it finds the mutex free.
TEST(Processes, AreSearchedInEachOrderOfTheirTasks) {
  const std::string look = "call(\"GET\", name)", take = "taken = true";
  const Answer late = answer_of(mutex(look, take));
  EXPECT_EQ(late.end, End::complete);
  EXPECT_TRUE(late.found.broken.contains(both_inside));
  const Answer sound = answer_of(mutex(take, look));
  EXPECT_EQ(sound.end, End::complete);
  EXPECT_TRUE(sound.found.acquired);
  EXPECT_FALSE(sound.found.broken.contains(both_inside));
}

/// Which of two answers came first decides the second attempts, long after all else is equal; also while a third task
/// is in the midst of a call.
class Memory : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, Memory, testing::Values(2, 3));

TEST_P(Memory, IsPartOfAState) {
  for (const std::string client : {"client-1", "client-2"}) {
    const std::string lua =
        "local last\nfunction acquire(name, lease)\n  if client.name == \"client-3\" then\n"
        "    message(\"news\", clock.mono() + 8000)\n    return busy()\n  end\n  if client.attempt == 1 then\n    "
        "call(\"GET\", name)\n"
        "    last = client.name\n    return busy()\n  end\n  if last == \"" +
        client +
        "\" then return { token = \"mine\" } end\n"
        "  local won, why = call(\"SET\", name, client.name, \"NX\", \"PX\", lease)\n"
        "  if why then return failed(why) end\n  return won and { token = \"mine\" } or busy()\nend\n"
        "function release(grant) return skipped() end\n";
    const std::string both_at_once =
        "[workload]\nclients = " + std::to_string(GetParam()) +
        "\nlease = \"30s\"\nattempts = 2\nretry = \"5s\"\nwork = [\"hold 1s\"]\n"
        "[[client]]\nname = \"client-1\"\nprocess = \"p\"\n[[client]]\nname = \"client-2\"\nprocess = \"p\"\n" +
        (GetParam() > 2 ? "[[client]]\nname = \"client-3\"\nprocess = \"p\"\nattempts = 1\n" : "") +
        "[explore]\nmax_faults = 0\n";
    const Answer found = answer_of(lua, both_at_once);
    EXPECT_EQ(found.end, End::complete);
    const auto shown = found.found.broken.find(both_inside);
    ASSERT_NE(shown, found.found.broken.end()) << client;
    EXPECT_TRUE(found.counterexample(both_inside, shown->second, seconds(60)).has_value()) << client;
  }
}

TEST(Processes, AreRefusedByNameWhereAnEngineCannot) {
  Question question;
  question.scenario = tests::scenario(two_tasks);
  question.bounds = question.scenario.explore.value();
  EXPECT_EQ(why_reexecution(question), "clients that are tasks of one process");
  EXPECT_EQ(why_no_zones(question), "clients that are tasks of one process");
}

}  // namespace
}  // namespace lockproof::search::processes_test
