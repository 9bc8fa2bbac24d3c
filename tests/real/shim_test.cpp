// SPDX-License-Identifier: Apache-2.0
// The clock of a real server: set through the page, read by the preloaded shim.
#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "real/clock/clock_page.hpp"
#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/os/janitor.hpp"
#include "real/services/redis/server_process.hpp"

namespace lockproof::tests::shim_test {
namespace {

using Connection = std::unique_ptr<redisContext, decltype(&redisFree)>;
constexpr std::int64_t second_us = 1'000'000;

class Shim : public testing::Test {
 protected:
  void start(std::int64_t speedup) {
    server_ = std::make_unique<real::ServerProcess>("redis-1", janitor_, real::epoch_us, speedup);
    server_->await_ready();
    connection_.reset(redisConnect("127.0.0.1", server_->port()));
  }
  std::string ask(const std::string& command) {
    const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply(
        static_cast<redisReply*>(redisCommand(connection_.get(), command.c_str())), &freeReplyObject);
    if (!reply) return "gone";
    if (reply->type == REDIS_REPLY_NIL) return "nil";
    if (reply->type == REDIS_REPLY_INTEGER) return std::to_string(reply->integer);
    if (reply->type == REDIS_REPLY_ARRAY) return reply->element[0]->str;
    return reply->str;
  }
  real::Janitor janitor_;
  std::unique_ptr<real::ServerProcess> server_;
  Connection connection_{nullptr, &redisFree};
};

TEST_F(Shim, AKeyIsGoneAtTheNextGetAfterAJumpPastItsExpiry) {
  start(1);
  EXPECT_EQ(ask("SET k v PX 30000"), "OK");
  EXPECT_EQ(ask("GET k"), "v");
  server_->clock().jump(60 * second_us);
  EXPECT_EQ(ask("GET k"), "nil");
}

TEST_F(Shim, AJumpBackProlongsAKeysLife) {
  start(1);
  EXPECT_EQ(ask("SET k v PX 30000"), "OK");
  server_->clock().jump(-1000 * second_us);
  const std::int64_t left_ms = std::stoll(ask("PTTL k"));
  EXPECT_GT(left_ms, 1'029'000);
  EXPECT_LE(left_ms, 1'030'000);
}

TEST_F(Shim, AScaledServerCountsItsTimesToLiveFaster) {
  start(1000);
  EXPECT_EQ(ask("SET k v EX 30"), "OK");
  const std::int64_t give_up = real::machine_ns() + 1'000'000'000;
  while (ask("GET k") == "v" && real::machine_ns() < give_up) {
  }
  EXPECT_EQ(ask("GET k"), "nil");
  EXPECT_LT(real::machine_ns(), give_up);
}

TEST_F(Shim, TheServerShowsWhatThePageSays) {
  start(20);
  server_->clock().start(real::machine_ns(), 2'000'000'000 * second_us, 20);
  EXPECT_EQ(ask("TIME").substr(0, 9), "200000000");
}

TEST(ShimLeftOut, AServerThatGoesByAnotherClockIsRefused) {
  real::Janitor janitor;
  const std::string folder = janitor.folder() + "/bin", path = std::getenv("PATH");
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/redis-server")
      << "#!/bin/sh\nunset LD_PRELOAD\nPATH='" << path << "' exec redis-server \"$@\"\n";
  std::filesystem::permissions(folder + "/redis-server", std::filesystem::perms::owner_all);
  ::setenv("PATH", (folder + ":" + path).c_str(), 1);
  std::string why;
  try {
    real::ServerProcess("redis-1", janitor, real::epoch_us, 20).await_ready();
  } catch (const real::BadEnvironment& e) {
    why = e.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_NE(why.find("does not go by lockproof's clock"), std::string::npos) << why;
}

TEST(ClockPage, MapsAStampBackToTheInstantWhenItWasShown) {
  real::ClockPage clock(real::epoch_us, 20);
  const std::int64_t before = real::machine_ns();
  const std::int64_t stamp = clock.shows_us();
  const std::int64_t after = real::machine_ns();
  const std::int64_t mapped = clock.machine_ns_of(stamp, after);
  EXPECT_GE(mapped + 1'000, before);
  EXPECT_LE(mapped, after);
}

TEST(ClockPage, AStampFromBeforeAJumpBackIsNotTakenForALaterOne) {
  real::ClockPage clock(real::epoch_us, 1);
  const std::int64_t early = real::machine_ns();
  const std::int64_t stamp = clock.shows_us(early);
  clock.jump(-5'000'000);
  const std::int64_t received = real::machine_ns();
  EXPECT_NEAR(static_cast<double>(clock.machine_ns_of(stamp, received)), static_cast<double>(early), 1'000);
  // Five seconds later the clock shows the same again, and somebody who hears of it then means that.
  const std::int64_t later = early + 5'000'000'000;
  const std::int64_t mapped = clock.machine_ns_of(stamp, later + 1'000'000);
  EXPECT_NEAR(static_cast<double>(mapped), static_cast<double>(later), 1'000'000);
}

}  // namespace
}  // namespace lockproof::tests::shim_test
