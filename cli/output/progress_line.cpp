// SPDX-License-Identifier: Apache-2.0
#include "cli/output/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "cli/output/output.hpp"

namespace lockproof::cli {
namespace {

constexpr auto between_lines = std::chrono::milliseconds(200);
constexpr double first_line = 1;  // seconds

/// Not by stdio, whose buffers a process that is forked meanwhile would share.
void write_to_terminal(std::string_view text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

}  // namespace

std::string rough_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(std::max(seconds, 0.0)));
  if (whole < 100) return fmt::format("{} s", whole);
  const std::int64_t minutes = (whole + 30) / 60;
  if (minutes < 60) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

ProgressLine::ProgressLine(std::string doing, std::optional<Duration> limit, bool shows)
    : limit_(limit), doing_(std::move(doing)) {
  if (!shows || !obeys_escapes(STDERR_FILENO)) return;
  try {
    writer_ = std::jthread([this](const std::stop_token& ended) { write_often(ended); });
  } catch (const std::system_error&) {  // no thread, no line
  }
}

ProgressLine::~ProgressLine() {
  if (!writer_.joinable()) return;
  writer_.request_stop();
  writer_.join();
  take_away();
}

double ProgressLine::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

void ProgressLine::show(std::string doing) {
  const std::scoped_lock lock(mutex_);
  doing_ = std::move(doing);
  left_ = -1;
  hidden_ = false;
}

void ProgressLine::show(std::uint64_t done, std::uint64_t all, std::string_view what) {
  const std::scoped_lock lock(mutex_);
  doing_ = fmt::format("{} of {} {}", done, all, what);
  said_ = Clock::now();
  if (done == 0) rate_begin_ = said_;
  const double taken = std::chrono::duration<double>(said_ - rate_begin_).count();
  left_ = done == 0 ? -1 : taken * static_cast<double>(all - std::min(done, all)) / static_cast<double>(done);
  hidden_ = false;
}

void ProgressLine::show_above(std::string lines) {
  const std::scoped_lock lock(mutex_);
  if (lines == above_) return;
  take_away();
  above_ = std::move(lines);
}

void ProgressLine::clear() {
  const std::scoped_lock lock(mutex_);
  hidden_ = true;
  take_away();
}

void ProgressLine::take_away() {
  if (written_) write_to_terminal("\r\033[K");
  for (; lines_above_ > 0; --lines_above_) write_to_terminal("\033[A\033[K");
  written_ = false;
}

void ProgressLine::write_often(const std::stop_token& ended) {
  std::unique_lock lock(mutex_);
  while (!ended.stop_requested()) {
    wake_.wait_for(lock, ended, between_lines, [] { return false; });
    if (!ended.stop_requested() && !hidden_ && seconds() >= first_line) write_line();
  }
}

void ProgressLine::write_line() {
  std::string line = fmt::format("{}, {}", doing_, rough_time(seconds()));
  if (limit_) line += fmt::format(" of at most {}", rough_time(static_cast<double>(limit_->count()) / 1e6));
  const double left = left_ - std::chrono::duration<double>(Clock::now() - said_).count();
  if (left_ >= 0) line += fmt::format(", {} left", rough_time(left));
  const std::size_t columns = columns_of_terminal(STDERR_FILENO) - 1;
  if (lines_above_ == 0) {
    for (std::size_t at = 0, end = 0; at < above_.size(); at = end + 1, ++lines_above_) {
      end = std::min(above_.find('\n', at), above_.size());
      write_to_terminal(fmt::format("\r{}\033[K\n", harness::shortened(above_.substr(at, end - at), columns)));
    }
  }
  write_to_terminal(fmt::format("\r{}\033[K", harness::shortened(line, columns)));
  written_ = true;
}

}  // namespace lockproof::cli
