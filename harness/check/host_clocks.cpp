// SPDX-License-Identifier: Apache-2.0
#include "harness/check/host_clocks.hpp"

#include "harness/scenario/fault_table.hpp"

namespace lockproof::check {

namespace {

/// `us`, in whole milliseconds, rounded down.
std::int64_t whole_ms(std::int64_t us) { return us - ((us % 1000) + 1000) % 1000; }

}  // namespace

void HostClocks::see(const harness::Event& event) {
  if (event.host == harness::no_host) return;
  LastReadings& last = last_.at(static_cast<std::size_t>(event.host));
  // The wall clock is read in whole milliseconds, so it is ahead of the boot-time clock by this or up to one more; the
  // most that was seen is the nearest. A larger difference means that the clock was set from outside.
  std::int64_t ahead = event.clocks.wall_ms * 1000 - event.clocks.boot_us;
  if (simulated_) ahead = whole_ms(ahead + 999);
  const std::int64_t known = last.wall_ahead_us.value_or(ahead) + last.wall_jump_us;
  last.wall_ahead_us = known > ahead && known - ahead < 1000 ? known : ahead;
  last.wall_jump_us = 0;
  const bool strikes = event.what == harness::What::strike;
  const bool heals = event.what == harness::What::heal;
  const bool sets_rate = event.word == "clock-rate" && (strikes || heals);
  const bool stops = (strikes || heals) && harness::stops_clock(event.word);
  // Simulated clocks are whole microseconds where their rate changes, and are rounded from there on.
  if (!simulated_ || last.rate_ppb == 0 || sets_rate || stops) {
    last.at = event.at;
    last.clocks = event.clocks;
  }
  // A strike is written before the clock has jumped.
  if (strikes && event.word == "clock-jump") last.wall_jump_us = event.value.value_or(0);
  if (sets_rate) last.rate_ppb = strikes ? event.value.value_or(0) : 0;
  if (stops) last.stops += strikes ? 1 : -1;
}

std::int64_t HostClocks::now(harness::HostIndex host, std::string_view clock, Duration at) const {
  const LastReadings& last = last_.at(static_cast<std::size_t>(host));
  const std::int64_t elapsed = (at - last.at).count();
  const std::int64_t since = elapsed + static_cast<std::int64_t>(Wide{elapsed} * last.rate_ppb / 1'000'000'000);
  if (clock == "mono") return last.clocks.mono_us + (last.stops == 0 ? since : 0);
  return last.clocks.boot_us + since + (clock == "wall" ? last.wall_ahead_us.value_or(0) + last.wall_jump_us : 0);
}

std::int64_t HostClocks::shown(harness::HostIndex host, std::string_view clock, Duration at) const {
  return clock == "wall" ? whole_ms(now(host, clock, at)) : now(host, clock, at);
}

}  // namespace lockproof::check
