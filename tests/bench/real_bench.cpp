// SPDX-License-Identifier: Apache-2.0
// What lockproof adds to a lock cycle on real Redis: the same commands as raw hiredis sends them over libuv, through
// the ports that algorithms use, and with everything written down as in a client process. All in one run, on one
// server, client and server on one CPU: across CPUs a round trip is mostly the wake-up of an idle one.
#include <benchmark/benchmark.h>
#include <hiredis/adapters/libuv.h>
#include <hiredis/async.h>
#include <sched.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <thread>

#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"
#include "harness/record/recorded_ports.hpp"
#include "harness/scenario/file/parse.hpp"
#include "real/client/client_journal.hpp"
#include "real/client/host_ports.hpp"
#include "real/clock/world_time.hpp"
#include "real/os/janitor.hpp"
#include "real/services/redis/hiredis_store.hpp"
#include "real/services/redis/server_process.hpp"

namespace lockproof {
namespace {

constexpr int cycles_each = 100;

void pin_to(std::size_t cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

class Bench {
 public:
  Bench() { server.await_ready(); }

 private:
  struct PinnedObject {
    PinnedObject() { pin_to(0); }
  } pinned_;

 public:
  real::Janitor janitor;
  real::ServerProcess server{"redis-1", janitor, real::epoch_us, 1};
};

void report(benchmark::State& state) {
  state.counters["cycles/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * cycles_each, benchmark::Counter::kIsRate);
}

class AToken final : public Random {
 public:
  Token token() override { return Token("0123456789abcdef0123", Value::Mark::token); }
  Duration between(Duration least, Duration) override { return least; }
};

Task<void> cycles(Lock& lock) {
  for (int i = 0; i < cycles_each; ++i) {
    const Attempt attempt = co_await lock.try_acquire("lock", milliseconds(10'000));
    const Grant grant = std::get<Grant>(attempt);
    const auto released = co_await lock.release(grant);
    if (!released) co_return;
  }
}

/// One lock over `witness`, all its ports recorded if there is a journal.
void run_cycles(benchmark::State& state, const Bench& bench, real::Witness& witness, real::HostClock& clock,
                harness::Journal* journal) {
  real::EventLoop loop;
  real::RemoteStores stores(loop);
  stores.add(std::make_unique<real::HiredisStore>(loop, real::Route{{"127.0.0.1", bench.server.port()}, 1},
                                                  real::CallTimeouts{seconds(5), harness::OnTimeout::discard, 1},
                                                  witness));
  stores.at(0).count_by(clock);
  AToken random;
  std::unique_ptr<harness::RecordedStores> recorded_stores;
  std::unique_ptr<harness::RecordedClock> recorded_clock;
  std::unique_ptr<harness::RecordedRandom> recorded_random;
  if (journal) {
    recorded_stores = std::make_unique<harness::RecordedStores>(stores, std::vector<harness::HostIndex>{1}, *journal);
    recorded_clock = std::make_unique<harness::RecordedClock>(clock, *journal);
    recorded_random = std::make_unique<harness::RecordedRandom>(random, *journal);
  }
  const Ports ports =
      journal ? Ports{*recorded_stores, *recorded_clock, *recorded_random} : Ports{stores, clock, random};
  const auto lock = make_set_px_token(ports, {{"retry", milliseconds(1)}});
  for (auto _ : state) {
    Task<void> task = cycles(*lock);
    task.start();
    while (!task.done()) loop.turn();
    task.result();
  }
  report(state);
}

void cycle_through_the_ports(benchmark::State& state) {
  const Bench bench;
  real::Witness witness;
  const std::atomic<std::int64_t> jumped{0};
  real::HostClock clock(real::WorldTime(real::machine_ns(), 1), harness::ClockSpec{}, jumped);
  run_cycles(state, bench, witness, clock, nullptr);
}
BENCHMARK(cycle_through_the_ports)->UseRealTime()->Unit(benchmark::kMillisecond);

constexpr const char* one_client = R"(
title = "One client, whose journal is measured"
[algorithm]
name = "set-px-token"
[workload]
clients = 1
)";

void cycles_of_a_client(benchmark::State& state, const Bench& bench) {
  const harness::Scenario scenario = harness::parse_scenario("bench.toml", one_client);
  real::Board board;
  real::Ledger ledger;
  const std::atomic<std::int64_t> jumped{0};
  real::HostClock clock(real::WorldTime(real::machine_ns(), 1), harness::ClockSpec{}, jumped);
  const real::Options options{};
  const real::ClientSetup setup{scenario, options, 0, board, ledger, {}, {0}};
  real::ClientJournal journal(setup);
  journal.start(clock);
  run_cycles(state, bench, journal, clock, &journal);
}

void cycle_written_down(benchmark::State& state) { cycles_of_a_client(state, Bench()); }
BENCHMARK(cycle_written_down)->UseRealTime()->Unit(benchmark::kMillisecond);

/// As in a run, where the server tells the supervisor of every command; the supervisor has another CPU.
void cycle_written_down_and_monitored(benchmark::State& state) {
  const Bench bench;
  redisContext* const monitor = redisConnect("127.0.0.1", bench.server.port());
  freeReplyObject(redisCommand(monitor, "MONITOR"));
  std::thread reader([monitor] {
    pin_to(1);
    void* line = nullptr;
    while (redisGetReply(monitor, &line) == REDIS_OK) freeReplyObject(line);
  });
  cycles_of_a_client(state, bench);
  ::shutdown(monitor->fd, SHUT_RDWR);
  reader.join();
  redisFree(monitor);
}
BENCHMARK(cycle_written_down_and_monitored)->UseRealTime()->Unit(benchmark::kMillisecond);

/// The same two commands, each sent when the reply to the one before has come, as hiredis's own adapter does it.
struct Raw {
  redisAsyncContext* context = nullptr;
  uv_loop_t* loop = nullptr;
  const std::string script = std::string(scripts::compare_and_delete.text);
  int left = 0;

  void set() { redisAsyncCommand(context, &was_set, this, "SET lock 0123456789abcdef0123 NX PX 10000"); }
  static void was_set(redisAsyncContext* context, void*, void* data) {
    auto& raw = *static_cast<Raw*>(data);
    redisAsyncCommand(context, &was_deleted, data, "EVAL %s 1 lock 0123456789abcdef0123", raw.script.c_str());
  }
  static void was_deleted(redisAsyncContext*, void*, void* data) {
    auto& raw = *static_cast<Raw*>(data);
    if (--raw.left > 0) return raw.set();
    uv_stop(raw.loop);
  }
};

void cycle_as_raw_hiredis(benchmark::State& state) {
  const Bench bench;
  uv_loop_t loop;
  uv_loop_init(&loop);
  Raw raw{redisAsyncConnect("127.0.0.1", bench.server.port()), &loop};
  redisLibuvAttach(raw.context, &loop);
  for (auto _ : state) {
    raw.left = cycles_each;
    raw.set();
    uv_run(&loop, UV_RUN_DEFAULT);
  }
  redisAsyncFree(raw.context);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  report(state);
}
BENCHMARK(cycle_as_raw_hiredis)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lockproof
