// SPDX-License-Identifier: Apache-2.0
#include "search/zones/passed.hpp"

#include <algorithm>
#include <utility>

namespace lockproof::zones {

std::optional<std::uint32_t> Passed::add(std::string bytes, Zone zone, From from) {
  const auto [place, is_new] = places_.add(std::move(bytes));
  if (is_new) zones_of_.emplace_back();
  std::vector<std::uint32_t>& zones = zones_of_[place];
  const auto includes = [&](std::uint32_t known) { return known_[known].zone.includes(zone); };
  if (std::ranges::any_of(zones, includes)) return std::nullopt;
  std::erase_if(zones, [&](std::uint32_t known) {
    if (!zone.includes(known_[known].zone)) return false;
    known_[known].alive = false;
    --alive_;
    return true;
  });
  const auto number = static_cast<std::uint32_t>(known_.size());
  zones.push_back(number);
  ++alive_;
  bytes_ += sizeof(Known) + zone.size() * zone.size() * sizeof(Zone::Bound) + sizeof(std::uint32_t);
  known_.push_back({place, std::move(zone), from});
  return number;
}

Place Passed::place(std::uint32_t number) const {
  return Place::read(places_.at(known_[number].place), known_[number].zone);
}

std::vector<std::uint32_t> Passed::path_to(std::uint32_t number) const {
  std::vector<std::uint32_t> path;
  for (; number != nobody; number = known_[number].from.parent) path.push_back(known_[number].from.ordinal);
  std::ranges::reverse(path);
  return path;
}

bool Passed::contains(const std::string& bytes, const Zone& zone) const {
  const auto place = places_.find(bytes);
  if (!place) return false;
  return std::ranges::any_of(zones_of_[*place], [&](std::uint32_t known) { return known_[known].zone.includes(zone); });
}

}  // namespace lockproof::zones
