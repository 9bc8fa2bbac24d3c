// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/semantics/clients.md on clients that are tasks of one process.
#include "harness/input_error.hpp"
#include "harness/lua/lua_algorithm.hpp"
#include "harness/scenario/file/write.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::processes_test {
namespace {

using harness::What;
using tests::event;
using tests::ms;
using tests::where;

const std::string one_process =
    "[[client]]\nname = \"client-1\"\nprocess = \"p\"\n[[client]]\nname = \"client-2\"\nprocess = \"p\"\n";

/// A lock whose attempts send how many the lock object has seen, who asks, and the same once more after a wait.
constexpr const char* counts = R"(
lock = { round_trips = 2 }
local seen = 0
function acquire(name, lease)
  seen = seen + 1
  local mine = client.name .. ":" .. seen
  call("SET", "first", mine)
  local won, why = call("SET", name, client.name .. ":" .. client.attempt .. ":" .. seen, "NX", "PX", lease)
  if why then return failed(why) end
  return won and { token = mine } or busy()
end
function release(grant) call("DEL", grant.name) return true end
)";

harness::Scenario with(const std::string& lua, const std::string& rest) {
  return harness::parse_scenario("test.toml", "[algorithm]\nname = \"set-px-token\"\n" + rest,
                                 lua::load_algorithm("mine.lua", lua));
}

/// The values of the SETs that a client has sent.
std::vector<std::string> values(const harness::History& h, const std::string& client) {
  std::vector<std::string> all;
  for (const std::size_t i : where(h, What::send, client)) {
    const Command& command = *h.events[i].command;
    if (command.verb() == "SET") all.push_back(command.args().at(2).bytes());
  }
  return all;
}
using Values = std::vector<std::string>;

harness::History counted(const std::string& rest) {
  return tests::run(with(counts, "[workload]\nlease = \"10s\"\nattempts = 1\n" + rest));
}

TEST(Processes, HaveOneLockObjectForAllTheirTasks) {
  const std::string later =
      "[[client]]\nname = \"client-1\"\nprocess = \"p\"\n"
      "[[client]]\nname = \"client-2\"\nprocess = \"p\"\nstart = \"5s\"\n";
  EXPECT_EQ(values(counted(later), "client-2"), (Values{"client-2:2", "client-2:1:2"}));
  const std::string apart = "[[client]]\nname = \"client-2\"\nstart = \"5s\"\n";
  EXPECT_EQ(values(counted(apart), "client-2"), (Values{"client-2:1", "client-2:1:1"}));
}

/// Both are in the midst of an attempt at the same instants.
TEST(Processes, TellTheirLockObjectWhoseCallGoesOn) {
  const harness::History h = counted(one_process);
  for (const char* client : {"client-1", "client-2"}) {
    const Values sent = values(h, client);
    ASSERT_EQ(sent.size(), 2u);
    EXPECT_EQ(sent[0].substr(0, 8), client);
    EXPECT_EQ(sent[1], std::string(client) + ":1:2");
  }
}

TEST(Processes, HaveTasksOfBothModes) {
  const harness::History h = tests::run(
      tests::scenario("[workload]\nwork = [\"hold 1s\"]\n" + one_process + "start = \"5s\"\nmode = \"shared\"\n",
                      "redisson-read-write"));
  for (const auto& [client, mode] : {std::pair("client-1", "write"), std::pair("client-2", "read")}) {
    EXPECT_EQ(event(h, What::send, client).command->args().back().bytes(), mode);
  }
}

TEST(Processes, GiveEachTaskConnectionsOfItsOwn) {
  const harness::History h = tests::run(tests::scenario(
      one_process +
      "[workload]\nwork = [\"hold 1s\"]\n[[fault]]\nkind = \"break-connection\"\ntarget = \"client-1\"\n"
      "peer = \"redis-1\"\nat = \"500ms\"\n"));
  EXPECT_EQ(where(h, What::broken, "client-1").size(), 1u);
  EXPECT_TRUE(where(h, What::broken, "client-2").empty());
}

