// SPDX-License-Identifier: Apache-2.0
#include "real/clock/world_time.hpp"

#include <time.h>

#include <algorithm>

namespace lockproof::real {
namespace {

__extension__ using Wide = __int128;  // years of nanoseconds, times the speedup

std::int64_t floor_div(Wide a, Wide b) {
  const Wide q = a / b;
  return static_cast<std::int64_t>(a % b < 0 ? q - 1 : q);
}

constexpr std::int64_t century_us = 3'000'000'000'000'000;

}  // namespace

std::int64_t machine_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

void sleep_until(std::int64_t at_ns) {
  const timespec at{at_ns / 1'000'000'000, at_ns % 1'000'000'000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) != 0) {
  }
}

Duration WorldTime::at(std::int64_t ns) const { return Duration(floor_div(Wide{ns - start_ns_} * speedup_, 1000)); }

std::int64_t WorldTime::machine_at(Duration t) const { return start_ns_ + machine_ns_of(t); }

/// An unlimited duration is taken as a century.
std::int64_t WorldTime::machine_ns_of(Duration d) const {
  return -floor_div(-(Wide{std::min(d.count(), century_us)} * 1000), speedup_);
}

}  // namespace lockproof::real
