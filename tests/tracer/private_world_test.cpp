// SPDX-License-Identifier: Apache-2.0
// What a program can see of the machine, and the machine of a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/tracer/worlds.hpp"

namespace lockproof::tracer {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string here = LOCKPROOF_SOURCE "/tests/tracer";

/// A machine that allows no tracing says so, and none of these tests runs.
class Permission : public testing::Environment {
  void SetUp() override {
    const WorldReport report = run_world(world_of({"true"}));
    if (report.end == WorldReport::End::not_allowed) GTEST_SKIP() << "[  SKIPPED ] " << report.words;
  }
};
[[maybe_unused]] const auto* const permission = testing::AddGlobalTestEnvironment(new Permission);

/// A folder of the test's own, with the program in it, which it may touch.
class Sources {
 public:
  Sources() {
    fs::create_directories(folder_);
    fs::copy_file(here + "/sources.py", folder_ / "sources.py", fs::copy_options::overwrite_existing);
  }
  ~Sources() { fs::remove_all(folder_); }
  [[nodiscard]] const fs::path& folder() const { return folder_; }
  [[nodiscard]] WorldReport read() const { return run_world(world_of({"python3", folder_ / "sources.py"})); }

 private:
  const fs::path folder_ = fs::current_path() / ("sources-" + std::to_string(getpid()));
};

TEST(PrivateWorld, EverySourceOfTheMachineIsTheSameTwice) {
  const Sources sources;
  const WorldReport first = sources.read(), second = sources.read();
  EXPECT_EQ(first.end, WorldReport::End::finished) << first.words;
  EXPECT_EQ(first.hosts.at(0).code, 0) << first.hosts.at(0).errors;
  EXPECT_EQ(std::ranges::count(first.hosts.at(0).output, '\n'), 50);
  EXPECT_EQ(first.hosts.at(0).output, second.hosts.at(0).output);
  EXPECT_EQ(first.digest, second.digest);
}

TEST(PrivateWorld, WhoTouchesFoldersMeanwhileIsNotSeen) {
  const Sources sources;
  const WorldReport before = sources.read();
  std::atomic<bool> stop = false;
  std::thread touching([&] {
    while (!stop) {
      std::error_code ignored;
      fs::last_write_time(sources.folder(), fs::file_time_type::clock::now(), ignored);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const WorldReport meanwhile = sources.read();
  stop = true;
  touching.join();
  EXPECT_EQ(before.hosts.at(0).output, meanwhile.hosts.at(0).output);
  EXPECT_EQ(before.digest, meanwhile.digest);
}

TEST(PrivateWorld, WhatIsWrittenStaysInside) {
  const std::string probe = fs::current_path() / "traced-probe";
  const WorldReport report = run_world(
      world_of({"sh", "-c",
                "echo inside > " + probe + "; echo inside > /tmp/traced-probe; cat " + probe + " /tmp/traced-probe"}));
  EXPECT_EQ(report.hosts.at(0).output, "inside\ninside\n");
  EXPECT_FALSE(fs::exists(probe));
  EXPECT_FALSE(fs::exists("/tmp/traced-probe"));
}

/// PostgreSQL does not run as root, and asks for the name of who runs it.
TEST(PrivateWorld, WhoRunsThereIsAUserWithAName) {
  const WorldReport report = run_world(world_of({"sh", "-c", "id -u; id -un; id -gn; touch ~/mine && ls ~"}));
  EXPECT_EQ(report.hosts.at(0).output, "1000\nuser\nuser\nmine\n") << report.hosts.at(0).errors;
}

TEST(PrivateWorld, GivenFilesAreInTheWorldAlone) {
  WorldSpec spec = world_of({"cat", "/run/given/a/file"});
  spec.given["/run/given/a/file"] = "given";
  EXPECT_EQ(run_world(spec).hosts.at(0).output, "given");
  EXPECT_FALSE(fs::exists("/run/given/a/file"));
}

TEST(PrivateWorld, AnotherSeedDrawsOtherNumbers) {
  WorldSpec spec = world_of_python("import os, random; print(os.urandom(4), hash('a'))");
  const WorldReport one = run_world(spec);
  spec.seed = 2;
  EXPECT_NE(one.hosts.at(0).output, run_world(spec).hosts.at(0).output);
}

/// Processes with this word in their command line.
int processes_with(const std::string& word) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    count += line.find(word) != std::string::npos ? 1 : 0;
  }
  return count;
}

TEST(PrivateWorld, WhoKillsTheTracerLeavesNothing) {
  const std::string word = "traced-" + std::to_string(getpid());
  const pid_t tracer = fork();
  if (tracer == 0) {
    WorldSpec spec = world_of({"sh", "-c", ": " + word + "; while :; do sleep 1; done"});
    spec.limit = never;
    (void)run_world(spec);
    _exit(0);
  }
  constexpr int most_looks = 2000;
  const auto until = [&](auto condition) {
    for (int i = 0; i < most_looks && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return condition();
  };
  EXPECT_TRUE(until([&] { return processes_with(word) > 0; }));
  kill(tracer, SIGKILL);
  waitpid(tracer, nullptr, 0);
  EXPECT_TRUE(until([&] { return processes_with(word) == 0; }));
}

}  // namespace
}  // namespace lockproof::tracer
