// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/time_of_day.hpp"

#include <fmt/format.h>

#include <chrono>

#include "algorithms/port/instant.hpp"

namespace lockproof::execution {

std::string time_of_day(std::int64_t us) {
  namespace chrono = std::chrono;
  const chrono::sys_time<Duration> at{Duration(us)};
  const auto day = chrono::floor<chrono::days>(at);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss<Duration> time(at - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03} UTC", int(date.year()), unsigned(date.month()),
                     unsigned(date.day()), time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count() / 1000);
}

}  // namespace lockproof::execution
