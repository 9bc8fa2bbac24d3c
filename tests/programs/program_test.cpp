// SPDX-License-Identifier: Apache-2.0
// What a program under the shim does, as a function of what reaches it.
#include "programs/program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "programs/executable.hpp"
#include "programs/refusal.hpp"

namespace lockproof::programs::program_test {
namespace {

using harness::ProgramAct;
using harness::ProgramInput;

constexpr std::int64_t uptime_ns = 1'000'000'000'000'000, wall_ns = 1'700'000'000'000'000'000;

Launch launch(const std::string& mode, std::uint64_t seed = 7) {
  Launch made;
  made.client = "client-1";
  made.servers = {"127.0.0.1:6379"};
  made.start = {LOCKPROOF_SUBJECT, {LOCKPROOF_SUBJECT, mode}, {"LOCKPROOF_SERVERS=127.0.0.1:6379"}, "/", {}, false};
  made.origin = {seed, uptime_ns, wall_ns};
  return made;
}

harness::Readings at_ms(std::int64_t ms) { return {wall_ns / 1'000'000 + ms, ms * 1000, ms * 1000}; }

ProgramInput line(std::int64_t ms) {
  ProgramInput input{.kind = ProgramInput::Kind::line, .clocks = at_ms(ms)};
  input.line = "go";
  return input;
}

ProgramInput time(std::int64_t ms) { return {.kind = ProgramInput::Kind::time, .clocks = at_ms(ms)}; }

/// What it says and sends, one after the other, and until when it waits.
std::string told(Program& program, Program::State state) {
  const harness::ProgramStep& step = program.step(state);
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  for (const ProgramAct& act : step.acts) {
    if (act.kind == ProgramAct::Kind::says) add(act.line);
    if (act.kind == ProgramAct::Kind::connects) add(fmt::format("connects to {}", act.server));
    if (act.kind == ProgramAct::Kind::closes) add("closes");
    if (act.kind == ProgramAct::Kind::sends) add(fmt::format("sends {}", act.command->verb()));
  }
  if (step.until_us) add(fmt::format("until {} ms", *step.until_us / 1000));
  if (!step.ended.empty()) add(step.ended);
  return text;
}

/// What it does when it is told to go, if each send is a wait.
TEST(Program, EachSendIsAWaitIfThatIsAsked) {
  Launch launched = launch("asks");
  launched.origin.pauses_at_sends = true;
  Program program(std::move(launched));
  Program plain(launch("asks"));
  EXPECT_EQ(told(plain, plain.after(plain.ready(), line(5))), "connects to 0; sends GET; until 2005 ms");
  const auto sent = program.after(program.ready(), line(5));
  EXPECT_EQ(told(program, sent), "connects to 0; sends GET; until 5 ms");
  EXPECT_EQ(told(program, program.after(sent, time(7))), "until 2007 ms");  // it was paused, and reads its clock now
}

std::string never_ready(const std::string& mode) {
  try {
    Program program(launch(mode));
    (void)program.ready();
  } catch (const std::runtime_error& e) {  // a Refusal, or BadEnvironment
    return e.what();
  }
  return "is ready";
}

TEST(Shim, TimePassesOnlyWhileTheProgramWaits) {
  Program program(launch("sleeps"));
  Program::State state = program.after(program.ready(), line(1000));
  EXPECT_EQ(told(program, state), "until 2500 ms");
  state = program.after(state, time(2500));
  EXPECT_EQ(told(program, state), "until 2750 ms");
  state = program.after(state, time(2750));
  EXPECT_EQ(told(program, state), "1750 1750");
}

TEST(Shim, AWallClockThatJumpsMovesNoOtherClock) {
  Program program(launch("sleeps"));
  Program::State state = program.after(program.ready(), line(1000));
  state = program.after(state, time(2500));
  ProgramInput jumped = time(2750);
  jumped.clocks.wall_ms += 60'000;
  EXPECT_EQ(told(program, program.after(state, jumped)), "1750 61750");
}

TEST(Shim, ThreadsRunOneAtATimeInOneOrder) {
  Program program(launch("threads"));
  Program::State state = program.after(program.ready(), line(0));
  std::string all = told(program, state);
  for (int ms = 1; ms < 20 && all.find("010101") == std::string::npos; ++ms) {
    state = program.after(state, time(ms));
    all = told(program, state);
  }
  EXPECT_EQ(all, "010101");
}

TEST(Shim, ThreadsWaitForEachOtherOnEveryKindOfLock) {
  Program program(launch("locks"));
  Program::State state = program.after(program.ready(), line(0));
  for (int ms = 1; ms < 20 && told(program, state).find("done") == std::string::npos; ++ms) {
    state = program.after(state, time(ms));
  }
  EXPECT_EQ(told(program, state), "has read, writes, lets spin, has spun, wakes, is woken, Connection timed out, done");
}

TEST(Shim, TheMachineIsTheSameEverywhere) {
  Program program(launch("machine"));
  EXPECT_EQ(told(program, program.after(program.ready(), line(0))), "lockproof, 1 processor, 4096 MiB");
}

/// As in a run of lockproof, which draws the name of a folder and makes it.
Launch launch_in_a_folder(const std::string& mode) {
  Launch made = launch(mode);
  std::string name = std::filesystem::temp_directory_path() / "lockproof-shim-XXXXXX";
  if (!::mkdtemp(name.data())) throw std::runtime_error("no folder");
  made.start.folder = name;
  made.origin.drawn_name = std::filesystem::path(name).filename().string();
  made.origin.files_from_ns = 1;
  return made;
}

TEST(Shim, WhatTheMachineTellsOfARunIsTheSameInEachRun) {
  std::string first;
  for (int run = 0; run < 2; ++run) {
    const Launch made = launch_in_a_folder("around");
    Program program(made);
    const std::string seen = told(program, program.after(program.ready(), line(0)));
    EXPECT_EQ(seen.find("1000 us, 65536 kB, 100000000 ticks, 0 us, 1000000.00 0.00, 0.00 0.00 0.00 1/1 4242, MemTotal"),
              0u)
        << seen;
    EXPECT_TRUE(seen.ends_with("/lockproof-shim-XXXXXX")) << seen;
    EXPECT_TRUE(
        program.executed().noticed.contains({"shows the name of its folder, which is another one in each run"}));
    EXPECT_FALSE(program.executed().noticed.contains(
        {"asks when a file was written, which it has written itself: it is shown as now"}))
        << "what the shim shows it, it has not written";
    if (first.empty()) first = seen;
    EXPECT_EQ(seen, first);
    std::filesystem::remove_all(made.start.folder);
  }
}

TEST(Shim, AFileThatItHasWrittenIsShownAsWrittenNow) {
  const Launch made = launch_in_a_folder("writes");
  Program program(made);
  EXPECT_EQ(told(program, program.after(program.ready(), line(5000))), "0 0 0 0 0 s");
  EXPECT_TRUE(program.executed().noticed.contains(
      {"asks when a file was written, which it has written itself: it is shown as now"}));
  std::filesystem::remove_all(made.start.folder);
}

TEST(Shim, WhatItReadsOfTheKernelIsNoticed) {
  Launch made = launch("reads");
  Program program(made);
  EXPECT_NE(told(program, program.after(program.ready(), line(0))), "");
  EXPECT_TRUE(program.executed().noticed.contains({"reads /proc/self/stat"}));
}

TEST(Shim, ADescriptorOfAConnectionIsNotCopied) {
  Program program(launch("copies"));
  EXPECT_EQ(told(program, program.after(program.ready(), line(0))), "connects to 0; Too many open files");
  EXPECT_TRUE(program.executed().noticed.contains({"copies the descriptor of a connection"}));
}

TEST(Shim, AThreadThatWasMadeLaterActsByItself) {
  Program program(launch("thread"));
  const Program::State state = program.after(program.ready(), line(0));
  EXPECT_EQ(told(program, state), "goes on; until 100 ms");
  EXPECT_EQ(told(program, program.after(state, time(100))), "renewed");
}

TEST(Shim, ChanceComesFromASeed) {
  const auto drawn = [](std::uint64_t seed) {
    Program program(launch("chance", seed));
    return told(program, program.after(program.ready(), line(0)));
  };
  const std::string first = drawn(7);
  EXPECT_EQ(first.size(), 45u) << first;
  EXPECT_EQ(drawn(7), first);
  EXPECT_NE(drawn(8), first);
}

TEST(Shim, AConnectionIsAnInputAndAnOutput) {
  Program program(launch("asks"));
  const Program::State asked = program.after(program.ready(), line(0));
  EXPECT_EQ(told(program, asked), "connects to 0; sends GET; until 2000 ms");
  const int connection = program.step(asked).acts.front().connection;
  ProgramInput reply{.kind = ProgramInput::Kind::reply, .clocks = at_ms(10), .connection = connection};
  reply.reply = Reply::bulk("token");
  EXPECT_EQ(told(program, program.after(asked, reply)), "reply of 11 bytes");
  EXPECT_EQ(told(program, program.after(asked, time(2000))), "no reply: Resource temporarily unavailable");
  const ProgramInput reset{.kind = ProgramInput::Kind::reset, .clocks = at_ms(10), .connection = connection};
  const Program::State broken = program.after(asked, reset);
  EXPECT_EQ(told(program, broken), "no reply: Connection reset by peer");
  EXPECT_EQ(told(program, program.after(broken, line(20))), "cannot send: Broken pipe");
}

TEST(Shim, AConnectionCanBeClosedByItsNumber) {
  Program program(launch("redials"));
  const Program::State redialled = program.after(program.ready(), line(0));
  EXPECT_EQ(told(program, redialled), "connects to 0; closes; connects to 0; the same number");
}

TEST(Shim, ThreadsWakeEachOtherByEventsAndPipes) {
  Program program(launch("loops"));
  Program::State state = program.after(program.ready(), line(0));
  EXPECT_EQ(told(program, state), "until 1 ms");
  state = program.after(state, time(1));
  EXPECT_EQ(told(program, state), "until 2 ms");
  EXPECT_EQ(told(program, program.after(state, time(2))), "event 3, pipe 3, pipe 0, Resource temporarily unavailable");
}

TEST(Shim, CopiesShareNoEvents) {
  Program program(launch("counts"));
  const Program::State once = program.after(program.ready(), line(0));
  EXPECT_EQ(told(program, program.after(once, line(1))), "2");
  EXPECT_EQ(told(program, program.after(once, line(2))), "2") << "the kernel's would have counted both";
}

TEST(Shim, WhoWaitsByLookingAtTheClockGoesOn) {
  Program program(launch("clock"));
  Program::State state = program.after(program.ready(), line(0));
  for (int ms = 1; ms < 10 && program.step(state).until_us; ++ms) state = program.after(state, time(ms));
  EXPECT_EQ(told(program, state), "later");
  EXPECT_TRUE(program.executed().noticed.contains({"waits by looking at the clock again and again"}));
}

TEST(Shim, TimePassesForWhoLooksInVainMoreEachTime) {
  Program program(launch("looks"));
  Program::State state = program.after(program.ready(), line(0));
  for (const int ms : {1, 3, 7, 15}) {
    ASSERT_EQ(program.step(state).until_us, ms * 1000);
    state = program.after(state, time(ms));
  }
  EXPECT_EQ(told(program, program.after(program.after(state, line(16)), time(31))), "heard; until 63 ms");
  EXPECT_TRUE(program.executed().noticed.contains({"looks again and again without waiting"}));
}

TEST(Shim, NoOtherProcessIsStarted) {
  Program program(launch("forks"));
  EXPECT_EQ(told(program, program.after(program.ready(), line(0))), "no child: Operation not permitted");
  EXPECT_TRUE(program.executed().noticed.contains({"starts another process"}));
}

TEST(Shim, OneThatFailsWithoutAnotherProcessIsRefused) {
  for (const char* const mode : {"needs-fork", "dies-without-fork"}) {
    Program program(launch(mode));
    EXPECT_THROW((void)program.after(program.ready(), line(0)), Refusal) << mode;
  }
}

TEST(Shim, OneThatLocksAFileIsRefused) {
  for (const char* const mode : {"flock", "record-lock"}) {
    Program program(launch(mode));
    EXPECT_THROW((void)program.after(program.ready(), line(0)), Refusal) << mode;
  }
}

TEST(Program, AStepIsExecutedOnce) {
  Program program(launch("sleeps"));
  const Program::State slept = program.after(program.ready(), line(1000));
  EXPECT_EQ(program.after(program.ready(), line(1000)), slept);
  EXPECT_EQ(program.executed().steps, 1u);
}

TEST(Program, TwoFuturesOfOneStateDoNotDisturbEachOther) {
  Program program(launch("chance"));
  const Program::State once = program.after(program.ready(), line(0));
  const Program::State later = program.after(once, line(1)), other = program.after(once, line(2));
  EXPECT_EQ(told(program, later), told(program, other));  // time is no part of chance
  EXPECT_NE(later, other);
  EXPECT_EQ(program.executed().steps, 3u);
  EXPECT_GE(program.executed().again, 1u) << "the second one was reached by a copy";
}

TEST(Program, OneThatNeedsItsThreadsIsStartedAgainInstead) {
  Program program(launch("early thread"));
  EXPECT_EQ(told(program, program.after(program.ready(), time(0))), "renewed");
  EXPECT_EQ(told(program, program.after(program.ready(), line(1))), "renewed");
  const harness::ProgramEffort executed = program.executed();
  EXPECT_TRUE(executed.noticed.contains({"needs its threads in a copy"}));
  EXPECT_EQ(executed.copied, 1u) << "the first one, by which it was learnt";
  EXPECT_EQ(executed.started, 3u);
}

/// A process that has gone a long way leaves a copy behind, which has lost the thread.
TEST(Program, AThreadThatIsLostInACopyIsNotMissedWhereTheWayIsGoneAgain) {
  Program program(launch("thread"));
  Program::State state = program.after(program.ready(), line(0));
  for (int ms = 1; ms <= 10; ++ms) state = program.after(state, time(ms));
  (void)program.after(state, time(20));
  const Program::State other = program.after(state, time(21));
  const Program::State renewed = program.after(other, time(100));
  EXPECT_EQ(told(program, renewed), "renewed");
  EXPECT_EQ(told(program, program.after(renewed, line(200))), "goes on; until 300 ms");
  EXPECT_EQ(told(program, program.after(renewed, line(201))), "goes on; until 301 ms");
  EXPECT_TRUE(program.executed().noticed.contains({"needs its threads in a copy"}));
  EXPECT_EQ(program.executed().started, 1u) << "it had none when it was ready";
}

/// Libc may use the memory of a thread that has ended for another one, which then has its number.
TEST(Shim, AThreadThatNobodyJoinsLeavesNoTrace) {
  Program program(launch("detached"));
  EXPECT_EQ(told(program, program.after(program.ready(), line(0))), "100 threads");
}

TEST(Executable, SaysWhyItCannotBeInVirtualTime) {
  EXPECT_EQ(why_no_shim(LOCKPROOF_SUBJECT), "");
  EXPECT_NE(why_no_shim(LOCKPROOF_STATIC_SUBJECT).find("is linked statically"), std::string::npos);
  EXPECT_NE(why_no_shim(LOCKPROOF_GO_SUBJECT).find("is written in Go"), std::string::npos);
  EXPECT_NE(why_no_shim(LOCKPROOF_GCCGO_SUBJECT).find("is written in Go"), std::string::npos);
  const std::string script = std::filesystem::temp_directory_path() / "lockproof-script-test";
  std::ofstream(script) << "#! " << LOCKPROOF_STATIC_SUBJECT << " -x\n";
  EXPECT_NE(why_no_shim(script).find("is linked statically"), std::string::npos);
  std::filesystem::remove(script);
  EXPECT_EQ(why_no_shim("/nowhere"), "");
  const std::string other_machines = std::filesystem::temp_directory_path() / "lockproof-other_machines-test";
  std::filesystem::copy_file(LOCKPROOF_SUBJECT, other_machines, std::filesystem::copy_options::overwrite_existing);
  std::fstream(other_machines, std::ios::in | std::ios::out | std::ios::binary).seekp(18).put('\xb7');  // aarch64
  EXPECT_NE(why_no_shim(other_machines).find("is no program for x86-64"), std::string::npos);
  std::filesystem::remove(other_machines);
}

TEST(Program, EqualHistoriesHaveEqualDigestsInEveryRun) {
  const auto digest = [](std::int64_t ms) {
    Program program(launch("sleeps"));
    return program.digest(program.after(program.ready(), line(ms)));
  };
  EXPECT_EQ(digest(1000), digest(1000));
  EXPECT_NE(digest(1000), digest(1001));
}

TEST(Program, OneThatIsNoFunctionOfItsInputsIsFound) {
  Program program(launch("processor"));
  const Program::State once = program.after(program.ready(), line(0));
  (void)program.after(once, line(1));
  try {
    (void)program.after(once, line(2));
    FAIL() << "two copies read the same counter";
  } catch (const harness::NotAFunction& e) {
    const std::string why = e.what();
    EXPECT_EQ(why.find("client-1 is not a function of its inputs: fed again the same input (go at 0 ms), it did "
                       "something else\n  first  "),
              0u)
        << why;
  }
}

TEST(Program, ItsEndIsPartOfTheStep) {
  Program program(launch("leaves"));
  EXPECT_EQ(told(program, program.after(program.ready(), line(0))), "ended by itself, with status 3");
}

TEST(Program, OneThatIsNeverReadyIsRefusedWithASentence) {
  EXPECT_EQ(never_ready("exits"), "the program of client-1 is never ready: it ended by itself, with status 3");
  EXPECT_NE(never_ready("complains").find("; its last words: Error: no driver; it says:"), std::string::npos)
      << never_ready("complains");
  EXPECT_NE(never_ready("babbles").find("is never ready: it says"), std::string::npos) << never_ready("babbles");
  EXPECT_NE(never_ready("starts").find("starts another process, of which nothing would be in virtual time"),
            std::string::npos)
      << never_ready("starts");
  EXPECT_NE(never_ready("waits").find("waits before it has said that it is ready"), std::string::npos);
}

TEST(Program, OneThatDoesNotWaitIsRefusedWithASentence) {
  Program program(launch("spins"));
  (void)program.ready();
  EXPECT_THROW((void)program.after(0, line(0)), Refusal);
}

}  // namespace
}  // namespace lockproof::programs::program_test
