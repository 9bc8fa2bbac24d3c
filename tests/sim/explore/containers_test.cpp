// SPDX-License-Identifier: Apache-2.0
// The containers of the search, compared with those of the standard library: everything that grows, grows several
// times.
#include <map>
#include <string>
#include <vector>

#include "sim/explore/containers/flat_map.hpp"
#include "sim/explore/containers/interner.hpp"
#include "sim/explore/containers/packed_set.hpp"
#include "sim/explore/containers/records.hpp"
#include "sim/kernel/random_bits.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim {
namespace {

TEST(Interner, NumbersStringsInOrderOfFirstSight) {
  Interner interner;
  std::map<std::string, std::uint32_t> numbers;
  RandomBits bits(1);
  for (int i = 0; i < 20'000; ++i) {
    // Of all lengths up to three words, and often equal but for the last byte.
    std::string text(bits.below(24), 'a');
    for (std::size_t n = 0; n < 2 && n < text.size(); ++n)
      text[text.size() - 1 - n] = static_cast<char>(bits.below(256));
    const auto [expected, is_new] = numbers.emplace(text, static_cast<std::uint32_t>(numbers.size()));
    ASSERT_EQ(interner.add(text), std::pair(expected->second, is_new)) << i;
  }
  EXPECT_EQ(interner.size(), numbers.size());
  EXPECT_GT(interner.size(), 1000U);
  EXPECT_GT(interner.bytes(), interner.size() * sizeof(std::string));
}

TEST(Records, KeepWhatWasWritten) {
  for (const std::size_t record_bytes : {1U, 7U, 33U}) {
    Records records(record_bytes);
    for (std::size_t n = 0; n < 5000; ++n) {
      std::uint8_t* record = records.append();
      for (std::size_t i = 0; i < record_bytes; ++i) record[i] = static_cast<std::uint8_t>(n * 31 + i);
    }
    ASSERT_EQ(records.size(), 5000U);
    for (std::size_t n = 0; n < records.size(); ++n) {
      for (std::size_t i = 0; i < record_bytes; ++i) {
        ASSERT_EQ(records.at(n)[i], static_cast<std::uint8_t>(n * 31 + i)) << n;
      }
    }
    EXPECT_GE(records.bytes(), 5000 * record_bytes);
    EXPECT_LE(records.bytes(), 6200 * record_bytes + 5 * Records::padding);
  }
}

TEST(Records, DoNotMoveOnceTheFirstChunkIsFull) {
  Records records(3);
  for (int n = 0; n < 1024; ++n) (void)records.append();
  const std::uint8_t *const first = records.at(0), *const last = records.at(1023);
  for (int n = 0; n < 5000; ++n) (void)records.append();
  EXPECT_EQ(records.at(0), first);
  EXPECT_EQ(records.at(1023), last);
}

TEST(PairMap, FindsWhatWasInsertedAndNothingElse) {
  PairMap map;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> reference;
  EXPECT_EQ(map.find(0, 0), PairMap::none);
  RandomBits bits(2);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const auto a = static_cast<std::uint32_t>(bits.below(200)), b = static_cast<std::uint32_t>(bits.below(200));
    const auto known = reference.find({a, b});
    ASSERT_EQ(map.find(a, b), known == reference.end() ? PairMap::none : known->second);
    if (known != reference.end()) continue;
    map.insert(a, b, i);
    reference[{a, b}] = i;
  }
  for (const auto& [key, value] : reference) ASSERT_EQ(map.find(key.first, key.second), value);
  EXPECT_GE(map.bytes(), reference.size() * 12);
}

/// Columns of up to 32 bits, in all places of a word and across its end, as some of them are widened.
TEST(Packing, KeepsAllNumbersWhereverTheyAre) {
  RandomBits bits(11);
  for (std::size_t columns = 1; columns <= 40; ++columns) {
    Packing packing(columns);
    for (int widened = 0; widened < 12; ++widened) {
      std::vector<std::uint32_t> largest(columns, 0);
      largest[bits.below(columns)] = static_cast<std::uint32_t>(bits.below(std::uint64_t{1} << bits.below(33)));
      packing.widen(largest.data());
      ASSERT_TRUE(packing.fits(largest.data()));
      std::vector<std::uint32_t> unpacked(columns);
      std::vector<std::uint8_t> stored(packing.bytes() + Records::padding, 0xff), other = stored;
      Packing::Words packed, changed;
      packing.pack(largest.data(), packed);
      packing.store(packed, stored.data());
      packing.unpack(stored.data(), unpacked.data());
      ASSERT_EQ(unpacked, largest);
      ASSERT_TRUE(packing.same(packed, stored.data()));
      ASSERT_EQ(packing.hash(packed), packing.hash_stored(stored.data()));
      largest[bits.below(columns)] ^= 1;
      packing.pack(largest.data(), changed);
      packing.store(changed, other.data());
      ASSERT_FALSE(packing.same(packed, other.data()));
      ASSERT_NE(packing.hash(packed), packing.hash(changed));
    }
  }
}

/// Tuples whose numbers become larger, so that each shard is packed anew several times.
TEST(PackedSet, IsASetThatKnowsParents) {
  PackedSet set(3);
  struct Known {
    std::uint32_t number, parent;
  };
  std::map<std::vector<std::uint32_t>, Known> reference;
  RandomBits bits(3);
  for (std::uint32_t i = 0; i < 60'000; ++i) {
    const std::uint64_t most = 2 + i / 20;
    std::vector<std::uint32_t> tuple;
    for (const std::uint64_t below : {most, std::uint64_t{3}, most / 2 + 1}) {
      tuple.push_back(static_cast<std::uint32_t>(bits.below(below)));
    }
    set.make_room(tuple);
    const auto [number, is_new] = set.add(tuple.data(), i);
    const auto [known, is_first] = reference.emplace(tuple, Known{number, i});
    ASSERT_EQ(is_new, is_first) << i;
    ASSERT_EQ(number >> PackedSet::number_bits, set.shard_of(tuple.data()));
  }
  EXPECT_EQ(set.size(), reference.size());
  std::vector<std::uint32_t> unpacked;
  std::map<std::uint32_t, int> numbers;
  for (const auto& [tuple, known] : reference) {
    const auto found = set.find(tuple);
    ASSERT_TRUE(found.has_value());
    set.unpack(*found, unpacked);
    ASSERT_EQ(unpacked, tuple);
    ASSERT_EQ(set.parent(*found), known.parent);
    ASSERT_EQ(++numbers[*found], 1);
  }
  EXPECT_FALSE(set.find({5000, 2, 1}).has_value());
}

}  // namespace
}  // namespace lockproof::sim
