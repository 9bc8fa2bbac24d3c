// SPDX-License-Identifier: Apache-2.0
#include "search/zones/time/zone.hpp"

#include <algorithm>
#include <functional>

namespace lockproof::zones {
namespace {

void put(std::string& into, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) into.push_back(static_cast<char>(number | 0x80));
  into.push_back(static_cast<char>(number));
}

std::uint64_t get(const char*& at) {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

/// Small numbers of both signs are few bytes, and no bound is one.
void put_bound(std::string& into, Zone::Bound bound) {
  const bool is_negative = bound < 0;
  const std::uint64_t size = static_cast<std::uint64_t>(is_negative ? -bound : bound) * 2 + (is_negative ? 1 : 0);
  put(into, bound >= Zone::none ? 0 : size + 1);
}

Zone::Bound get_bound(const char*& at) {
  const std::uint64_t number = get(at);
  if (number == 0) return Zone::none;
  const auto size = static_cast<Zone::Bound>((number - 1) / 2);
  return (number - 1) % 2 == 1 ? -size : size;
}

}  // namespace

/// One new bound changes only sums that pass through it, so the canonical form costs a square, not a cube.
bool Zone::require(Row x, Row y, Bound most) {
  if (bound(x, y) <= most) return true;
  if (bound(y, x) < none && bound(y, x) + most < 0) return false;
  if (x == y) return false;
  at(x, y) = most;
  for (Row i = 0; i < size_; ++i) {
    if (bound(i, x) >= none) continue;
    const Bound to_y = bound(i, x) + most;
    for (Row j = 0; j < size_; ++j) {
      if (bound(y, j) < none && to_y + bound(y, j) < bound(i, j)) at(i, j) = to_y + bound(y, j);
    }
  }
  return true;
}

Row Zone::add(Row after, Duration least, Duration most) {
  const auto added = static_cast<Row>(size_);
  Zone larger;
  larger.size_ = size_ + 1;
  larger.bounds_.assign(larger.size_ * larger.size_, none);
  for (Row i = 0; i < size_; ++i) {
    for (Row j = 0; j < size_; ++j) larger.at(i, j) = bound(i, j);
    if (bound(i, after) < none) larger.at(i, added) = bound(i, after) - least.count();
    if (bound(after, i) < none) larger.at(added, i) = bound(after, i) + most.count();
  }
  larger.at(added, added) = 0;
  *this = std::move(larger);
  return added;
}

void Zone::delay() {
  for (Row i = 1; i < size_; ++i) at(now_row, i) = none;
}

Zone Zone::projected(std::span<const Row> rows) const {
  Zone smaller;
  smaller.size_ = rows.size();
  smaller.bounds_.resize(rows.size() * rows.size());
  for (Row i = 0; i < rows.size(); ++i) {
    for (Row j = 0; j < rows.size(); ++j) smaller.at(i, j) = bound(rows[i], rows[j]);
  }
  return smaller;
}

void Zone::pack(std::string& into) const {
  put(into, size_);
  std::vector<Row> loose;  // at no fixed distance from one before it
  for (Row row = 0; row < size_; ++row) {
    const auto fixed = std::ranges::find_if(
        loose, [&](Row one) { return bound(row, one) < none && bound(row, one) == -bound(one, row); });
    put(into, static_cast<std::uint64_t>(fixed - loose.begin()));
    if (fixed != loose.end()) {
      put_bound(into, bound(row, *fixed));
      continue;
    }
    for (const Row one : loose) {
      put_bound(into, bound(row, one));
      put_bound(into, bound(one, row));
    }
    loose.push_back(row);
  }
}

Zone Zone::unpack(const char* bytes) {
  Zone zone;
  zone.size_ = get(bytes);
  zone.bounds_.assign(zone.size_ * zone.size_, 0);
  std::vector<Row> loose;
  std::vector<TimePoint> rows(zone.size_);  // as so long after one that is loose
  for (Row row = 0; row < zone.size_; ++row) {
    const std::uint64_t fixed = get(bytes);
    if (fixed < loose.size()) {
      rows[row] = {loose[fixed], get_bound(bytes)};
      continue;
    }
    rows[row] = {row, 0};
    for (const Row one : loose) {
      zone.at(row, one) = get_bound(bytes);
      zone.at(one, row) = get_bound(bytes);
    }
    loose.push_back(row);
  }
  for (Row i = 0; i < zone.size_; ++i) {
    for (Row j = 0; j < zone.size_; ++j) {
      const Bound between = zone.bound(rows[i].row, rows[j].row);
      zone.at(i, j) = between < none ? between + rows[i].us - rows[j].us : none;
    }
  }
  return zone;
}

/// What is not written follows from what is, so it need not be looked at to include another zone.
Zone::Relation Zone::relation_of(const char* packed) const {
  Relation relation;
  std::vector<Row> loose;
  const auto compare = [&](Row x, Row y, Bound theirs) {
    relation.includes_this &= bound(x, y) <= theirs;
    relation.may_lie_inside &= theirs <= bound(x, y);
  };
  (void)get(packed);
  for (Row row = 0; row < size_ && (relation.includes_this || relation.may_lie_inside); ++row) {
    const std::uint64_t fixed = get(packed);
    if (fixed < loose.size()) {
      const Bound distance = get_bound(packed);
      compare(row, loose[fixed], distance);
      compare(loose[fixed], row, -distance);
      continue;
    }
    for (const Row one : loose) {
      compare(row, one, get_bound(packed));
      compare(one, row, get_bound(packed));
    }
    loose.push_back(row);
  }
  return relation;
}

bool Zone::includes(const Zone& other) const { return std::ranges::equal(other.bounds_, bounds_, std::less_equal{}); }

}  // namespace lockproof::zones
