// SPDX-License-Identifier: Apache-2.0
#include "harness/report/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "harness/report/text/headed.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;
constexpr int name_width = 30, world_width = 9, cell_width = 8;

template <class T, class Projection = std::identity>
T median(std::vector<T> values, Projection by = {}) {
  std::ranges::stable_sort(values, {}, by);
  return values[(values.size() - 1) / 2];
}

std::optional<Wait> median_wait(const std::vector<Figures>& load, int percent) {
  std::vector<Wait> waits;
  for (const Figures& figures : load) {
    if (const auto wait = percentile(figures.waits, percent)) waits.push_back(*wait);
  }
  return waits.empty() ? std::nullopt : std::optional(median(waits, &Wait::lasted));
}

/// In three digits, as much as these figures are worth.
std::string short_text(Duration d) {
  const auto us = static_cast<double>(d.count());
  if (us < 99.95e3) return fmt::format("{:.3g}ms", us / 1e3);
  if (us < 999.5e3) return fmt::format("{:.0f}ms", us / 1e3);
  return fmt::format("{:.3g}s", us / 1e6);
}

std::string wait_text(const std::optional<Wait>& wait) {
  if (!wait) return "-";
  return (wait->over ? "" : ">") + short_text(wait->lasted);
}

std::string rate_text(double rate) { return rate < 99.95 ? fmt::format("{:.3g}", rate) : fmt::format("{:.0f}", rate); }

Json wait_json(const std::optional<Wait>& wait) {
  if (!wait) return nullptr;
  Json j{{"us", wait->lasted.count()}};
  if (!wait->over) j["at_least"] = true;
  return j;
}

double rounded(double rate) { return std::round(rate * 10) / 10; }

}  // namespace

BenchCell bench_cell(std::string algorithm, std::string world, int clients, const std::vector<Figures>& load,
                     const std::vector<Figures>& crash) {
  BenchCell cell{.algorithm = std::move(algorithm), .world = std::move(world), .clients = clients};
  std::vector<double> rates;
  for (const Figures& figures : load) rates.push_back(figures.per_second());
  cell.window = load.front().window;
  cell.rate = median(rates);
  std::tie(cell.rate_min, cell.rate_max) =
      std::pair(*std::ranges::min_element(rates), *std::ranges::max_element(rates));
  cell.p50 = median_wait(load, 50);
  cell.p99 = median_wait(load, 99);
  const auto never = [](const Figures& figures) { return figures.takeover.value_or(Duration::max()); };
  const Figures middle = median(crash, never);
  cell.takeover = middle.takeover;
  cell.watched = middle.watched;
  for (const auto* runs : {&load, &crash}) {
    for (const Figures& figures : *runs) cell.broken |= figures.two_inside == "double-grant";
  }
  return cell;
}

std::string bench_heading(const BenchSetup& setup) {
  std::string groups = fmt::format("{:<{}}", "", name_width + world_width);
  std::string counts = fmt::format("{:<{}}{:<{}}", "algorithm", name_width, "world", world_width);
  for (const char* group : {"acquisitions/s", "wait, p50", "wait, p99", "takeover"}) {
    std::string columns;
    for (const int clients : setup.clients) columns += fmt::format("{:>{}}", clients, cell_width);
    counts += " " + columns;
    groups += fmt::format(" {:>{}}", group, columns.size());
  }
  return fmt::format("{}\n{}   spread\n", groups, counts);
}

std::string bench_line(const std::vector<BenchCell>& cells) {
  std::string line = fmt::format("{:<{}}{:<{}}", cells.front().algorithm, name_width, cells.front().world, world_width);
  double spread = 0;
  const auto group = [&](auto&& text_of) {
    line += " ";
    for (const BenchCell& cell : cells) line += fmt::format("{:>{}}", text_of(cell), cell_width);
  };
  group([](const BenchCell& cell) { return rate_text(cell.rate) + (cell.broken ? "!" : " "); });
  group([](const BenchCell& cell) { return wait_text(cell.p50); });
  group([](const BenchCell& cell) { return wait_text(cell.p99); });
  group([](const BenchCell& cell) { return cell.takeover ? short_text(*cell.takeover) : std::string("never"); });
  for (const BenchCell& cell : cells) {
    if (cell.rate > 0) spread = std::max(spread, (cell.rate_max - cell.rate_min) / cell.rate);
  }
  return line + fmt::format("{:>8.0f}%\n", spread * 100);
}

std::string bench_assumptions(const BenchSetup& s, bool with_real) {
  std::string text = fmt::format(
      "Each client takes the lock, holds it for {}, rests for {}, and takes it again; a retry comes after the "
      "algorithm's "
      "own delay.\nA wait lasts from the wish to the grant; > where it had not ended with the run. takeover: from the "
      "crash of a holder, just\nafter it entered with a lease of {}, to the next grant; never: not while it was "
      "watched.\nRedlock has {} servers, the others one, and a replica of it if they wait for that. Medians of {} "
      "run{};\n"
      "spread: of the acquisitions, largest less least, at worst.\n"
      "!: it let two clients in at once, so this is not the speed of a lock.\n",
      to_text(s.hold), to_text(s.think_time), to_text(s.lease), s.redlock_servers, s.runs, s.runs == 1 ? "" : "s");
  text += fmt::format("simulated: virtual time; a message takes {} to {} one way, a command and a process no time.\n",
                      to_text(s.latency.least), to_text(s.latency.most));
  if (with_real) {
    text +=
        "real: this machine's time, with its noise; servers, and one process for each client, on loopback, clocks not "
        "scaled; of Redis, MONITOR on.\n"
        "No real row: its service has no servers to run, and is simulated only.\n";
  }
  return text;
}

std::string bench_json(const BenchSetup& s, const std::vector<BenchCell>& cells) {
  Json rows = Json::array();
  for (const BenchCell& c : cells) {
    Json row{{"algorithm", c.algorithm}, {"world", c.world}, {"clients", c.clients}, {"window_us", c.window.count()}};
    row["acquisitions_per_s"] = {
        {"median", rounded(c.rate)}, {"min", rounded(c.rate_min)}, {"max", rounded(c.rate_max)}};
    row["wait_p50"] = wait_json(c.p50);
    row["wait_p99"] = wait_json(c.p99);
    row["takeover_us"] = c.takeover ? Json(c.takeover->count()) : Json(nullptr);
    if (!c.takeover) row["never_within_us"] = c.watched.count();
    row["double_grant"] = c.broken;
    rows.push_back(std::move(row));
  }
  const Json all{{"lockproof_bench", version},
                 {"setup",
                  {{"hold_us", s.hold.count()},
                   {"think_time_us", s.think_time.count()},
                   {"lease_us", s.lease.count()},
                   {"latency_us", {s.latency.least.count(), s.latency.most.count()}},
                   {"redlock_servers", s.redlock_servers},
                   {"clients", s.clients},
                   {"runs", s.runs}}},
                 {"cells", rows}};
  return document(all);
}

}  // namespace lockproof::harness
