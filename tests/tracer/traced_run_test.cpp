// SPDX-License-Identifier: Apache-2.0
// Time, processes, signals and files of traced programs; and how a run ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tracer/worlds.hpp"

namespace lockproof::tracer {
namespace {

using ::testing::HasSubstr;

std::string output_of(const WorldSpec& spec) {
  const WorldReport report = run_world(spec);
  EXPECT_EQ(report.end, WorldReport::End::finished) << report.words << report.hosts.at(0).errors;
  return report.hosts.at(0).output;
}

TEST(TracedRun, HalfAnHourPassesWhereEverybodySleeps) {
  EXPECT_EQ(output_of(world_of_python("import time; a = time.time(); m = time.monotonic(); time.sleep(1800)\n"
                                      "print(round(time.time() - a, 2), round(time.monotonic() - m, 2))")),
            "1800.0 1800.0\n");
}

TEST(TracedRun, AStaticProgramHasItsTimeToo) {
  const WorldReport report = run_world(world_of({LOCKPROOF_STATIC_SLEEPER}));
  EXPECT_EQ(report.hosts.at(0).output, "100 s\n");
  EXPECT_EQ(report.end, WorldReport::End::finished);
}

TEST(TracedRun, ASignalInterruptsASleep) {
  EXPECT_EQ(
      output_of(world_of_python("import signal, time\n"
                                "signal.signal(signal.SIGALRM, lambda *a: print('rings', int(time.time()) % 100))\n"
                                "signal.setitimer(signal.ITIMER_REAL, 1.5)\n"
                                "time.sleep(3); print(int(time.time()) % 100)")),
      "rings 1\n3\n");
}

TEST(TracedRun, ChildrenRunAndAreWaitedFor) {
  EXPECT_EQ(output_of(world_of({"sh", "-c",
                                "sleep 2 & (exit 3); echo $?; wait; date +%s; sleep 100 & kill -9 $!; "
                                "wait $!; echo $?"})),
            "3\n1700000002\n137\n");
}

TEST(TracedRun, ThreadsWaitForEachOther) {
  EXPECT_EQ(output_of(world_of_python(
                "import threading, time\nq = threading.Condition(); seen = []\n"
                "def f(i):\n  with q:\n    seen.append((i, q.wait(2.5 + i), int(time.time()) % 100))\n"
                "t = [threading.Thread(target=f, args=(i,)) for i in range(3)]\n"
                "[x.start() for x in t]; time.sleep(3)\nwith q: q.notify_all()\n[x.join() for x in t]; print(seen)")),
            "[(0, False, 2), (1, True, 3), (2, True, 3)]\n");
}

TEST(TracedRun, LargeWritesIntoPipesArriveWhole) {
  EXPECT_EQ(output_of(world_of({"sh", "-c", "head -c 300000 /dev/zero | (sleep 1; wc -c)"})), "300000\n");
}

TEST(TracedRun, AProgramReadsWhatItIsTold) {
  WorldSpec spec = world_of({"sh", "-c", "echo ready; read a; echo got $a; read b; echo got $b; read c || echo end"});
  spec.hosts[0].input = {"one", "two"};
  EXPECT_EQ(output_of(spec), "ready\ngot one\ngot two\nend\n");
}

TEST(TracedRun, ACallThatIsNotServedIsRefusedByName) {
  const WorldReport report = run_world(world_of_python("import ctypes; ctypes.CDLL(None).unshare(0)"));
  EXPECT_EQ(report.end, WorldReport::End::refused);
  EXPECT_EQ(report.words, "client makes the call unshare, which is not served");
}

TEST(TracedRun, AWaitThatIsNotServedIsRefusedByNameInTime) {
  const WorldReport report =
      run_world(world_of_python("import os; os.mkfifo('f'); os.open('f', os.O_RDONLY)"));  // nobody opens it to write
  EXPECT_EQ(report.end, WorldReport::End::refused);
  EXPECT_EQ(report.words, "client waits in the call openat, whose wait is not served");
}

TEST(TracedRun, WhoPollsWithoutEndIsRefused) {
  const WorldReport report = run_world(world_of_python("import os\nwhile True: os.getrandom(1)"));
  EXPECT_EQ(report.end, WorldReport::End::refused);
  EXPECT_EQ(report.words, "client polls without end");
}

TEST(TracedRun, WhoWaitsForEverIsStuck) {
  EXPECT_EQ(run_world(world_of({"sleep", "infinity"})).end, WorldReport::End::stuck);
  EXPECT_EQ(run_world(world_of_python("import signal; signal.pause()")).end, WorldReport::End::stuck);
}

TEST(TracedRun, WhoPollsTheClockReachesTheLimit) {
  WorldSpec spec = world_of({"sh", "-c", "while :; do sleep 1; done"});
  spec.limit = 10 * second;
  const WorldReport report = run_world(spec);
  EXPECT_EQ(report.end, WorldReport::End::limit);
  EXPECT_EQ(report.words, "not over at 10 s of virtual time");
}

TEST(TracedRun, ASignalDoesNotEndAWaitForAThread) {
  EXPECT_EQ(output_of(world_of_python("import signal, threading, time\n"
                                      "signal.signal(signal.SIGALRM, lambda *a: print('rings'))\n"
                                      "signal.setitimer(signal.ITIMER_REAL, 1.5)\n"
                                      "print(threading.Event().wait(3), int(time.time()) % 100)")),
            "rings\nFalse 3\n");
}

/// PostgreSQL waits for its own signals so, one of which it ignores besides.
TEST(TracedRun, ASignalThatIsBlockedAndIgnoredIsReadByASignalfd) {
  EXPECT_EQ(
      output_of(world_of_python(
          "import ctypes, os, select, signal, time\n"
          "signal.signal(signal.SIGUSR1, signal.SIG_IGN); signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])\n"
          "mask = ctypes.c_uint64(1 << signal.SIGUSR1 - 1); c = ctypes.CDLL(None)\n"
          "f = c.signalfd(-1, ctypes.byref(mask), 0); e = select.epoll(); e.register(f, select.EPOLLIN)\n"
          "if os.fork() == 0: time.sleep(1); os.kill(os.getppid(), signal.SIGUSR1); os._exit(0)\n"
          "print(len(e.poll(5)), int(time.time()) % 100)")),
      "1 1\n");
}

TEST(TracedRun, AProgramThatIsNotThereSaysSo) {
  const WorldReport report = run_world(world_of({"no-such-program"}));
  EXPECT_EQ(report.hosts.at(0).code, 127);
  EXPECT_THAT(report.hosts.at(0).errors, HasSubstr("cannot be started"));
}

TEST(WorldReport, LeavesItsWorldWhole) {
  WorldReport report;
  report.end = WorldReport::End::limit;
  report.words = "words";
  report.log = std::string("a\0b", 3);
  report.hosts = {{"out", "err", 3}, {}};
  report.cuts = 2;
  report.ended_at = 12;
  const WorldReport back = report_from(to_bytes(report));
  EXPECT_EQ(back.end, report.end);
  EXPECT_EQ(back.words, report.words);
  EXPECT_EQ(back.log, report.log);
  EXPECT_EQ(back.hosts, report.hosts);
  EXPECT_EQ(back.cuts, 2U);
  EXPECT_EQ(back.ended_at, 12);
  EXPECT_THROW((void)report_from("abc"), std::runtime_error);
}

}  // namespace
}  // namespace lockproof::tracer
