// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/explore_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "execution/explore/explore_report.hpp"

namespace lockproof::cli {
namespace {

constexpr double between_lines = 0.2, between_probes = 2;  // seconds
constexpr double seldom = 20;                              // times as long as one takes

std::string short_number(double n) {
  if (n >= 1e6) return fmt::format("{:.1f} M", n / 1e6);
  if (n >= 1e4) return fmt::format("{:.0f} k", n / 1e3);
  return fmt::format("{:.0f}", n);
}

}  // namespace

unsigned workers_of(const Arguments& arguments) {
  return arguments.workers ? arguments.workers : std::max(1U, std::thread::hardware_concurrency());
}

std::string progress_text(const sim::Progress& p, std::uint64_t memory,
                          const std::optional<sim::CoverageEstimate>& probed) {
  std::string text = fmt::format("{} states, {} waiting, {}/{} MB", short_number(static_cast<double>(p.states)),
                                 short_number(static_cast<double>(p.frontier)), p.bytes >> 20, memory >> 20);
  if (p.parts > 0) return text + fmt::format(", {} of {} parts", p.part, p.parts);
  if (p.faults > 0) text += fmt::format(", {} fault{}", p.faults, p.faults == 1 ? "" : "s");
  text += fmt::format(", depth {}", p.depth);
  if (probed) text += fmt::format(", est. {} %", execution::percent(*probed));
  return text;
}

ExploreWatch::ExploreWatch(std::optional<Duration> limit, std::optional<std::uint64_t> memory, bool shows,
                           std::uint64_t kept)
    : guard_(limit, memory, kept), line_("searching", limit, shows), memory_(memory.value_or(0)) {}

bool ExploreWatch::go_on(const sim::Progress& progress) {
  const double now = seconds();
  if (line_.is_shown() && now - shown_ > between_lines) show(progress, now);
  return guard_.may_go_on();
}

search::Limits ExploreWatch::limits(unsigned workers) {
  return {.workers = workers ? workers : std::max(1U, std::thread::hardware_concurrency()),
          .stop = guard_.stop(),
          .stop_telling = guard_.stop_telling(),
          .go_on = [this](const sim::Progress& progress) { return go_on(progress); }};
}

bool ExploreWatch::go_on(const std::string& line) {
  const double now = seconds();
  if (line_.is_shown() && now - shown_ > between_lines) {
    line_.show(line);
    shown_ = now;
  }
  return guard_.may_go_on();
}

bool ExploreWatch::go_on(std::uint64_t done, std::uint64_t all, std::string_view what) {
  line_.show(done, all, what);
  return guard_.may_go_on();
}

void ExploreWatch::show(const sim::Progress& progress, double now) {
  if (progress.probe && now > next_probe_) {
    probed_ = progress.probe();
    const double then = seconds();
    next_probe_ = then + std::max(between_probes, seldom * (then - now));
  }
  sim::Progress with_all = progress;
  with_all.bytes = guard_.held();
  line_.show(progress_text(with_all, memory_, probed_));
  shown_ = now;
}

}  // namespace lockproof::cli
