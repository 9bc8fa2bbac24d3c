// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/shrink.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace lockproof::sim {
namespace {

constexpr std::int64_t evenly = 8;  // samples, besides the powers of two

Subset without(const Subset& all, std::size_t from, std::size_t to) {
  Subset rest(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(from));
  rest.insert(rest.end(), all.begin() + static_cast<std::ptrdiff_t>(to), all.end());
  return rest;
}

}  // namespace

std::vector<Subset> subsets(std::size_t count, std::size_t size) {
  std::vector<Subset> all;
  if (size > count) return all;
  Subset one(size);
  std::iota(one.begin(), one.end(), std::size_t{0});
  for (;;) {
    all.push_back(one);
    std::size_t i = size;
    while (i > 0 && one[i - 1] == count - size + i - 1) --i;
    if (i == 0) return all;
    ++one[i - 1];
    for (; i < size; ++i) one[i] = one[i - 1] + 1;
  }
}

Subset ddmin(std::size_t count, const std::function<bool(const Subset&)>& breaks) {
  Subset kept(count);
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  if (count > 0 && breaks({})) return {};
  std::size_t parts = 2;
  while (kept.size() > 1) {
    const std::size_t size = (kept.size() + parts - 1) / parts;
    bool smaller = false;
    for (std::size_t end = kept.size(); end > 0 && !smaller;) {  // the latest first
      const std::size_t begin = (end - 1) / size * size;
      Subset rest = without(kept, begin, end);
      smaller = breaks(rest);
      if (smaller) kept = std::move(rest);
      end = begin;
    }
    if (!smaller && size == 1) break;
    parts = smaller ? std::max<std::size_t>(2, parts - 1) : std::min(kept.size(), parts * 2);
    parts = std::min(parts, std::max<std::size_t>(2, kept.size()));
  }
  return kept;
}

std::int64_t least_that(std::int64_t least, std::int64_t most, const std::function<bool(std::int64_t)>& breaks) {
  std::set<std::int64_t> samples;
  for (std::int64_t distance = 1; least + distance - 1 < most; distance *= 2) samples.insert(least + distance - 1);
  for (std::int64_t i = 1; i < evenly; ++i) samples.insert(least + (most - least) * i / evenly);
  samples.erase(most);
  std::int64_t below = least - 1, found = most;
  for (const std::int64_t sample : samples) {
    if (sample >= most) break;
    if (breaks(sample)) {
      found = sample;
      break;
    }
    below = sample;
  }
  while (found - below > 1) {
    const std::int64_t middle = below + (found - below) / 2;
    (breaks(middle) ? found : below) = middle;
  }
  return found;
}

}  // namespace lockproof::sim
