// SPDX-License-Identifier: Apache-2.0
// What a look at a PostgreSQL shows of the locks of its connections.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "real/os/janitor.hpp"
#include "real/services/postgres/lock_watch.hpp"
#include "real/services/postgres/postgres_host.hpp"
#include "real/services/server_program.hpp"

namespace lockproof::real::postgres_lock_watch_test {
namespace {

class PostgresLockWatch : public testing::Test {
 protected:
  PostgresLockWatch() {
    spec_.name = "postgres-1";
    host_ = std::make_unique<PostgresHost>(spec_, janitor_, 1, postgres_program(""));
    host_->await_ready();
    host_->attach(loop_);
    host_->start(WorldTime(machine_ns(), 1), false);
    watch_ = watch_locks([this] { return host_->port(); });
    EXPECT_TRUE(a.connect(host_->port()) && b.connect(host_->port()));
  }
  ~PostgresLockWatch() override { host_->detach(); }

  static std::string ask(PqControl& connection, const std::string& statement) {
    const auto reply = connection.ask(statement);
    return reply && reply->kind() == Reply::Kind::array ? reply->items()[0].value().bytes() : "";
  }
  static int port(PqControl& connection) { return std::stoi(ask(connection, "select inet_client_port()")); }

  /// "locked advisory 7, unlocked advisory 7", after a command of this connection; 0: of none.
  std::string shown(int after, const std::string& key = "advisory 7") {
    last_ = watch_->look(key, after).value();
    std::string all;
    for (const harness::Effect& effect : last_.effects)
      all += (all.empty() ? "" : ", ") + effect.event + " " + effect.key;
    return all;
  }

