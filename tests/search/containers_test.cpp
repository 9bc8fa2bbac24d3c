// SPDX-License-Identifier: Apache-2.0
// The containers of the search, compared with those of the standard library: everything that grows, grows several
// times.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "search/containers/arena.hpp"
#include "search/containers/flat_map.hpp"
#include "search/containers/interner.hpp"
#include "search/containers/packed_set.hpp"
#include "search/containers/recent_tuples.hpp"
#include "search/containers/records.hpp"
#include "sim/kernel/random_bits.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::containers_test {
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

/// Pieces of all sizes, of which the older half is given back again and again: nobody else's bytes are touched.
TEST(Arena, PiecesDoNotOverlap) {
  struct Written {
    Arena::Piece piece;
    std::uint8_t byte;
  };
  Arena arena;
  std::vector<Written> pieces;
  RandomBits bits(4);
  for (int i = 0; i < 1200; ++i) {
    const std::size_t bytes = 1 + bits.below(i % 3 == 0 ? 300'000 : Arena::chunk_bytes * 2);
    pieces.push_back({arena.take(bytes), static_cast<std::uint8_t>(i)});
    ASSERT_GE(pieces.back().piece.bytes(), bytes);
    std::fill_n(pieces.back().piece.data(), pieces.back().piece.bytes(), pieces.back().byte);
    if (i % 400 != 399) continue;
    for (const auto& [piece, byte] : pieces) {
      ASSERT_TRUE(std::all_of(piece.data(), piece.data() + piece.bytes(), [&](std::uint8_t b) { return b == byte; }));
    }
    pieces.erase(pieces.begin(), pieces.begin() + 200);
  }
}

TEST(Arena, APieceMayBeLargerThanWhatItAsksTheKernelForAtOnce) {
  Arena arena;
  const Arena::Piece before = arena.take(Arena::chunk_bytes), large = arena.take(100'000'000);
  EXPECT_GE(large.bytes(), 100'000'000U);
  large.data()[0] = large.data()[large.bytes() - 1] = 1;
  before.data()[before.bytes() - 1] = 2;
  EXPECT_EQ(large.data()[0], 1);
}

/// What is given back serves again before more is asked for.
TEST(Arena, ATableThatIsGivenBackServesAsChunks) {
  Arena arena;
  Arena::Piece table = arena.take(Arena::chunk_bytes * 3);
  const std::uint8_t* const begin = table.data();
  const std::uint8_t* const end = begin + table.bytes();
  table = {};
  std::vector<Arena::Piece> chunks;
  for (int i = 0; i < 4; ++i) chunks.push_back(arena.take(Arena::chunk_bytes));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(chunks[i].data() >= begin && chunks[i].data() < end) << i;
  EXPECT_FALSE(chunks[3].data() >= begin && chunks[3].data() < end);
}

TEST(Records, KeepWhatWasWritten) {
  Arena arena;
  for (const std::size_t record_bytes : {1U, 7U, 19U, 33U, 196U}) {
    Records records(arena, record_bytes);
    for (std::size_t n = 0; n < 50'000; ++n) {
      std::uint8_t* record = records.append();
      for (std::size_t i = 0; i < record_bytes; ++i) record[i] = static_cast<std::uint8_t>(n * 31 + i);
    }
    ASSERT_EQ(records.size(), 50'000U);
    for (std::size_t n = 0; n < records.size(); ++n) {
      for (std::size_t i = 0; i < record_bytes; ++i) {
        ASSERT_EQ(records.at(n)[i], static_cast<std::uint8_t>(n * 31 + i)) << n;
      }
    }
    EXPECT_GE(records.bytes(), 50'000 * record_bytes);
    EXPECT_LE(records.bytes(), 50'700 * record_bytes + Arena::chunk_bytes);
  }
}

TEST(Records, AFewTakeLittle) {
  Arena arena;
  Records records(arena, 10);
  for (int n = 0; n < 20; ++n) (void)records.append();
  EXPECT_LE(records.bytes(), 400U);
}

TEST(Records, DoNotMoveOnceTheFirstChunkIsFull) {
  Arena arena;
  Records records(arena, 16);
  for (int n = 0; n < 1023; ++n) (void)records.append();
  const std::uint8_t *const first = records.at(0), *const last = records.at(1022);
  for (int n = 0; n < 5000; ++n) (void)records.append();
  EXPECT_EQ(records.at(0), first);
  EXPECT_EQ(records.at(1022), last);
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

/// What was met is known until another tuple takes its place, and nothing that was not met ever is; whatever was
/// packed before there was more room is forgotten, since its bits mean another tuple now.
TEST(RecentTuples, KnowsNothingThatWasNotMet) {
  Packing packing(13);
  RecentTuples recent;
  Packing::Words packed{};
  RandomBits bits(8);
  for (const std::uint32_t largest : {7U, 7U, 1000U, UINT32_MAX}) {
    packing.widen(std::vector<std::uint32_t>(13, largest).data());
    const std::uint64_t layout = packing.layout();
    recent.expect(packing);
    std::set<std::vector<std::uint32_t>> met;
    int known = 0;
    for (int i = 0; i < 20'000; ++i) {
      std::vector<std::uint32_t> tuple(13, i % 3 == 0 ? largest : 0);
      tuple[12] = static_cast<std::uint32_t>(bits.below(std::uint64_t{std::min(largest, 500U)} + 1));
      packing.pack(tuple.data(), packed);
      const bool is_known = recent.meet(packed, packing.hash(packed));
      ASSERT_TRUE(!is_known || met.contains(tuple)) << i;
      known += is_known;
      met.insert(tuple);
      ASSERT_TRUE(recent.meet(packed, packing.hash(packed)));
    }
    EXPECT_GT(known, 10'000);
    recent.expect(packing);
    EXPECT_TRUE(recent.meet(packed, packing.hash(packed)));
    EXPECT_EQ(packing.layout(), layout);
  }
}

/// All bits of these numbers are set, and they fill whole words: it is not taken for a place in which nothing is.
TEST(RecentTuples, ATupleOfTheLargestNumbersIsNotKnownBeforeItIsMet) {
  const std::vector<std::uint32_t> largest(4, UINT32_MAX);
  Packing packing(4);
  packing.widen(largest.data());
  RecentTuples recent;
  recent.expect(packing);
  Packing::Words packed{};
  packing.pack(largest.data(), packed);
  EXPECT_FALSE(recent.meet(packed, packing.hash(packed)));
  EXPECT_TRUE(recent.meet(packed, packing.hash(packed)));
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
}  // namespace lockproof::sim::containers_test
