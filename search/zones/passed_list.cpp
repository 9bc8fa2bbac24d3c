// SPDX-License-Identifier: Apache-2.0
#include "search/zones/passed_list.hpp"

#include <algorithm>
#include <utility>

namespace lockproof::zones {

namespace {

constexpr std::size_t block = std::size_t{1} << 20;  // bytes
constexpr std::uint64_t blocks_span = std::uint64_t{1} << 32;

}  // namespace

std::uint64_t PassedList::bytes() const {
  return known_.size() * sizeof(ZoneRecord) + packed_.size() * block + last_of_.capacity() * sizeof(last_of_.front()) +
         places_.bytes();
}

const char* PassedList::packed(std::uint32_t number) const {
  const std::uint64_t at = known_[number].at & ~dead;
  return packed_[at / blocks_span].data() + at % blocks_span;
}

std::uint64_t PassedList::pack(const Zone& zone) {
  std::string bytes;
  zone.pack(bytes);
  if (packed_.empty() || packed_.back().size() + bytes.size() > block) {
    packed_.emplace_back().reserve(std::max(block, bytes.size()));
  }
  const std::uint64_t at = (packed_.size() - 1) * blocks_span + packed_.back().size();
  packed_.back() += bytes;
  return at;
}

std::optional<std::uint32_t> PassedList::add(std::string bytes, Zone zone, Origin from) {
  const auto [place, is_new] = places_.add(std::move(bytes));
  if (is_new) last_of_.push_back(nobody);
  std::vector<std::uint32_t> inside;
  for (std::uint32_t known = last_of_[place]; known != nobody; known = known_[known].next) {
    const Zone::Relation other = zone.relation_of(packed(known));
    if (other.includes_this) return std::nullopt;
    if (other.may_lie_inside && zone.includes(Zone::unpack(packed(known)))) inside.push_back(known);
  }
  for (const std::uint32_t known : inside) known_[known].at |= dead;
  alive_ -= inside.size();
  for (std::uint32_t* link = &last_of_[place]; !inside.empty() && *link != nobody;) {
    std::uint32_t& next = known_[*link].next;
    if (is_alive(*link)) {
      link = &next;
    } else {
      *link = next;
    }
  }
  const auto number = static_cast<std::uint32_t>(known_.size());
  ++alive_;
  known_.push_back({place, last_of_[place], from, pack(zone)});
  last_of_[place] = number;
  return number;
}

Place PassedList::place(std::uint32_t number) const {
  return Place::read(places_.at(known_[number].place), Zone::unpack(packed(number)));
}

std::vector<std::uint32_t> PassedList::path_to(std::uint32_t number) const {
  std::vector<std::uint32_t> path;
  for (; number != nobody; number = known_[number].from.parent) path.push_back(known_[number].from.ordinal);
  std::ranges::reverse(path);
  return path;
}

bool PassedList::contains(const std::string& bytes, const Zone& zone) const {
  const auto place = places_.find(bytes);
  if (!place) return false;
  for (std::uint32_t known = last_of_[*place]; known != nobody; known = known_[known].next) {
    if (zone.relation_of(packed(known)).includes_this) return true;
  }
  return false;
}

}  // namespace lockproof::zones