  Janitor janitor_;
  EventLoop loop_;
  harness::ServerSpec spec_;
  std::unique_ptr<PostgresHost> host_;
  std::unique_ptr<KeyWatch> watch_;
  KeyWatch::Look last_;
  PqControl a, b;
};

TEST_F(PostgresLockWatch, AnAdvisoryLockIsLockedUnlockedAndFreed) {
  ask(a, "select pg_try_advisory_lock(7)");
  EXPECT_EQ(shown(port(a)), "locked advisory 7");
  EXPECT_TRUE(last_.there);
  EXPECT_EQ(shown(port(a)), "");
  ask(a, "select pg_advisory_unlock(7)");
  EXPECT_EQ(shown(port(a)), "unlocked advisory 7");
  EXPECT_FALSE(last_.there);
  ask(a, "select pg_advisory_lock(-1), pg_advisory_lock(1, -2)");
  EXPECT_EQ(shown(port(a)), "locked advisory -1, locked advisory 1,-2");
  a.close();
  std::set<std::string> freed;  // the end of a session frees one lock after the other; a look may come between
  for (int tries = 0; tries < 1000 && freed.size() < 2; ++tries, nap()) {
    shown(0);
    for (const harness::Effect& effect : last_.effects) freed.insert(effect.event + " " + effect.key);
  }
  EXPECT_EQ(freed, (std::set<std::string>{"freed advisory -1", "freed advisory 1,-2"}));
}

TEST_F(PostgresLockWatch, SharedLocksAreNotLookedAt) {
  ask(a, "select pg_advisory_lock_shared(7)");
  EXPECT_EQ(shown(port(a)), "");
}

TEST_F(PostgresLockWatch, WhatAnotherConnectionGotIsShownAfterItsOwnAnswer) {
  ask(a, "select pg_advisory_lock(7)");
  EXPECT_EQ(shown(port(a)), "locked advisory 7");
  const int of_b = port(b);
  ASSERT_TRUE(b.send(Command({"SQL", "select pg_advisory_lock(7)", "0"})));
  for (int tries = 0; tries < 1000 && !watch_->waits(of_b); ++tries) nap();
  EXPECT_TRUE(watch_->waits(of_b));
  EXPECT_FALSE(watch_->waits(port(a)));
  ask(a, "select pg_advisory_unlock(7)");
  ASSERT_TRUE(b.answer(5000));
  EXPECT_EQ(shown(port(a)), "unlocked advisory 7");
  EXPECT_TRUE(last_.there);
  EXPECT_EQ(shown(0), "");
  EXPECT_EQ(shown(of_b), "locked advisory 7");
}

TEST_F(PostgresLockWatch, ARowIsLockedForUpdateUntilItsTransactionEnds) {
  ask(a, "create table \"My jobs\" (id int primary key, state text)");
  ask(a, "insert into \"My jobs\" values (17, 'new')");
  ask(a, "begin");
  ask(a, "select * from \"My jobs\" for update");
  EXPECT_EQ(shown(port(a)), "locked row 17 of My jobs");
  ask(a, "update \"My jobs\" set state = 'done'");
  EXPECT_EQ(shown(port(a)), "");
  ask(a, "rollback");
  EXPECT_EQ(shown(port(a)), "unlocked row 17 of My jobs");
  ask(a, "begin");
  ask(a, "update \"My jobs\" set state = 'done'");  // it locks the row by the way
  EXPECT_EQ(shown(port(a)), "");
}

TEST_F(PostgresLockWatch, ARowOfLeasesIsTakenRenewedGivenAndExpires) {
  const std::string key = "row x of leases";
  const std::string until = "until = clock_timestamp() + interval '{} ms'";
  const auto in = [](const char* ms) { return std::string("clock_timestamp() + interval '") + ms + " ms'"; };
  ask(a, "begin");
  ask(a, "insert into leases values ('x', 'me', " + in("60000") + ", 1)");
  EXPECT_EQ(shown(port(a), key), "");  // nobody sees it
  ask(a, "commit");
  EXPECT_EQ(shown(port(a), key), "taken row x of leases, until row x of leases");
  EXPECT_NEAR(static_cast<double>(last_.ttl->count()), 60'000, 10'000);
  ask(a, "update leases set until = " + in("90000"));
  EXPECT_EQ(shown(port(a), key), "until row x of leases");
  ask(a, "update leases set until = '-infinity'");
  EXPECT_EQ(shown(port(a), key), "given row x of leases");
  EXPECT_FALSE(last_.there);
  ask(b, "update leases set owner = 'you', fence = 2, until = " + in("30"));
  EXPECT_EQ(shown(port(b), key), "taken row x of leases, until row x of leases");
  std::string over;
  for (int tries = 0; tries < 1000 && over.empty(); ++tries) over = shown(0, key), nap();
  EXPECT_EQ(over, "expired row x of leases");
  ask(b, "update leases set fence = 3, until = 'infinity'");
  EXPECT_EQ(shown(port(b), key), "taken row x of leases, until row x of leases");
  EXPECT_TRUE(last_.there && !last_.ttl);
  ask(b, "delete from leases");
  EXPECT_EQ(shown(port(b), key), "deleted row x of leases");
}

TEST_F(PostgresLockWatch, AServerThatHasStartedAgainIsLookedAtAgain) {
  ask(a, "select pg_advisory_lock(7)");
  EXPECT_EQ(shown(port(a)), "locked advisory 7");
  host_->kill();
  EXPECT_FALSE(watch_->look("advisory 7", 0));
  bool up = false;
  host_->start_again([&] { up = true; });
  while (!up) loop_.turn();
  EXPECT_EQ(shown(0), "freed advisory 7");
}

/// The kernel's list of System V segments: who made which.
bool has_made_a_segment(pid_t pid) {
  std::ifstream list("/proc/sysvipc/shm");
  std::string line;
  std::getline(list, line);
  while (std::getline(list, line)) {
    std::istringstream words(line);
    long key = 0, id = 0, rights = 0, size = 0, creator = 0;
    words >> key >> id >> rights >> size >> creator;
    if (creator == pid) return true;
  }
  return false;
}

TEST_F(PostgresLockWatch, NoSharedMemoryStaysBehindWhenTheServerIsKilled) {
  const pid_t server = host_->child().pid();
  EXPECT_TRUE(has_made_a_segment(server));
  host_->kill();
  for (int tries = 0; tries < 2000 && has_made_a_segment(server); ++tries) nap();
  EXPECT_FALSE(has_made_a_segment(server));
}

}  // namespace
}  // namespace lockproof::real::postgres_lock_watch_test
