// SPDX-License-Identifier: Apache-2.0
// A real PostgreSQL of ours: what a lost connection means there, by whose clock a row ends, and how it stands still,
// ends and starts again with all its processes.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>
#include <vector>

#include "algorithms/postgres/requests.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/errors.hpp"
#include "real/services/postgres/password.hpp"
#include "real/services/postgres/postgres_host.hpp"

namespace lockproof::real::postgres_host_test {
namespace {

namespace sql = lockproof::postgres;

const Reply yes = Reply::array({Reply::bulk("t")}), no = Reply::array({Reply::bulk("f")});
constexpr int soon_ms = 100, at_last_ms = 10'000;

/// Whoever is dead and not reaped does not run.
bool runs(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(stat, text)) return false;
  return text.at(text.rfind(')') + 2) != 'Z';
}

class PostgresHostTest : public testing::Test {
 protected:
  void SetUp() override {
    spec.name = "postgres-1";
    host = std::make_unique<PostgresHost>(spec, janitor, 20, postgres_program(""));
    host->await_ready();
    host->attach(loop);
    host->start(WorldTime(machine_ns(), 20), false);
    for (PqControl* control : {&a, &b}) ASSERT_TRUE(control->connect(host->port()));
  }
  void TearDown() override { host->detach(); }
  template <class R>
  static Reply ask(PqControl& control, const Call<R>& call) {
    return control.ask(call.command).value_or(Reply::error("no answer"));
  }
  [[nodiscard]] std::vector<pid_t> processes() {
    const pid_t first = host->child().pid();
    std::ifstream list("/proc/" + std::to_string(first) + "/task/" + std::to_string(first) + "/children");
    std::vector<pid_t> all{first};
    for (pid_t child = 0; list >> child;) all.push_back(child);
    return all;
  }
  void start_again() {
    bool up = false;
    host->start_again([&] { up = true; });
    while (!up) loop.turn();
  }
  /// Until it gets the lock, or not for a long time.
  static bool gets(PqControl& control, int at_most_ms) {
    const std::int64_t give_up = machine_ns() + std::int64_t{at_most_ms} * 1'000'000;
    while (ask(control, sql::try_advisory("lock")) != yes) {
      if (machine_ns() > give_up) return false;
      nap();
    }
    return true;
  }

  Janitor janitor;
  EventLoop loop;
  harness::ServerSpec spec;
  std::unique_ptr<PostgresHost> host;
  PqControl a, b;
};

TEST_F(PostgresHostTest, NobodyElseOnThisMachineGetsIn) {
  const auto psql = [this](const std::string& password) {
    const std::string line = "PGPASSFILE=/dev/null/none PGPASSWORD='" + password + "' psql -w -h 127.0.0.1 -p " +
                             std::to_string(host->port()) + " -U postgres -c 'select 1' >/dev/null 2>&1";
    return ::system(line.c_str());
  };
  EXPECT_NE(psql(""), 0);
  EXPECT_NE(psql("postgres"), 0);
  EXPECT_EQ(psql(postgres_password()), 0);
}

TEST_F(PostgresHostTest, TheEndOfAConnectionFreesItsLockAtOnce) {
  EXPECT_EQ(ask(a, sql::try_advisory("lock")), yes);
  EXPECT_EQ(ask(b, sql::try_advisory("lock")), no);
  a.close();
  EXPECT_TRUE(gets(b, at_last_ms));
}

TEST_F(PostgresHostTest, AConnectionThatEndsInsideAStatementKeepsItsLockUntilThatEnds) {
  EXPECT_EQ(ask(a, sql::try_advisory("lock")), yes);
  EXPECT_TRUE(a.send(Command({"SQL", "select pg_sleep(0.6)", "0"})));
  a.close();
  EXPECT_FALSE(gets(b, soon_ms));
  EXPECT_TRUE(gets(b, at_last_ms));
}

TEST_F(PostgresHostTest, ARowEndsByItsWallClock) {
  ASSERT_FALSE(ask(a, sql::take_row("lock", "a", milliseconds(3'600'000))).is_nil());
  EXPECT_TRUE(host->shows("lock"));
  EXPECT_TRUE(ask(b, sql::take_row("lock", "b", milliseconds(1'000))).is_nil());
  host->jump(std::chrono::hours(2));
  EXPECT_FALSE(host->shows("lock"));
  EXPECT_EQ(ask(b, sql::take_row("lock", "b", milliseconds(1'000))), Reply::array({Reply::bulk("2")}));
}

TEST_F(PostgresHostTest, StandsStillWithAllItsProcesses) {
  host->child().stop();
  EXPECT_TRUE(a.send(sql::try_advisory("lock").command));
  EXPECT_FALSE(a.answer(soon_ms));
  host->child().go_on();
  EXPECT_EQ(a.answer(at_last_ms), yes);
}

TEST_F(PostgresHostTest, StartsAgainWithWhatWasCommittedAndWithoutLocksOfConnections) {
  EXPECT_EQ(ask(a, sql::try_advisory("lock")), yes);
  EXPECT_EQ(ask(a, sql::next_fence("lock")), Reply::array({Reply::bulk("1")}));
  const std::vector<pid_t> all = processes();
  ASSERT_GE(all.size(), 4u);
  host->kill();
  for (const pid_t one : all) EXPECT_FALSE(runs(one)) << "a process of the server is left";
  start_again();
  ASSERT_TRUE(b.connect(host->port()));
  EXPECT_FALSE(host->shows("lock"));
  EXPECT_EQ(ask(b, sql::next_fence("lock")), Reply::array({Reply::bulk("2")}));
}

TEST(PostgresProgram, AMissingOneIsNamedWithItsPackage) {
  Janitor janitor;
  harness::ServerSpec spec;
  spec.name = "postgres-1";
  const std::string path = ::getenv("PATH");
  ASSERT_EQ(::setenv("PATH", "/nonexistent", 1), 0);
  try {
    const PostgresHost host(spec, janitor, 1, {.name = "postgres", .package = "postgresql-15"});
    FAIL() << "it started";
  } catch (const BadEnvironment& e) {
    EXPECT_NE(std::string(e.what()).find("apt-get install postgresql-15"), std::string::npos) << e.what();
  }
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace lockproof::real::postgres_host_test