harness::History struck(const std::string& fault, const std::string& rest = "") {
  return tests::run(tests::scenario("[workload]\nlease = \"30s\"\nwork = [\"hold 4s\"]\n" + one_process +
                                    "start = \"1s\"\n" + rest + "[[fault]]\ntarget = \"client-1\"\nat = \"2s\"\n" +
                                    fault));
}

TEST(Processes, ArePausedAsAWhole) {
  const harness::History h = struck("kind = \"pause\"\nfor = \"10s\"\n");
  for (const char* client : {"client-1", "client-2"}) {
    EXPECT_EQ(ms(event(h, What::strike, client)), 2000) << client;
    EXPECT_EQ(ms(event(h, What::heal, client)), 12'000) << client;
    for (const std::size_t i : where(h, What::send, client)) {
      EXPECT_FALSE(ms(h.events[i]) > 2000 && ms(h.events[i]) < 12'000) << client;
    }
  }
  EXPECT_EQ(ms(event(h, What::exit, "client-1")), 12'000);
}

TEST(Processes, CrashAsAWhole) {
  const harness::History h = struck("kind = \"crash\"\n");
  for (const char* client : {"client-1", "client-2"}) {
    EXPECT_EQ(event(h, What::strike, client).word, "crash");
    for (const std::size_t i : where(h, What::send, client)) EXPECT_LE(ms(h.events[i]), 2000) << client;
  }
}

TEST(Processes, LoseOneTaskOnlyWhenATaskIsKilled) {
  const harness::History h = struck("kind = \"kill-task\"\n", "lease = \"5s\"\n");
  EXPECT_TRUE(where(h, What::strike, "client-2").empty());
  EXPECT_TRUE(where(h, What::exit, "client-1").empty());
  EXPECT_EQ(where(h, What::finished, "client-2").size(), 1u);
}

TEST(Processes, HaveOneClock) {
  const harness::History h = struck("kind = \"clock-jump\"\nby = \"+1h\"\n");
  const auto ahead = [&](const char* client) {
    const harness::Event last = h.events[where(h, What::send, client).back()];
    return last.clocks.wall_ms - harness::epoch.count() - ms(last);
  };
  EXPECT_EQ(ahead("client-1"), 3'600'000);
  EXPECT_EQ(ahead("client-2"), 3'600'000);
}

TEST(Processes, ArePartitionedAsAWhole) {
  const harness::History h = struck("kind = \"partition\"\nfor = \"3s\"\n");
  for (const std::size_t i : where(h, What::receive, "client-2")) {
    EXPECT_FALSE(ms(h.events[i]) > 2010 && ms(h.events[i]) < 5000);
  }
}

TEST(Processes, AreWrittenAndReadAgain) {
  const harness::Scenario s = tests::scenario(one_process);
  EXPECT_TRUE(s.shares_processes());
  EXPECT_EQ(s.process_of(1), (std::vector<std::size_t>{0, 1}));
  const harness::Scenario again = harness::parse_scenario("test.toml", harness::to_toml(s));
  EXPECT_EQ(again.clients, s.clients);
  EXPECT_FALSE(tests::scenario("").shares_processes());
}

std::string complaint(const std::string& text) {
  try {
    (void)tests::scenario(text);
    return "";
  } catch (const harness::InputError& e) {
    return e.what();
  }
}

TEST(Processes, OfClientsThatDifferAreRefused) {
  EXPECT_NE(complaint(one_process + "clock = \"+1s\"\n").find("give them the same parameters and the same clock"),
            std::string::npos);
  EXPECT_NE(complaint(one_process + "parameters = { retry = \"1s\" }\n").find("is also that of client-1"),
            std::string::npos);
  EXPECT_NE(complaint("[[client]]\nname = \"client-1\"\nprocess = \"\"\n").find("is empty"), std::string::npos);
}

}  // namespace
}  // namespace lockproof::sim::processes_test
