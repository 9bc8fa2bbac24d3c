// SPDX-License-Identifier: Apache-2.0
// Zones against all valuations of a small grid: whatever is done to a zone is done to each of them.
#include "search/zones/time/zone.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sim/kernel/random_bits.hpp"

namespace lockproof::zones {
namespace {

constexpr std::int64_t edge = 9;  // of the grid; bounds are so small that a zone's form shows in it

/// The values of all rows, less that of the first one but now: differences are all that a zone knows.
using Valuation = std::vector<std::int64_t>;
using Valuations = std::set<Valuation>;

Valuation seen_from_now(const Valuation& values) {
  Valuation differences;
  for (const std::int64_t value : values) differences.push_back(value - values.front());
  return differences;
}

/// All valuations of a zone whose differences are small.
Valuations valuations_of(const Zone& zone) {
  Valuations all;
  Valuation values(zone.size(), 0);
  const std::function<void(std::size_t)> rest = [&](std::size_t at) {
    if (at == values.size()) {
      for (Row x = 0; x < zone.size(); ++x) {
        for (Row y = 0; y < zone.size(); ++y) {
          if (zone.bound(x, y) < Zone::none && values[x] - values[y] > zone.bound(x, y)) return;
        }
      }
      all.insert(values);
      return;
    }
    for (values[at] = -edge; values[at] <= edge; ++values[at]) rest(at + 1);
  };
  rest(1);
  return all;
}

template <class Keep>
Valuations kept(const Valuations& all, const Keep& keep) {
  Valuations some;
  for (const Valuation& values : all) {
    if (keep(values)) some.insert(values);
  }
  return some;
}

/// A zone and its valuations, grown in the same way from a seed.
struct Grown {
  Zone zone;
  Valuations all{{0}};

  /// Rows lie at most 3 apart from one that was there, and there are four: no difference leaves the grid.
  void grow(sim::RandomBits& bits) {
    while (zone.size() < 4) {
      const auto after = static_cast<Row>(bits.below(zone.size()));
      const auto least = static_cast<std::int64_t>(bits.below(3)) - 1;
      const std::int64_t most = least + static_cast<std::int64_t>(bits.below(3));
      (void)zone.add(after, Duration(least), Duration(most));
      Valuations longer;
      for (const Valuation& values : all) {
        for (std::int64_t way = least; way <= most; ++way) {
          Valuation with = values;
          with.push_back(values[after] + way);
          longer.insert(std::move(with));
        }
      }
      all = std::move(longer);
    }
  }
};

TEST(Zone, OfNowAloneHasOneValuation) {
  EXPECT_EQ(Zone().size(), 1U);
  EXPECT_EQ(Zone().bound(now_row, now_row), 0);
}

TEST(Zone, IsWhatItsValuationsAre) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    sim::RandomBits bits(seed);
    Grown grown;
    grown.grow(bits);
    ASSERT_EQ(valuations_of(grown.zone), grown.all) << "seed " << seed;
    for (int i = 0; i < 4 && !grown.all.empty(); ++i) {
      const TimePoint one{static_cast<Row>(bits.below(4)), static_cast<std::int64_t>(bits.below(7)) - 3};
      const TimePoint other{static_cast<Row>(bits.below(4)), static_cast<std::int64_t>(bits.below(7)) - 3};
      const bool strict = bits.below(2) == 0;
      grown.all = kept(grown.all, [&](const Valuation& values) {
        const std::int64_t a = values[one.row] + one.us, b = values[other.row] + other.us;
        return strict ? a < b : a <= b;
      });
      const bool is_left = strict ? grown.zone.require_before(one, other) : grown.zone.require_not_after(one, other);
      ASSERT_EQ(is_left, !grown.all.empty()) << "seed " << seed;
      if (!is_left) break;
      ASSERT_EQ(valuations_of(grown.zone), grown.all) << "seed " << seed;
    }
  }
}

/// Each bound is met by some valuation, so equal sets have equal matrices.
TEST(Zone, IsCanonical) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    sim::RandomBits bits(seed);
    Grown grown;
    grown.grow(bits);
    if (!grown.zone.require(static_cast<Row>(bits.below(4)), static_cast<Row>(bits.below(4)), 1)) continue;
    const Valuations all = valuations_of(grown.zone);
    for (Row x = 0; x < 4; ++x) {
      for (Row y = 0; y < 4; ++y) {
        std::int64_t most = -2 * edge;
        for (const Valuation& values : all) most = std::max(most, values[x] - values[y]);
        EXPECT_EQ(grown.zone.bound(x, y), most) << "seed " << seed;
      }
    }
  }
}

TEST(Zone, DelayLetsAnyTimePass) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    sim::RandomBits bits(seed);
    Grown grown;
    grown.grow(bits);
    const Valuations before = grown.all;
    grown.zone.delay();
    Valuations after;
    for (const Valuation& values : before) {
      for (std::int64_t passed = 0; passed <= 2 * edge; ++passed) {
        Valuation later = values;
        later.front() += passed;
        later = seen_from_now(later);
        if (std::ranges::all_of(later, [](std::int64_t value) { return value >= -edge; })) after.insert(later);
      }
    }
    ASSERT_EQ(valuations_of(grown.zone), after) << "seed " << seed;
  }
}

TEST(Zone, ProjectionForgetsRowsAndNothingElse) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    sim::RandomBits bits(seed);
    Grown grown;
    grown.grow(bits);
    const std::array<Row, 3> rows{now_row, 3, 1};
    Valuations some;
    for (const Valuation& values : grown.all) some.insert({values[0], values[3], values[1]});
    ASSERT_EQ(valuations_of(grown.zone.projected(rows)), some) << "seed " << seed;
  }
}

TEST(Zone, IncludesIsInclusionOfSets) {
  int included = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    sim::RandomBits bits(seed);
    Grown one, other;
    one.grow(bits);
    other.grow(bits);
    const bool is_subset = std::ranges::includes(one.all, other.all);
    ASSERT_EQ(one.zone.includes(other.zone), is_subset) << "seed " << seed;
    included += is_subset;
  }
  EXPECT_GT(included, 4);
}

/// Rows at fixed distances, and bounds that are none, among them.
TEST(Zone, IsPackedWhole) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    sim::RandomBits bits(seed);
    Grown one, other;
    one.grow(bits);
    other.grow(bits);
    if (bits.below(2) == 0) one.zone.delay();
    std::string bytes = "x";
    one.zone.pack(bytes);
    ASSERT_EQ(Zone::unpack(bytes.data() + 1), one.zone) << "seed " << seed;
    const Zone::Relation relation = other.zone.relation_of(bytes.data() + 1);
    ASSERT_EQ(relation.includes_this, one.zone.includes(other.zone)) << "seed " << seed;
    ASSERT_TRUE(relation.may_lie_inside || !other.zone.includes(one.zone)) << "seed " << seed;
    ASSERT_TRUE(one.zone.relation_of(bytes.data() + 1).includes_this) << "seed " << seed;
  }
}

TEST(Zone, TheEdgeIsExact) {
  Zone zone;
  const Row then = zone.add(now_row, Duration(5), Duration(5));
  Zone at = zone, before = zone;
  EXPECT_TRUE(at.require_not_after({then}, {now_row, 5}));
  EXPECT_FALSE(before.require_before({then}, {now_row, 5}));
  EXPECT_TRUE(zone.require_before({then}, {now_row, 6}));
}

}  // namespace
}  // namespace lockproof::zones
