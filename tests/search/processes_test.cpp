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

/// Which of two answers came first decides the second rounds, long after all else is equal.
TEST(Processes, DifferInWhatTheyRemember) {
  for (const char* client : {"client-1", "client-2"}) {
    const std::string lua =
        "local last\nfunction acquire(name, lease)\n  if client.round == 1 then\n"
        "    call(\"GET\", name)\n    last = client.name\n    return { token = \"mine\" }\n  end\n"
        "  if last == \"" +
        std::string(client) +
        "\" then return { token = \"mine\" } end\n"
        "  local won, why = call(\"SET\", name, client.name, \"NX\", \"PX\", lease)\n"
        "  if why then return failed(why) end\n  return won and { token = \"mine\" } or busy()\n"
        "end\nfunction release(grant) if client.round == 2 then call(\"DEL\", grant.name) end "
        "return true end\n";
    const std::string rounds =
        "[workload]\nrounds = 2\nlease = \"30s\"\nattempts = 2\nthink_time = \"5s\"\nwork = [\"hold 10us\"]\n"
        "[[client]]\nname = \"client-1\"\nprocess = \"p\"\n[[client]]\nname = \"client-2\"\nprocess = \"p\"\n"
        "[explore]\nmax_faults = 0\n";
    const Answer found = answer_of(lua, rounds);
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
