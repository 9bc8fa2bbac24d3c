// SPDX-License-Identifier: Apache-2.0
#include "harness/check/host_clocks.hpp"

namespace lockproof::check {

void HostClocks::see(const harness::Event& event) {
  if (event.host == harness::no_host) return;
  Last& last = last_.at(static_cast<std::size_t>(event.host));
  last = {event.at, event.clocks, 0, last.rate_ppb};
  // A strike is written before the clock has jumped.
  if (event.what == harness::What::strike && event.word == "clock-jump") last.wall_jump_us = event.value.value_or(0);
  if (event.what == harness::What::strike && event.word == "clock-rate") last.rate_ppb = event.value.value_or(0);
  if (event.what == harness::What::heal && event.word == "clock-rate") last.rate_ppb = 0;
}

std::int64_t HostClocks::now(harness::HostIndex host, std::string_view clock, Duration at) const {
  const Last& last = last_.at(static_cast<std::size_t>(host));
  const std::int64_t elapsed = (at - last.at).count();
  const std::int64_t since =
      elapsed + elapsed / 1'000'000 * last.rate_ppb / 1'000 + elapsed % 1'000'000 * last.rate_ppb / 1'000'000'000;
  if (clock == "wall") return last.clocks.wall_ms * 1000 + last.wall_jump_us + since;
  return (clock == "boot" ? last.clocks.boot_us : last.clocks.mono_us) + since;
}

}  // namespace lockproof::check
