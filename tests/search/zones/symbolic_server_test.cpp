// SPDX-License-Identifier: Apache-2.0
// A server as a function of commands, against the server itself at random instants: what it is asked, which leases are
// over, is computed from the instants, and all replies must be the same.
#include "sim/world/symbolic/symbolic_server.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "algorithms/memcached/requests.hpp"
#include "algorithms/postgres/requests.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"
#include "sim/kernel/random_bits.hpp"
#include "sim/services/memcached/node.hpp"
#include "sim/services/postgres/node.hpp"
#include "sim/services/redis/node.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim {
namespace {

Command drawn(RandomBits& bits) {
  const Value key(bits.below(3) > 0 ? "lock" : "other");
  const Value token(bits.below(2) == 0 ? "c1.1" : "c2.1", Value::Mark::token);
  const Value length = Value::number(static_cast<std::int64_t>(bits.below(5)) + 1);
  switch (bits.below(9)) {
    case 0: return Command({"SET", key, token, "NX", "PX", length});
    case 1: return Command({"SET", key, token});
    case 2: return Command({"SETNX", key, token});
    case 3: return Command({"GET", key});
    case 4: return Command({"GETSET", key, token});
    case 5: return Command({"DEL", key});
    case 6: return Command({"PEXPIRE", key, length});
    case 7:
      return lockproof::redis::eval(scripts::compare_and_delete, lockproof::redis::keys(key),
                                    lockproof::redis::args(token))
          .command;
    default:
      return lockproof::redis::eval(scripts::compare_and_expire, lockproof::redis::keys(key),
                                    lockproof::redis::args(token, length))
          .command;
  }
}

TEST(SymbolicServer, AnswersAsTheServerDoes) {
  const harness::Scenario scenario = tests::scenario("[workload]\nclients = 2\n");
  const auto server = make_symbolic_server(scenario);
  redis::ScriptEngine scripts;
  int ended = 0, together = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    RandomBits bits(seed);
    redis::Node node(scripts);
    SymbolicServer::Id state = server->initial();
    std::vector<std::int64_t> names;  // when each begins, in microseconds
    std::int64_t now = static_cast<std::int64_t>(bits.below(2000));
    for (int i = 0; i < 40; ++i, now += static_cast<std::int64_t>(bits.below(3000))) {
      const Command command = drawn(bits);
      ASSERT_EQ(server->refuses(command), "");
      std::vector<bool> over;
      for (const SymbolicServer::Lease& lease : server->leases(state)) {
        over.push_back(now >= names[static_cast<std::size_t>(lease.name)] + lease.after.count());
      }
      ended += std::ranges::count(over, true) > 0;
      together += over.size() > 1;
      const SymbolicServer::Step step = server->execute(state, command, over);
      const Reply reply = node.execute({1, command, {.wall_ms = now / 1000}}).reply;
      ASSERT_EQ(step.reply, reply) << "seed " << seed << ", command " << i << ": " << command.verb();
      std::vector<std::int64_t> then;
      for (const int name : step.names) {
        then.push_back(name == SymbolicServer::begins ? (now / 1000 + 1) * 1000
                                                      : names[static_cast<std::size_t>(name)]);
        if (name != SymbolicServer::begins) continue;
        EXPECT_GE(then.back() - now, server->begin().least.count());
        EXPECT_LE(then.back() - now, server->begin().most.count());
      }
      names = std::move(then);
      state = step.state;
      ASSERT_EQ(server->names(state), names.size());
    }
  }
  EXPECT_GT(ended, 1000);
  EXPECT_GT(together, 100);
}

/// A command of memcached, with a lease of some seconds; or one of PostgreSQL, of some milliseconds.
Command drawn(RandomBits& bits, Service service) {
  const Token owner{bits.below(2) == 0 ? "c1.1" : "c2.1", Value::Mark::token};
  const Name key = bits.below(3) > 0 ? "lock" : "other";
  const auto length = static_cast<std::int64_t>(bits.below(5)) + 1;
  if (service == Service::postgres) {
    if (bits.below(4) == 0) return lockproof::postgres::next_fence(key).command;
    return bits.below(3) == 0 ? lockproof::postgres::give_row(key, owner).command
                              : lockproof::postgres::take_row(key, owner, milliseconds(length)).command;
  }
  const Value unique = Value::number(static_cast<std::int64_t>(bits.below(8)) + 1);
  switch (bits.below(7)) {
    case 0: return lockproof::memcached::gets(key).command;
    case 1: return lockproof::memcached::remove(key).command;
    case 2: return lockproof::memcached::cas(key, "", seconds(-1), unique).command;
    case 3: return lockproof::memcached::cas(key, owner, seconds(length), unique).command;
    case 4: return Command({"touch", key, Value::number(length)});
    default: return lockproof::memcached::add(key, owner, seconds(length)).command;
  }
}

