// SPDX-License-Identifier: Apache-2.0
// PackedSet: a set of tuples of small numbers, packed into as many bits as the numbers need. Exact: whole tuples are
// compared. It consists of shards; a tuple's first numbers select its shard, which does not change as numbers grow.
// Threads: several may add at once, but only one to a shard. A tuple's number depends on what was added to its shard
// before, and on nothing else.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "search/containers/arena.hpp"
#include "search/containers/packing.hpp"
#include "search/containers/prefetch.hpp"
#include "search/containers/records.hpp"

namespace lockproof::sim {

class PackedSet {
 public:
  static constexpr unsigned shard_bits = 6, number_bits = 32 - shard_bits;
  static constexpr std::size_t shard_count = std::size_t{1} << shard_bits;

  explicit PackedSet(std::size_t columns) : packing_(columns) {
    shards_.reserve(shard_count);
    for (std::size_t i = 0; i < shard_count; ++i) shards_.push_back({.records = no_records()});
  }

  [[nodiscard]] std::uint32_t size() const {
    std::uint32_t size = 0;
    for (const Shard& shard : shards_) size += shard.size();
    return size;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t bytes = 0;
    for (const Shard& s : shards_) bytes += s.records.bytes() + s.table.bytes();
    return bytes;
  }
  [[nodiscard]] const Packing& packing() const { return packing_; }

  [[nodiscard]] bool has_room(const std::vector<std::uint32_t>& largest) const { return packing_.fits(largest.data()); }
  /// Makes room for numbers up to these in each column; call it before they are added. Then each shard must be packed
  /// anew, from the packing that it returns.
  [[nodiscard]] Packing widen(const std::vector<std::uint32_t>& largest) {
    const Packing old = packing_;
    packing_.widen(largest.data());
    return old;
  }
  void pack_anew(std::size_t number, const Packing& old) {
    Shard& shard = shards_[number];
    std::vector<std::uint32_t> tuple(old.columns());
    Packing::Words packed;
    const Records before = std::exchange(shard.records, no_records());
    for (std::uint32_t n = 0; n < before.size(); ++n) {
      old.unpack(before.at(n), tuple.data());
      packing_.pack(tuple.data(), packed);
      append(shard, packed, parent_of(before.at(n), old));
    }
    fill_slots(shard);
  }
  /// Does so for all shards.
  void make_room(const std::vector<std::uint32_t>& largest) {
    if (has_room(largest)) return;
    const Packing old = widen(largest);
    for (std::size_t i = 0; i < shard_count; ++i) pack_anew(i, old);
  }

  [[nodiscard]] std::uint32_t shard_of(const std::uint32_t* tuple) const {
    return packing_.hash(tuple) >> (32 - shard_bits);
  }

  /// A tuple as it is looked for; good until there is more room.
  struct Key {
    std::uint32_t shard;
    std::uint64_t hash;  // of the packed tuple
    Packing::Words packed;
  };
  void make_key(const std::uint32_t* tuple, std::uint32_t shard, Key& into) const {
    into.shard = shard;
    packing_.pack(tuple, into.packed);
    into.hash = packing_.hash(into.packed);
  }
  [[nodiscard]] Key key_of(const std::uint32_t* tuple) const {
    Key key;
    make_key(tuple, shard_of(tuple), key);
    return key;
  }
  /// Prefetch: this key will be looked for soon …
  void prefetch(const Key& key) const {
    const Shard& shard = shards_[key.shard];
    if (!shard.slots.empty()) sim::prefetch(&shard.slots[shard.home(key.hash)]);
  }
  /// … and this one next.
  void prefetch_tuple(const Key& key) const {
    const Shard& shard = shards_[key.shard];
    if (shard.slots.empty()) return;
    const std::uint32_t slot = shard.slots[shard.home(key.hash)];
    if (slot != empty) sim::prefetch(shard.records.at(slot & shard.number_mask));
  }

  /// The tuple's number; if it is new, it is added with this parent.
  std::pair<std::uint32_t, bool> add(const Key& key, std::uint32_t parent) {
    Shard& shard = shards_[key.shard];
    if (shard.size() >= shard.most) grow(shard);
    const std::uint32_t first = key.shard << number_bits;
    const std::uint32_t tag = shard.tag(key.hash), mask = shard.number_mask;
    std::uint32_t* const slots = shard.slots.data();
    const std::size_t count = shard.slots.size();
    for (std::size_t i = shard.home(key.hash);; i = i + 1 == count ? 0 : i + 1) {
      const std::uint32_t slot = slots[i];
      if (slot == empty) {
        const std::uint32_t number = shard.size();
        if (number >= (std::uint32_t{1} << number_bits) - 1) throw std::runtime_error("more states than have numbers");
        slots[i] = tag | number;
        append(shard, key.packed, parent);
        return {first | number, true};
      }
      if ((slot & ~mask) != tag) continue;
      const std::uint32_t number = slot & mask;
      if (packing_.same(key.packed, shard.records.at(number))) return {first | number, false};
    }
  }
  std::pair<std::uint32_t, bool> add(const std::uint32_t* tuple, std::uint32_t parent) {
    return add(key_of(tuple), parent);
  }

