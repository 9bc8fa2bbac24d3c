// SPDX-License-Identifier: Apache-2.0
// How a store behaves, from one source for both worlds. A test body is a coroutine that uses the ports; the arm drives
// it.
#include <gtest/gtest.h>

#include <functional>

#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"
#include "tests/contracts/store_arm.hpp"

namespace lockproof::tests::store_test {
namespace {

using namespace std::chrono_literals;

struct Arm {
  const char* name;
  std::unique_ptr<StoreArm> (*make)();
};

class StoreContract : public testing::TestWithParam<Arm> {
 protected:
  void complete(Task<void> task) { arm->complete(task); }
  std::unique_ptr<StoreArm> arm = GetParam().make();
};
INSTANTIATE_TEST_SUITE_P(BothWorlds, StoreContract,
                         testing::Values(Arm{"simulated", make_simulated_arm}, Arm{"real", make_real_arm}),
                         [](const auto& world) { return std::string(world.param.name); });

Task<void> typed_verbs(Stores& stores) {
  Store& redis = stores.at(0);
  const auto first = co_await redis.run(redis::setnx("k", "a"));
  const auto second = co_await redis.run(redis::setnx("k", "b"));
  EXPECT_EQ(first, Result<bool>(true));
  EXPECT_EQ(second, Result<bool>(false));
  const auto old = co_await redis.run(redis::getset("k", "c"));
  EXPECT_EQ(old, Result<std::optional<Value>>(std::optional<Value>("a")));
  const auto expiring = co_await redis.run(redis::expire("k", seconds(10)));
  EXPECT_EQ(expiring, Result<bool>(true));
  const auto taken = co_await redis.run(redis::set_nx_px("k", "d", 100ms));
  EXPECT_EQ(taken, Result<bool>(false));
  const auto gone = co_await redis.run(redis::del("k"));
  EXPECT_EQ(gone, Result<bool>(true));
  const auto nothing = co_await redis.run(redis::get("k"));
  EXPECT_EQ(nothing, Result<std::optional<Value>>(std::optional<Value>()));
}
TEST_P(StoreContract, TypedVerbsReadTheirReplies) { complete(typed_verbs(arm->stores())); }

Task<void> scripts_run(Stores& stores) {
  Store& redis = stores.at(0);
  const auto set = co_await redis.run(redis::set_nx_px("k", "mine", 10'000ms));
  EXPECT_EQ(set, Result<bool>(true));
  const auto other =
      co_await redis.run(redis::eval(scripts::compare_and_delete, redis::keys("k"), redis::args("other")));
  EXPECT_TRUE(other && other->is_integer(0));
  const auto mine = co_await redis.run(redis::eval(scripts::compare_and_delete, redis::keys("k"), redis::args("mine")));
  EXPECT_TRUE(mine && mine->is_integer(1));
}
TEST_P(StoreContract, ScriptsRun) { complete(scripts_run(arm->stores())); }

Command words(std::vector<Value> list) { return Command(std::move(list)); }
Command a_get() { return words({"GET"}); }
Command a_list() { return words({"EVAL", "return {1, 'two', {'three'}}", "0"}); }
Command a_get_of(Value key) { return words({"GET", std::move(key)}); }
Command a_ping() { return words({"PING"}); }

Task<void> errors(Stores& stores) {
  const auto reply = co_await stores.at(0).call(a_get());
  EXPECT_EQ(reply, Result<Reply>(Reply::error("ERR wrong number of arguments for 'get' command")));
  const auto typed = co_await stores.at(0).run(redis::expire("k", seconds(INT64_MAX)));
  EXPECT_EQ(typed.error(), Error::refused);
}
TEST_P(StoreContract, AServersErrorIsAReplyAndATypedVerbRefusesIt) { complete(errors(arm->stores())); }

Task<void> kinds(Stores& stores) {
  const auto list = co_await stores.at(0).call(a_list());
  const Reply expected = Reply::array({Reply::integer(1), Reply::bulk("two"), Reply::array({Reply::bulk("three")})});
  EXPECT_EQ(list, Result<Reply>(expected));
  const auto nil = co_await stores.at(0).call(a_get_of("nothing"));
  EXPECT_EQ(nil, Result<Reply>(Reply::nil()));
  const auto status = co_await stores.at(0).call(a_ping());
  EXPECT_EQ(status, Result<Reply>(Reply::status("PONG")));
}
TEST_P(StoreContract, EveryKindOfReplyArrivesAsItWasSent) { complete(kinds(arm->stores())); }

Task<void> bytes(Stores& stores) {
  const Value odd(std::string("a\0b\r\n\"$5 {}", 11));
  const auto set = co_await stores.at(0).run(redis::setnx("k", odd));
  EXPECT_EQ(set, Result<bool>(true));
  const auto back = co_await stores.at(0).run(redis::get("k"));
  EXPECT_EQ(back, Result<std::optional<Value>>(std::optional(odd)));
}
TEST_P(StoreContract, ValuesAreBytes) { complete(bytes(arm->stores())); }

Task<void> take(Stores& stores) {
  const auto set = co_await stores.at(0).run(redis::set_nx_px("k", "a", 60'000ms));
  EXPECT_EQ(set, Result<bool>(true));
}
Task<void> expect_there(Stores& stores, bool there) {
  const auto found = co_await stores.at(0).run(redis::get("k"));
  EXPECT_EQ(found && found->has_value(), there);
}
TEST_P(StoreContract, AKeyExpiresByTheServersWallClock) {
  complete(take(arm->stores()));
  arm->advance(30'000ms);
  complete(expect_there(arm->stores(), true));
  arm->advance(40'000ms);
  complete(expect_there(arm->stores(), false));
}

Task<void> no_reply(Stores& stores) {
  const auto set = co_await stores.at(0).run(redis::setnx("k", "a"));
  EXPECT_EQ(set, Result<bool>(Error::no_reply));
}
TEST_P(StoreContract, AFrozenServerGivesNoReplyAndRunsTheCommandLater) {
  arm->freeze(0);
  complete(no_reply(arm->stores()));
  arm->thaw(0);
  complete(expect_there(arm->stores(), true));
}

Task<void> in_order(Stores& stores) {
  for (int i = 0; i < 20; ++i) {
    const auto old = co_await stores.at(0).run(redis::getset("k", Value::number(i)));
    EXPECT_EQ(old && old->has_value(), i > 0);
    if (i > 0 && old && *old) {
      EXPECT_EQ(**old, Value::number(i - 1));
    }
  }
}
TEST_P(StoreContract, CommandsOfOneConnectionKeepTheirOrder) { complete(in_order(arm->stores())); }

Command a_setnx() { return words({"SETNX", "k", "a"}); }
Task<void> everywhere(Stores& stores) {
  const Replies both = co_await stores.gather(a_setnx(), 200ms);
  EXPECT_EQ(both, (Replies{Reply::integer(1), Reply::integer(1)}));
  const auto read = co_await stores.everywhere(redis::setnx("k", "b"), 200ms);
  EXPECT_EQ(read, (std::vector<Result<bool>>{false, false}));
}
TEST_P(StoreContract, GatherAsksAllServersAndAnswersInTheirOrder) { complete(everywhere(arm->stores())); }

Task<void> one_silent(Stores& stores) {
  const Replies both = co_await stores.gather(a_setnx(), 200ms);
  EXPECT_EQ(both, (Replies{Error::no_reply, Reply::integer(1)}));
}
TEST_P(StoreContract, GatherEndsAtItsTimeOutWithWhatHasCome) {
  arm->freeze(0);
  complete(one_silent(arm->stores()));
  arm->thaw(0);
}

Task<void> clocks(Clock& clock) {
  const Wall wall = clock.wall();
  EXPECT_EQ(Clock::read(Clock::write(wall)), wall);
  const Mono before = clock.mono();
  const Mono after = clock.mono();
  EXPECT_LE(before, after);
  co_return;
}
TEST_P(StoreContract, AWallInstantSurvivesBeingWrittenAndRead) { complete(clocks(arm->clock())); }

}  // namespace
}  // namespace lockproof::tests::store_test
