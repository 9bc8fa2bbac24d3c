// SPDX-License-Identifier: Apache-2.0
// How fast the simulator is: events per second without and with a history, Lua calls, commands of a node.
#include <benchmark/benchmark.h>

#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"
#include "harness/scenario/file/parse.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/services/redis/node.hpp"
#include "sim/world/world.hpp"

namespace lockproof {
namespace {

harness::Scenario contended(const char* algorithm, int clients) {
  return harness::parse_scenario("bench.toml",
                                 "[algorithm]\nname = \"" + std::string(algorithm) +
                                     "\"\n[workload]\nrounds = 300\nlease = \"5s\"\nacquire_timeout = \"10h\"\n"
                                     "work = [\"read\", \"hold 20ms\", \"write\"]\nclients = " +
                                     std::to_string(clients) +
                                     "\n[network]\nlatency = [\"1ms\", \"5ms\"]\n[run]\nhorizon = \"10h\"\n");
}

void simulated_events(benchmark::State& state, const char* algorithm, bool record) {
  const harness::Scenario s = contended(algorithm, static_cast<int>(state.range(0)));
  std::uint64_t events = 0, seed = 0;
  for (auto _ : state) {
    sim::RandomChooser chooser(++seed);
    sim::World world(s, chooser, {.record = record, .record_inputs = record, .token_name = {}});
    world.run();
    events += world.events();
  }
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(simulated_events, setnx_expire_del, "setnx-expire-del", false)->Arg(2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulated_events, set_px_token, "set-px-token", false)->Arg(2)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulated_events, getset_timestamp, "getset-timestamp", false)->Arg(2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulated_events, set_px_token_with_history, "set-px-token", true)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond);

void lua_compare_and_delete(benchmark::State& state, const char* token) {
  sim::redis::ScriptEngine scripts;
  sim::redis::Node node(scripts);
  const Command set = redis::set_nx_px("lock", "mine", milliseconds(10'000)).command;
  const Command release = redis::eval(scripts::compare_and_delete, redis::keys("lock"), redis::args(token)).command;
  for (auto _ : state) {
    benchmark::DoNotOptimize(node.execute({1, set, {1'000}}));
    benchmark::DoNotOptimize(node.execute({1, release, {1'000}}));
  }
  state.counters["scripts/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(lua_compare_and_delete, right_token, "mine");
BENCHMARK_CAPTURE(lua_compare_and_delete, wrong_token, "other");

}  // namespace
}  // namespace lockproof
