// SPDX-License-Identifier: Apache-2.0
// What a lock cycle costs on real Redis through lockproof's ports, next to the same commands as raw hiredis round trips
// in the same run, on the same server and the same CPU.
#include <benchmark/benchmark.h>
#include <hiredis/hiredis.h>
#include <sched.h>

#include <memory>

#include "algorithms/catalogue.hpp"
#include "algorithms/port/redis.hpp"
#include "algorithms/scripts.hpp"
#include "real/hiredis_store.hpp"
#include "real/host_ports.hpp"
#include "real/janitor.hpp"
#include "real/server_process.hpp"
#include "real/world_time.hpp"

namespace lockproof {
namespace {

/// Client and server on one CPU: across CPUs a round trip is mostly the wake-up of an idle one.
void pin_to_one_cpu() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof one, &one);
}

class Bench {
 public:
  Bench() { server.await_ready(); }

 private:
  struct Pinned {
    Pinned() { pin_to_one_cpu(); }
  } pinned_;

 public:
  real::Janitor janitor;
  real::ServerProcess server{"redis-1", janitor, real::epoch_us, 1};
};

class AToken final : public Random {
 public:
  Token token() override { return Token("0123456789abcdef0123", Value::Mark::token); }
  Duration between(Duration least, Duration) override { return least; }
};

Task<void> cycles(Lock& lock, int count) {
  for (int i = 0; i < count; ++i) {
    const Attempt attempt = co_await lock.try_acquire("lock", milliseconds(10'000));
    const Grant grant = std::get<Grant>(attempt);
    const auto released = co_await lock.release(grant);
    if (!released) co_return;
  }
}

void lock_cycle_through_the_ports(benchmark::State& state) {
  Bench bench;
  real::EventLoop loop;
  real::Witness witness;
  real::HiredisStores stores(loop);
  stores.add(std::make_unique<real::HiredisStore>(loop, real::Endpoint{"127.0.0.1", bench.server.port()},
                                                  real::Patience{seconds(5), harness::OnTimeout::discard, 1}, 1,
                                                  witness));
  const std::atomic<std::int64_t> jumped{0};
  real::HostClock clock(real::WorldTime(real::machine_ns(), 1), harness::ClockSpec{}, jumped);
  AToken random;
  const auto lock = make_set_px_token(Ports{stores, clock, random}, {{"retry", milliseconds(1)}});
  for (auto _ : state) {
    Task<void> task = cycles(*lock, 100);
    task.start();
    while (!task.done()) loop.turn();
    task.result();
  }
  state.counters["cycles/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * 100, benchmark::Counter::kIsRate);
}
BENCHMARK(lock_cycle_through_the_ports)->UseRealTime()->Unit(benchmark::kMillisecond);

void the_same_as_raw_hiredis(benchmark::State& state) {
  Bench bench;
  const std::unique_ptr<redisContext, decltype(&redisFree)> c(redisConnect("127.0.0.1", bench.server.port()),
                                                              redisFree);
  const std::string script(scripts::compare_and_delete.text);
  for (auto _ : state) {
    for (int i = 0; i < 100; ++i) {
      freeReplyObject(redisCommand(c.get(), "SET lock 0123456789abcdef0123 NX PX 10000"));
      freeReplyObject(redisCommand(c.get(), "EVAL %s 1 lock 0123456789abcdef0123", script.c_str()));
    }
  }
  state.counters["cycles/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * 100, benchmark::Counter::kIsRate);
}
BENCHMARK(the_same_as_raw_hiredis)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lockproof
