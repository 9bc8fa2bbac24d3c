// SPDX-License-Identifier: Apache-2.0
#include "execution/bench/bench.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

#include "execution/bench/bench_scenarios.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/stop.hpp"
#include "real/os/side_by_side.hpp"
#include "real/run/run.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {
namespace {

using harness::BenchCell;
using harness::BenchSetup;
using harness::Figures;

/// What a process of its own found, as it comes through a pipe: microseconds, -1 for never.
std::string takeover_text(const Figures& figures) {
  return fmt::format("{} {} {}", figures.takeover.value_or(Duration(-1)).count(), figures.watched.count(),
                     figures.two_inside);
}
Figures takeover_from(const std::string& text) {
  long long takeover = 0, watched = 0;
  char two_inside[32] = "";
  if (std::sscanf(text.c_str(), "%lld %lld %31s", &takeover, &watched, two_inside) < 2) {
    throw std::runtime_error("a run answered '" + text + "'");
  }
  Figures figures;
  if (takeover >= 0) figures.takeover = Duration(takeover);
  figures.watched = Duration(watched);
  figures.two_inside = two_inside;
  return figures;
}

harness::History run_once(const harness::Scenario& scenario, WorldKind world, std::uint64_t seed,
                          const std::stop_token& stop) {
  if (world == WorldKind::real) return real::run(scenario, {.seed = seed, .record_inputs = false, .stop = stop});
  return sim::run(scenario, seed, {.record = true, .record_inputs = false, .token_name = {}, .stop = stop});
}

class Bench {
 public:
  Bench(const BenchOrder& order, const Algorithm& lock, WorldKind world)
      : order_(order), setup_(order.setup), lock_(lock), algorithm_(lock.name), world_(world),
        word_(world == WorldKind::real ? "real" : "simulated"), folder_(order.folder) {}

  std::vector<BenchCell> row() const {
    const std::vector<std::vector<Figures>> crashes = crash();
    std::vector<BenchCell> cells;
    for (std::size_t i = 0; i < setup_.clients.size(); ++i) {
      const int clients = setup_.clients[i];
      order_.begin(fmt::format("{}, {}, {} clients", algorithm_, word_, clients));
      const harness::Scenario load = scenario("load", load_scenario_text(setup_, subject(clients)), clients);
      std::vector<Figures> found;
      for (int run = 1; run <= setup_.runs; ++run) found.push_back(figures(load, run));
      cells.push_back(bench_cell(algorithm_, word_, clients, found, crashes[i]));
    }
    return cells;
  }

 private:
  harness::Scenario scenario(std::string_view kind, const std::string& text, int clients) const {
    const std::string name = fmt::format("{}-{}-{}-{}.toml", algorithm_, word_, clients, kind);
    if (folder_.empty()) return harness::parse_scenario(name, text);
    const std::string file = fmt::format("{}/{}", folder_, name);
    order_.write(file, text);
    return harness::parse_scenario(file, text);
  }
  [[nodiscard]] BenchSubject subject(int clients) const { return {lock_, world_, clients, folder_}; }

  Figures figures(const harness::Scenario& scenario, int run) const {
    return figures_of(run_once(scenario, world_, static_cast<std::uint64_t>(run), order_.stop), scenario);
  }

  /// By number of clients. On real servers one run each, and all at once: it is waiting for the lease, mostly.
  std::vector<std::vector<Figures>> crash() const {
    std::vector<std::vector<Figures>> found;
    std::vector<std::function<std::string()>> real;
    for (const int clients : setup_.clients) {
      const harness::Scenario crash = scenario("crash", crash_scenario_text(setup_, subject(clients)), clients);
      found.emplace_back();
      if (world_ == WorldKind::real) {
        real.emplace_back([this, crash] { return takeover_text(figures(crash, 1)); });
      } else {
        for (int run = 1; run <= setup_.runs; ++run) found.back().push_back(figures(crash, run));
      }
    }
    real::side_by_side(
        real.size(), static_cast<unsigned>(real.size()), [&](std::size_t i) { return real[i](); },
        [&](std::size_t i, const std::string& answer) { found[i].push_back(takeover_from(answer)); },
        [this] { return !order_.stop.stop_requested(); }, real::UnfinishedPolicy::ended);
    harness::look_at(order_.stop);
    return found;
  }

  const BenchOrder& order_;
  const BenchSetup& setup_;
  const Algorithm& lock_;
  const std::string algorithm_;
  const WorldKind world_;
  const std::string word_;
  const std::string folder_;
};

}  // namespace

std::vector<BenchCell> bench_row(const BenchOrder& order, const Algorithm& lock, WorldKind world) {
  return Bench(order, lock, world).row();
}

}  // namespace lockproof::execution
