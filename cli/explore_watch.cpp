// SPDX-License-Identifier: Apache-2.0
#include "cli/explore_watch.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>

#include "cli/output.hpp"

namespace lockproof::cli {
namespace {

constexpr double between_lines = 0.2, between_probes = 2;  // seconds
constexpr double seldom = 20;                              // times as long as one takes

std::atomic<bool> interrupted{false};

void interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

std::size_t columns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string short_number(double n) {
  if (n >= 1e6) return fmt::format("{:.1f} M", n / 1e6);
  if (n >= 1e4) return fmt::format("{:.0f} k", n / 1e3);
  return fmt::format("{:.0f}", n);
}

}  // namespace

std::string progress_text(const sim::Progress& p, double rate, std::uint64_t memory,
                          const std::optional<sim::Probed>& probed) {
  std::string text =
      fmt::format("{} states, {}/s, {} waiting, {}/{} MB", short_number(static_cast<double>(p.states)),
                  short_number(rate), short_number(static_cast<double>(p.frontier)), p.bytes >> 20, memory >> 20);
  if (p.faults > 0) text += fmt::format(", {} fault{}", p.faults, p.faults == 1 ? "" : "s");
  text += fmt::format(", depth {}", p.depth);
  if (probed) text += fmt::format(", est. {} %", percent(*probed));
  return text;
}

ExploreWatch::ExploreWatch(std::optional<Duration> limit, std::uint64_t memory)
    : limit_(limit), memory_(memory), terminal_(obeys_escapes(STDERR_FILENO)) {
  interrupted = false;
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
}

ExploreWatch::~ExploreWatch() {
  if (shown_ > 0) fmt::print(stderr, "\r\033[K");
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

double ExploreWatch::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

bool ExploreWatch::go_on(const sim::Progress& progress) {
  const double now = seconds();
  if (terminal_ && now - shown_ > between_lines) show(progress, now);
  return may_go_on(now);
}

bool ExploreWatch::go_on(const std::string& line) {
  const double now = seconds();
  if (terminal_ && now - shown_ > between_lines) {
    show(line);
    shown_ = now;
  }
  return may_go_on(now);
}

bool ExploreWatch::may_go_on(double now) {
  if (limit_ && now > std::chrono::duration<double>(*limit_).count()) stop_ = Stop::time;
  if (interrupted) stop_ = Stop::interrupted;
  return stop_ == Stop::none;
}

void ExploreWatch::show(const sim::Progress& progress, double now) {
  if (progress.probe && now > next_probe_) {
    probed_ = progress.probe();
    const double then = seconds();
    next_probe_ = then + std::max(between_probes, seldom * (then - now));
  }
  if (progress.transitions < last_) last_ = 0;  // it has begun again
  const double rate = static_cast<double>(progress.transitions - last_) / (now - shown_);
  show(progress_text(progress, rate, memory_, probed_));
  shown_ = now;
  last_ = progress.transitions;
}

void ExploreWatch::show(std::string line) {
  line.resize(std::min(line.size(), columns() - 1));
  fmt::print(stderr, "\r{}\033[K", line);
  std::fflush(stderr);
}

}  // namespace lockproof::cli
