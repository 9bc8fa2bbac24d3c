// SPDX-License-Identifier: Apache-2.0
// Locks that are programs of their own on a real PostgreSQL. The programs speak its protocol in a few lines of Python's
// standard library.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "real/run/learned_run.hpp"
#include "tests/real/programs.hpp"

namespace lockproof::tests::postgres_program_test {
namespace {

using check::Verdict;
using harness::Change;
using harness::What;
using programs::kind_of;
using programs::RunOutcome;
using programs::of;

const char* const head = R"PY(
import hashlib, json, os, socket, struct, sys, time
lease, me = int(os.environ["LOCKPROOF_LEASE_MS"]), os.environ["LOCKPROOF_CLIENT"]
def read(count):
    bytes = wire.recv(count, socket.MSG_WAITALL)
    if len(bytes) < count: raise ConnectionError("the server has ended the connection")
    return bytes
def answer():
    value, error = None, None
    while True:
        kind, size = struct.unpack("!ci", read(5)); body = read(size - 4)
        if kind == b"R" and body[:4] == b"\0\0\0\5": say_password(body[4:])
        if kind == b"D": value = body[6:6 + struct.unpack("!i", body[2:6])[0]].decode()
        if kind == b"E": error = body.decode()
        if kind == b"Z" and error: raise RuntimeError(error)
        if kind == b"Z": return value
def md5(*parts): return hashlib.md5(b"".join(parts)).hexdigest().encode()
def say_password(salt):
    proof = b"md5" + md5(md5(os.environ["PGPASSWORD"].encode(), b"postgres"), salt) + b"\0"
    wire.sendall(b"p" + struct.pack("!i", len(proof) + 4) + proof)
def connect():
    global wire
    wire = socket.create_connection((os.environ["PGHOST"], int(os.environ["PGPORT"])))
    body = struct.pack("!i", 196608) + b"user\0postgres\0database\0postgres\0\0"
    wire.sendall(struct.pack("!i", len(body) + 4) + body); answer()
def ask(sql):
    wire.sendall(b"Q" + struct.pack("!i", len(sql) + 5) + sql.encode() + b"\0"); return answer()
def say(word, **more): print(json.dumps({"say": word, **more}), flush=True)
connect()
)PY";

/// A lock of these two lines, or of what they begin.
std::string program(const std::string& acquire, const std::string& release, const std::string& before = "") {
  return head + before + "\nsay(\"ready\", protocol=1, name=\"test\")\nfor line in sys.stdin:\n" +
         "    do = json.loads(line)[\"do\"]\n    try:\n        if do == \"acquire\":\n            " + acquire +
         "\n            say(\"acquired\")\n        elif do == \"touch\": say(\"touch\")\n" +
         "        elif do == \"release\": " + release + "; say(\"released\")\n        elif do == \"quit\": break\n" +
         "    except OSError as e:\n        say(\"failed\", error=str(e)); connect()\n";
}
const std::string polls = "while ask(\"select pg_try_advisory_lock(7)\") != \"t\": time.sleep(lease / 6000)";
const std::string unlocks = "ask(\"select pg_advisory_unlock(7)\")";

const std::string on_postgres = "[servers]\npostgres = 1\n";
RunOutcome run(const std::string& text, const std::string& more = "", const std::string& servers = on_postgres) {
  RunOutcome ran{programs::scenario(text, servers + more, "", "1s"), {}, {}};
  ran.scenario.program->known_key = real::learn_key(ran.scenario, {}).key;
  ran.history = real::run(ran.scenario, {});
  ran.findings = check::judge(ran.history, ran.scenario);
  return ran;
}
std::string fault(const std::string& kind, const std::string& when, const std::string& more = "") {
  return "[[fault]]\nkind = \"" + kind + "\"\ntarget = \"client-1\"\nwhen = \"" + when + "\"\n" + more;
}

/// "client-1 locked, client-1 unlocked": what servers did to the lock, and for whom.
std::string done_to_the_lock(const RunOutcome& ran) {
  std::string all;
  for (const harness::Event& event : ran.history.events) {
    for (const harness::Effect& effect : event.effects) {
      if (effect.key != "lock" || effect.change == Change::renewed) continue;
      all += (all.empty() ? "" : ", ") + ran.history.host_name(event.peer) + " " + effect.event;
    }
  }
  return all;
}
const std::string one_after_the_other = "client-1 locked, client-1 unlocked, client-2 locked, client-2 unlocked";

void expect_good(const RunOutcome& ran) {
  for (const check::Finding& finding : ran.findings)
    EXPECT_NE(finding.verdict, Verdict::violated) << finding.property << ": " << finding.what;
}

TEST(PostgresProgram, AnAdvisoryLockIsLostWithItsConnection) {
  const RunOutcome good = run(program(polls, unlocks));
  expect_good(good);
  EXPECT_EQ(done_to_the_lock(good), one_after_the_other);
  EXPECT_EQ(programs::first_send_state(good, "PG_TRY_ADVISORY_LOCK"), "free");
  const RunOutcome ran =
      run(program(polls, unlocks), fault("break-connection", "client-1 enters", "peer = \"postgres-1\"\n"));
  EXPECT_EQ(kind_of(ran, "mutual-exclusion"), "double-grant");
  EXPECT_EQ(done_to_the_lock(ran), "client-1 locked, client-1 freed, client-2 locked, client-2 unlocked");
}

TEST(PostgresProgram, WhoWaitsInTheServerKeepsNobodyElseWaiting) {
  const RunOutcome ran = run(program("ask(\"select pg_advisory_lock(7)\")", unlocks));
  expect_good(ran);
  EXPECT_EQ(done_to_the_lock(ran), one_after_the_other);
  EXPECT_LT(ran.history.header.late_us.value_or(0), 200'000) << "it waited, and was not late";
}

TEST(PostgresProgram, ARowThatIsLockedForUpdateIsALock) {
  const std::string makes =
      "ask('select pg_advisory_lock(1)')\n"
      "ask('create table if not exists jobs (id int primary key, state text)')\n"
      "ask(\"insert into jobs values (1, 'new') on conflict do nothing\")\n"
      "ask('select pg_advisory_unlock(1)')\n";
  const RunOutcome ran =
      run(program("ask('begin'); ask('select * from jobs where id = 1 for update')",
                  "ask(\"update jobs set state = 'done' where id = 1\"); ask('commit')", makes));
  expect_good(ran);
  EXPECT_EQ(done_to_the_lock(ran), one_after_the_other) << "what programs lock before they are ready is no lock";
  EXPECT_EQ(of(ran, "grant-is-valid").verdict, Verdict::not_found);
}

TEST(PostgresProgram, ALeaseIsOutlivedByAPause) {
  const std::string take =
      "while not ask(f\"insert into leases values ('lock', '{me}', clock_timestamp() + interval '{lease} ms', 1) \""
      " f\"on conflict (name) do update set owner = '{me}', fence = leases.fence + 1, \""
      " f\"until = clock_timestamp() + interval '{lease} ms' where leases.until < clock_timestamp() returning fence\"):"
      " time.sleep(lease / 6000)";
  const std::string give = "ask(f\"update leases set until = '-infinity' where owner = '{me}'\")";
  const RunOutcome good = run(program(take, give));
  expect_good(good);
  EXPECT_EQ(done_to_the_lock(good), "client-1 taken, client-1 given, client-2 taken, client-2 given");
  const RunOutcome ran = run(program(take, give), fault("pause", "client-1 enters",
                                                             "for = \"3s\"\nuntil = \"client-2 enters\"\n"
                                                             "longer = \"150ms\"\n"));
  EXPECT_EQ(kind_of(ran, "mutual-exclusion"), "outlived");
}

TEST(PostgresProgram, ALockThatIsNotSeenIsNotJudgedByWhatItsServersDid) {
  const std::string makes =
      "ask('select pg_advisory_lock(1)')\n"
      "ask('create table if not exists locks (name text primary key)')\n"
      "ask('select pg_advisory_unlock(1)')\n";
  const RunOutcome ran =
      run(program("while not ask(\"insert into locks values ('x') on conflict do nothing returning name\"): "
                  "time.sleep(lease / 6000)",
                  "ask('delete from locks')", makes));
  expect_good(ran);
  EXPECT_FALSE(of(ran, "grant-is-valid").judged) << "no key of a server: who is inside is what can be judged";
  EXPECT_EQ(of(ran, "mutual-exclusion").verdict, Verdict::not_found);
}

TEST(PostgresProgram, AStandbyThatIsPromotedKnowsNoAdvisoryLocks) {
  const std::string servers =
      "[servers]\npostgres = 2\n[[server]]\nname = \"postgres-2\"\nreplica_of = \"postgres-1\"\n";
  const RunOutcome ran = run(program(polls, unlocks),
                                  "[[fault]]\nkind = \"failover\"\ntarget = \"postgres-1\"\nto = \"postgres-2\"\n"
                                  "when = \"client-1 enters\"\n",
                                  servers);
  EXPECT_EQ(kind_of(ran, "mutual-exclusion"), "double-grant");
}

}  // namespace
}  // namespace lockproof::tests::postgres_program_test