/// `unit`: of a lease. `counts_from`: the instant that a lease of now is counted from.
void expect_equal_answers(const std::string& lock, ServiceModel& node, std::int64_t unit, std::uint64_t seed,
                          const std::function<std::int64_t(std::int64_t)>& counts_from) {
  const harness::Scenario scenario = tests::scenario("[workload]\nclients = 2\n", lock);
  const auto server = make_symbolic_server(scenario);
  RandomBits bits(seed);
  SymbolicServer::Id state = server->initial();
  std::vector<std::int64_t> names;
  std::int64_t now = static_cast<std::int64_t>(bits.below(2000)) * unit / 1000;
  for (int i = 0; i < 40; ++i, now += static_cast<std::int64_t>(bits.below(3000)) * unit / 1000) {
    const Command command = drawn(bits, scenario.algorithm->service);
    ASSERT_EQ(server->refuses(command), "");
    std::vector<bool> over;
    for (const SymbolicServer::Lease& lease : server->leases(state)) {
      over.push_back(now >= names[static_cast<std::size_t>(lease.name)] + lease.after.count());
    }
    const SymbolicServer::Step step = server->execute(state, command, over);
    const Reply reply = node.execute({1, command, {.wall_ms = now / 1000, .mono_us = now}}).reply;
    ASSERT_EQ(step.reply, reply) << lock << ", seed " << seed << ", command " << i << ": " << command.verb();
    std::vector<std::int64_t> then;
    for (const int name : step.names) {
      then.push_back(name == SymbolicServer::begins ? counts_from(now) : names[static_cast<std::size_t>(name)]);
      if (name != SymbolicServer::begins) continue;
      EXPECT_GE(then.back() - now, server->begin().least.count());
      EXPECT_LE(then.back() - now, server->begin().most.count());
    }
    names = std::move(then);
    state = step.state;
    ASSERT_EQ(server->names(state), names.size());
  }
}

TEST(SymbolicServer, AnswersAsOtherServicesDo) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto phase = static_cast<std::int64_t>(seed * 7919 % 1'000'000);
    memcached::Node items({}, Duration(phase));
    expect_equal_answers("memcached-add", items, 1'000'000, seed,
                         [&](std::int64_t now) { return now - ((now - phase) % 1'000'000 + 1'000'000) % 1'000'000; });
    postgres::Node rows;
    expect_equal_answers("postgres-row", rows, 1000, seed, [](std::int64_t now) { return (now / 1000 + 1) * 1000; });
  }
}

TEST(SymbolicServer, OfOtherServicesRefusesWhatSeesTheTime) {
  const auto memcached = make_symbolic_server(tests::scenario("[workload]\nclients = 2\n", "memcached-add"));
  EXPECT_EQ(memcached->refuses(lockproof::memcached::add("lock", "me", seconds(30 * 86'400)).command), "");
  EXPECT_NE(memcached->refuses(lockproof::memcached::add("lock", "me", seconds(30 * 86'400 + 1)).command), "")
      << "a date";
  const auto database = make_symbolic_server(tests::scenario("[workload]\nclients = 2\n", "postgres-row"));
  EXPECT_EQ(database->refuses(lockproof::postgres::give_row("lock", "me").command), "");
  EXPECT_EQ(database->refuses(lockproof::postgres::begin().command), "the statement begin");
  EXPECT_EQ(database->refuses(lockproof::postgres::try_advisory("lock").command), "the statement try-advisory");
}

TEST(SymbolicServer, RefusesWhatSeesTheTime) {
  const auto server = make_symbolic_server(tests::scenario("[workload]\nclients = 2\n"));
  const auto refuses = [&](Command command) { return !server->refuses(command).empty(); };
  EXPECT_FALSE(refuses(Command({"set", "lock", "me", "nx", "px", "1"})));
  EXPECT_TRUE(refuses(Command({"PTTL", "lock"})));
  EXPECT_TRUE(refuses(Command({"TIME"})));
  EXPECT_TRUE(refuses(Command({"SET", "lock", "me", "PXAT", "1"})));
  EXPECT_TRUE(refuses(Command({"PEXPIRE", "lock", "1", "GT"})));
  EXPECT_TRUE(refuses(Command({"EVAL", "return redis.call('pttl', KEYS[1])", "1", "lock"})));
  EXPECT_TRUE(refuses(Command({"SUBSCRIBE", "news"})));
  EXPECT_EQ(make_symbolic_server(tests::scenario("[workload]\nclients = 2\n", "etcd-mutex")), nullptr);
}

}  // namespace
}  // namespace lockproof::sim