  /// All tuples of one shard in the order of their numbers, contiguously; and their parents.
  [[nodiscard]] std::vector<std::uint32_t> tuples_of(std::size_t shard) const {
    std::vector<std::uint32_t> all(shards_[shard].size() * packing_.columns());
    for (std::size_t n = 0; n < shards_[shard].size(); ++n) {
      packing_.unpack(shards_[shard].records.at(n), &all[n * packing_.columns()]);
    }
    return all;
  }
  [[nodiscard]] std::vector<std::uint32_t> parents_of(std::size_t shard) const {
    std::vector<std::uint32_t> all(shards_[shard].size());
    for (std::size_t n = 0; n < all.size(); ++n) all[n] = parent_of(shards_[shard].records.at(n), packing_);
    return all;
  }
  /// Fills an empty shard. False: these tuples do not belong to it.
  [[nodiscard]] bool restore(std::size_t shard, const std::vector<std::uint32_t>& tuples,
                             const std::vector<std::uint32_t>& parents) {
    const std::size_t columns = packing_.columns();
    if (tuples.size() != parents.size() * columns) return false;
    std::vector<std::uint32_t> bits(columns, 0);
    for (std::size_t i = 0; i < tuples.size(); ++i) bits[i % columns] |= tuples[i];
    make_room(bits);
    for (std::size_t n = 0; n < parents.size(); ++n) {
      const Key key = key_of(&tuples[n * columns]);
      if (key.shard != shard || !add(key, parents[n]).second) return false;
    }
    return true;
  }

  /// The number of a tuple; nothing if it was not added.
  [[nodiscard]] std::optional<std::uint32_t> find(const std::vector<std::uint32_t>& tuple) const {
    if (!packing_.fits(tuple.data())) return std::nullopt;
    const Key key = key_of(tuple.data());
    const Shard& shard = shards_[key.shard];
    for (std::size_t i = shard.home(key.hash); !shard.slots.empty(); i = i + 1 == shard.slots.size() ? 0 : i + 1) {
      if (shard.slots[i] == empty) return std::nullopt;
      const std::uint32_t number = shard.slots[i] & shard.number_mask;
      if (packing_.same(key.packed, shard.records.at(number))) {
        return key.shard << number_bits | number;
      }
    }
    return std::nullopt;
  }

  void unpack(std::uint32_t number, std::vector<std::uint32_t>& into) const {
    into.resize(packing_.columns());
    unpack(number, into.data());
  }
  /// `into`: has room for as many numbers as there are columns.
  void unpack(std::uint32_t number, std::uint32_t* into) const {
    packing_.unpack(shard_at(number).records.at(local(number)), into);
  }
  /// Prefetch: this number will be unpacked soon.
  void prefetch_number(std::uint32_t number) const { sim::prefetch(shard_at(number).records.at(local(number))); }
  [[nodiscard]] std::uint32_t parent(std::uint32_t number) const {
    return parent_of(shard_at(number).records.at(local(number)), packing_);
  }

 private:
  static constexpr std::uint32_t empty = UINT32_MAX;
  static constexpr std::size_t parent_bytes = sizeof(std::uint32_t);

  /// A slot holds a tuple's number in the lower bits and some of its key's hash in those that are left.
  struct Shard {
    Records records;  // a packed tuple and its parent
    Arena::Piece table{};
    std::span<std::uint32_t> slots{};  // which the table consists of
    std::uint32_t most = 0;            // for as many tuples there are slots
    std::uint32_t number_mask = 0;     // the bits of a slot that are a number

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(records.size()); }
    [[nodiscard]] std::uint32_t tag(std::uint64_t hash) const {
      return static_cast<std::uint32_t>(hash >> 8) & ~number_mask;
    }
    [[nodiscard]] std::size_t home(std::uint64_t hash) const { return (hash >> 32) * slots.size() >> 32; }
  };

  [[nodiscard]] const Shard& shard_at(std::uint32_t number) const { return shards_[number >> number_bits]; }
  [[nodiscard]] static std::size_t local(std::uint32_t number) { return number & ((1u << number_bits) - 1); }

  [[nodiscard]] Records no_records() { return {arena_, packing_.bytes() + parent_bytes}; }
  void append(Shard& shard, const Packing::Words& packed, std::uint32_t parent) {
    std::uint8_t* const record = shard.records.append();
    packing_.store(packed, record);
    std::memcpy(record + packing_.bytes(), &parent, parent_bytes);
  }
  [[nodiscard]] static std::uint32_t parent_of(const std::uint8_t* record, const Packing& packing) {
    std::uint32_t parent = 0;
    std::memcpy(&parent, record + packing.bytes(), parent_bytes);
    return parent;
  }

  void grow(Shard& shard) {
    const std::size_t slots = std::max<std::size_t>(32, shard.size() * 2);
    shard.slots = {};  // and stays so if there is no more memory
    shard.table = {};
    shard.table = arena_.take(slots * sizeof(std::uint32_t));
    shard.slots = {reinterpret_cast<std::uint32_t*>(shard.table.data()), shard.table.bytes() / sizeof(std::uint32_t)};
    shard.most = static_cast<std::uint32_t>(shard.slots.size() / 4 * 3);
    shard.number_mask = (std::uint32_t{1} << std::bit_width(shard.most + 1)) - 1;
    fill_slots(shard);
  }
  void fill_slots(Shard& shard) const {
    std::ranges::fill(shard.slots, empty);
    for (std::uint32_t n = 0; n < shard.size(); ++n) {
      const std::uint64_t hash = packing_.hash_stored(shard.records.at(n));
      std::size_t i = shard.home(hash);
      while (shard.slots[i] != empty) i = i + 1 == shard.slots.size() ? 0 : i + 1;
      shard.slots[i] = shard.tag(hash) | n;
    }
  }

  Arena arena_;  // first: the shards' memory is given back to it
  Packing packing_;
  std::vector<Shard> shards_;
};

}  // namespace lockproof::sim
