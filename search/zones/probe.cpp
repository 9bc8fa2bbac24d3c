// SPDX-License-Identifier: Apache-2.0
#include "search/zones/probe.hpp"

#include <utility>

namespace lockproof::zones {

std::optional<bool> Probe::gets_it(const Place& place) {
  constexpr std::uint64_t places_most = 10'000;
  successors_.begin_probe(place, *this);
  while (!granted_ && !waiting_.empty()) {
    if (passed_.size() > places_most) return std::nullopt;
    const std::uint32_t next = waiting_.front();
    waiting_.pop_front();
    if (passed_.is_alive(next)) successors_.expand(passed_.place(next), *this);
  }
  return granted_;
}

/// The others leave it alone.
void Probe::reach(Place place, std::string bytes, const Event& event) {
  if (event.client != Successors::probe_client || event.fault || event.late || !event.marks.empty()) return;
  const auto added = passed_.add(std::move(bytes), std::move(place.zone), {});
  if (added) waiting_.push_back(*added);
}

}  // namespace lockproof::zones
