// SPDX-License-Identifier: Apache-2.0
// Expansions: what one worker has found of the states that it expanded: their successors one after the other, as they
// are stored, and violations that were not known. A state's successors stand together, in the order of its events.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "search/containers/packed_set.hpp"
#include "search/core/exploration.hpp"
#include "search/state_space/successors.hpp"

namespace lockproof::sim {

/// Where a property was first violated in one kind: with the fewest faults, and then events.
struct ViolationPlace {
  std::uint32_t parent = 0;
  bool at_end = false;  // it is broken because no event comes after the parent; else by one of its events
  int faults = 0, depth = 0;
};

/// A violation kind, and the faults of the budget with which it came about: one number for all, unless they matter.
struct ViolationKey {
  ViolationKind way;
  Id budget = 0;
};

/// Compares finds without a copy.
struct ViolationKeyLess {
  using is_transparent = void;
  struct View {
    std::string_view property, kind;
    Id budget = 0;
    auto operator<=>(const View&) const = default;
  };
  static View view(const ViolationKey& find) { return {find.way.first, find.way.second, find.budget}; }
  static View view(const View& find) { return find; }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return view(a) < view(b);
  }
};
using ViolationPlaces = std::map<ViolationKey, ViolationPlace, ViolationKeyLess>;

struct ViolationRecord {
  ViolationKey find;
  ViolationPlace found;
};

/// The result for one state.
struct ExpandedState {
  std::uint32_t from = 0, to = 0;  // its successors
  std::uint32_t by = 0;
  bool terminal = false, quiet = false, acquired = false, contended = false;
  EndReason why = EndReason::nothing_comes;  // if it is terminal
  std::uint32_t first_note = 0, last_note = 0;
};

class Expansions final : public Successors::Sink {
 public:
  using Tuple = Product::Tuple;
  Expansions(const Product& product, const PackedSet& states, bool by_faults)
      : product_(product), states_(states), columns_(product.columns()), by_faults_(by_faults) {}

  /// Begins anew. `depth`: that of the successors. `finds`: violations that need not be noted again.
  void clear(int depth, const ViolationPlaces& finds);
  /// Notes of an earlier turn may be about states that come later than those of the next one.
  void forget_noted() { noted_.clear(); }

  /// `budget`: the state's.
  void begin(std::uint32_t state, Id budget);
  [[nodiscard]] ExpandedState& now() { return now_; }
  [[nodiscard]] const ExpandedState& end();
  /// Takes back what was added since `begin`: something is not known.
  void drop();

  /// Where the next successor is written, before it is added; until another one is added.
  [[nodiscard]] Id* room() {
    const std::size_t used = shards_.size() * columns_;
    if (tuples_.size() < used + columns_) tuples_.resize((used + columns_) * 2);
    return &tuples_[used];
  }
  /// The next successor is what was written to `room`.
  void add() { shards_.push_back(static_cast<std::uint8_t>(states_.shard_of(tuple(shards_.size())))); }
  void add(const Tuple& tuple) {
    std::ranges::copy(tuple, room());
    add();
  }
  void note(ViolationKeyLess::View find, Id budget, bool at_end);
  void see(const Successors::Successor& next) override;
  void ended(const MonitorStates::Violations& broken, EndReason why) override;

  [[nodiscard]] std::span<const ViolationRecord> notes(const ExpandedState& one) const {
    return std::span(notes_).subspan(one.first_note, one.last_note - one.first_note);
  }
  [[nodiscard]] std::size_t size() const { return shards_.size(); }
  [[nodiscard]] std::uint32_t shard(std::size_t n) const { return shards_[n]; }
  [[nodiscard]] const std::uint32_t* tuple(std::size_t n) const { return &tuples_[n * columns_]; }

 private:
  const Product& product_;
  const PackedSet& states_;
  const std::size_t columns_;
  const bool by_faults_;
  const ViolationPlaces* finds_ = nullptr;
  int depth_ = 0;
  std::uint32_t expanding_ = 0;
  Id budget_ = 0;
  ExpandedState now_{};
  std::vector<Id> tuples_{};            // and room for more
  std::vector<std::uint8_t> shards_{};  // of the visited set
  static_assert(PackedSet::shard_count <= 256);
  std::vector<ViolationRecord> notes_{};
  std::map<ViolationKey, std::pair<int, int>, ViolationKeyLess> noted_{};
};

}  // namespace lockproof::sim
