// SPDX-License-Identifier: Apache-2.0
// Nothing is left of a run, however it ends: no process, no folder, no shared memory.
#include "real/os/janitor.hpp"
#include "real/errors.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "real/clock/world_time.hpp"
#include "real/os/shared_files.hpp"
#include "real/os/side_by_side.hpp"
#include "real/run/run.hpp"
#include "tests/real/scenarios.hpp"

namespace lockproof::tests::janitor_test {
namespace {

namespace fs = std::filesystem;

void nap(std::int64_t ns) {
  const timespec time{0, ns};
  ::nanosleep(&time, nullptr);
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

/// Its folder is the place for private folders; orphans become its children, so that none can hide.
class NothingIsLeft : public testing::Test {
 protected:
  NothingIsLeft() : place_("/tmp/lockproof-test-XXXXXX") {
    EXPECT_TRUE(::mkdtemp(place_.data()));
    if (const char* before = ::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", place_.c_str(), 1);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    shared_memory_ = names_in("/dev/shm");
  }
  ~NothingIsLeft() override {
    before_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before_.c_str(), 1);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    fs::remove_all(place_);
  }

  /// All processes below this one have ended within some seconds.
  [[nodiscard]] static bool all_ended() {
    const std::int64_t give_up = real::machine_ns() + 5'000'000'000;
    while (real::machine_ns() < give_up) {
      const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
      if (ended < 0) return true;
      if (ended == 0) nap(1'000'000);
    }
    return false;
  }
  void expect_nothing_left() const {
    EXPECT_TRUE(all_ended());
    EXPECT_TRUE(names_in(place_).empty());
    EXPECT_EQ(names_in("/dev/shm"), shared_memory_);
  }

  /// Runs of some tenths of a second, one after the other, with a client that stands still most of the time.
  [[noreturn]] static void run_for_ever(int sentinels = 0) {
    auto scenario = scenario_with("set-px-token", 2);
    if (sentinels > 0) {
      scenario.servers.push_back({"redis-2", {}, "redis-1"});
      scenario.sentinels.push_back({.master = "redis-1", .promotes = "redis-2", .count = sentinels});
    }
    harness::Fault pause;
    pause.target = "client-1";
    pause.at = milliseconds(100);
    pause.lasts = seconds(3);
    scenario.faults.push_back(pause);
    for (;;) {
      try {
        (void)real::run(scenario, {});
      } catch (...) {
        ::_exit(1);
      }
    }
  }
  static pid_t start(int sentinels = 0) {
    const pid_t pid = ::fork();
    if (pid == 0) run_for_ever(sentinels);
    return pid;
  }

  std::string place_, before_;
  std::set<std::string> shared_memory_;
};

TEST_F(NothingIsLeft, AfterANormalEnd) {
  (void)real::run(scenario_with("set-px-token", 2), {});
  expect_nothing_left();
}

TEST_F(NothingIsLeft, AfterAnException) {
  auto scenario = scenario_with("set-px-token", 2);
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  EXPECT_THROW((void)real::run(scenario, {}), real::BadEnvironment);
  ::setenv("PATH", path.c_str(), 1);
  expect_nothing_left();
}

TEST_F(NothingIsLeft, AfterASigkillAtAnyMoment) {
  for (int i = 0; i < 20; ++i) {
    const pid_t pid = start();
    nap(i < 10 ? i * 2'000'000 : i * 15'000'000);  // while it starts, and later
    ::kill(pid, SIGKILL);
    expect_nothing_left();
  }
}

TEST_F(NothingIsLeft, OfSentinelsAfterASigkill) {
  for (int i = 0; i < 8; ++i) {
    const pid_t pid = start(3);
    nap(20'000'000 + i * 60'000'000);  // while they start, look for each other, and watch
    ::kill(pid, SIGKILL);
    expect_nothing_left();
  }
}

TEST_F(NothingIsLeft, AfterSigintAndSigterm) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t pid = start();
    nap(120'000'000);
    ::kill(pid, signal);
    expect_nothing_left();
  }
}

TEST_F(NothingIsLeft, OfRunsSideBySideAfterASigkill) {
  for (const int signal : {SIGKILL, SIGINT}) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      real::side_by_side(
          4, 3, [](std::size_t) -> std::string { run_for_ever(); }, [](std::size_t, const std::string&) {});
      ::_exit(1);
    }
    nap(200'000'000);
    EXPECT_GT(names_in(place_).size(), 1U) << "several runs are under way";
    ::kill(pid, signal);
    expect_nothing_left();
  }
}

/// In a folder that runs share: takes long enough that others ask meanwhile.
void make_slowly(const std::string& path, real::Janitor& /*janitor*/) {
  fs::create_directory(path);
  nap(50'000'000);
  std::ofstream(path + "/made-by") << ::getpid();
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(NothingIsLeft, OfSharedFilesThatOneProcessMadeForAll) {
  std::set<std::string> makers;
  {
    const real::SharedFiles files;
    real::side_by_side(
        6, 3, [](std::size_t) { return text_of(real::SharedFiles::get("one", make_slowly) + "/made-by"); },
        [&](std::size_t, const std::string& maker) { makers.insert(maker); });
    const fs::path shared = fs::path(real::SharedFiles::get("one", make_slowly)).parent_path();
    EXPECT_EQ(fs::status(shared).permissions() & (fs::perms::group_all | fs::perms::others_all), fs::perms::none);
  }
  EXPECT_EQ(makers.size(), 1U);
  EXPECT_EQ(real::SharedFiles::get("one", make_slowly), "") << "nobody shares files";
  expect_nothing_left();
}

TEST_F(NothingIsLeft, OfSharedFilesWhoseMakerFails) {
  const real::SharedFiles files;
  const auto fail = [](const std::string& path, real::Janitor&) {
    fs::create_directory(path);
    throw real::BadEnvironment("no room");
  };
  EXPECT_THROW(static_cast<void>(real::SharedFiles::get("one", fail)), real::BadEnvironment);
  EXPECT_FALSE(text_of(real::SharedFiles::get("one", make_slowly) + "/made-by").empty()) << "the next one makes it";
}

TEST_F(NothingIsLeft, OfSharedFilesAfterASigkill) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const real::SharedFiles files;
    static_cast<void>(real::SharedFiles::get("one", make_slowly));
    ::pause();
    ::_exit(0);
  }
  nap(200'000'000);
  EXPECT_EQ(names_in(place_).size(), 1U);
  ::kill(pid, SIGKILL);
  expect_nothing_left();
}

TEST_F(NothingIsLeft, OfTwoRunsAtOnce) {
  std::vector<pid_t> pids;
  for (int i = 0; i < 2; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const auto history = real::run(scenario_with("set-px-token", 2), {});
      ::_exit(history.events.back().word == "finished" ? 0 : 1);
    }
    pids.push_back(pid);
  }
  for (const pid_t pid : pids) {
    int status = -1;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  expect_nothing_left();
}

}  // namespace
}  // namespace lockproof::tests::janitor_test
