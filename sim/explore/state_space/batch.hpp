// SPDX-License-Identifier: Apache-2.0
// Batch: some states of one level, expanded together. Several workers expand those for which every look-up succeeds;
// one worker alone expands the rest, in their order, and computes what is missing. So new parts are computed in the
// same order with any number of workers, and get the same numbers. The results are then read in the order of the
// states.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/explore/containers/packed_set.hpp"
#include "sim/explore/containers/thread_team.hpp"
#include "sim/explore/exploration.hpp"
#include "sim/explore/state_space/successors.hpp"

namespace lockproof::sim {

/// Where a property was first violated in one kind: with the fewest faults, and then events.
struct Found {
  std::uint32_t parent = 0;
  bool at_end = false;  // it is broken because no event comes after the parent; else by one of its events
  int faults = 0, depth = 0;
};

/// A violation kind, and the faults of the budget with which it came about: one number for all, unless they matter.
struct Find {
  ViolationKind way;
  Id budget = 0;
};

/// Compares finds without a copy.
struct FindLess {
  using is_transparent = void;
  struct View {
    std::string_view property, kind;
    Id budget = 0;
    auto operator<=>(const View&) const = default;
  };
  static View view(const Find& find) { return {find.way.first, find.way.second, find.budget}; }
  static View view(const View& find) { return find; }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return view(a) < view(b);
  }
};
using Finds = std::map<Find, Found, FindLess>;

class Batch final : public Pinned {
 public:
  /// `by_faults`: finds with different faults are different.
  Batch(Product& product, PackedSet& states, unsigned workers, bool by_faults);
  ~Batch();

  /// `depth`: that of the successors. `finds`: violations that need not be noted again. Returns how many states were
  /// expanded, in order from the first: all, unless it was stopped.
  std::size_t expand(std::span<const std::uint32_t> states, int depth, const Finds& finds);

  struct Note {
    Find find;
    Found found;
  };
  /// The result for one of the states.
  struct Expanded {
    std::uint32_t from = 0, to = 0;  // its successors
    std::uint32_t by = 0;
    bool terminal = false, quiet = false, acquired = false, contended = false;
    std::uint32_t first_note = 0, last_note = 0;
  };
  [[nodiscard]] const std::vector<Expanded>& expanded() const { return expanded_; }
  [[nodiscard]] std::span<const Note> notes(const Expanded& one) const;

  /// Adds the successors of the first `count` states to the set, and calls `show` with the new ones in their order.
  template <class Show>
  void add(std::size_t count, Show show) {
    insert(count);
    for (const Ref& ref : refs_) {
      const WorkerBuffer& buffer = *buffers_[ref.buffer];
      if (buffer.fresh[ref.n] != nobody) show(buffer.fresh[ref.n], buffer.tuple(ref.n, columns_));
    }
  }
  static constexpr std::uint32_t nobody = UINT32_MAX;

  /// Passes the successors, and computes what is missing. Only one thread may call it.
  bool learn(const Successors::Tuple& tuple, Successors::Sink& sink);
  /// Does so with the events that are left out too: on the path to a state that another one represents.
  void learn_all(const Successors::Tuple& tuple, Successors::Sink& sink) {
    buffers_.back()->successors.each_without_reduction(tuple, sink);
  }
  /// The representative of this state.
  [[nodiscard]] Successors::Tuple stand_in(const Successors::Tuple& tuple) {
    return product_.is_symmetric() ? buffers_.back()->successors.stand_in(tuple) : tuple;
  }
  /// How often something was missing and was computed.
  [[nodiscard]] std::uint64_t learned() const { return buffers_.back()->successors.learned(); }
  /// The tuples at which something was computed, contiguously: learning them again, in this order, gives all parts of
  /// states their numbers again. Once it has been stopped in the middle of a tuple, none is added.
  [[nodiscard]] const std::vector<Id>& lessons() const { return lessons_; }
  /// False: nothing was missing at one of them.
  [[nodiscard]] bool learn_again(std::vector<Id> lessons);

 private:
  /// The results of one worker; the last buffer belongs to the one that learns.
  struct WorkerBuffer final : public Successors::Sink {
    WorkerBuffer(Product& product, const PackedSet& set, bool learns, bool tells_faults)
        : successors(product, learns), states(set), by_faults(tells_faults) {}
    void see(const Successors::Next& next) override;
    void ended(const MonitorStates::Violations& broken) override;
    void note(FindLess::View find, const Successors::Tuple& tuple, bool at_end);
    [[nodiscard]] const std::uint32_t* tuple(std::size_t n, std::size_t columns) const { return &tuples[n * columns]; }
    void clear();

    Successors successors;
    const PackedSet& states;
    const bool by_faults;
    const Finds* finds = nullptr;
    int depth = 0;
    std::uint32_t expanding = 0;
    Expanded now{};
    Successors::Tuple unpacked{};
    std::vector<std::uint32_t> tuples{}, fresh{};
    std::vector<std::uint64_t> hashes{};
    std::vector<Note> notes{};
    std::map<Find, std::pair<int, int>, FindLess> noted{};
  };
  struct Ref {
    std::uint32_t buffer, n, parent;
  };
  static constexpr std::size_t fewest = 128;  // states for which waking the other threads pays
  static constexpr std::size_t slice = 16;    // states that a worker takes at a time

  bool expand(WorkerBuffer& buffer, std::size_t i);
  void expand_known(unsigned worker);
  void expand_waiting();
  void insert(std::size_t count);
  void make_room(std::size_t count);
  void insert_shards(unsigned worker, unsigned workers);

  const Product& product_;
  PackedSet& states_;
  const std::size_t columns_;
  std::unique_ptr<ThreadTeam> team_;
  std::vector<std::unique_ptr<WorkerBuffer>> buffers_;
  std::span<const std::uint32_t> level_{};
  std::vector<Expanded> expanded_;
  std::vector<std::uint32_t> waiting_;  // positions of states that are not expanded yet
  std::vector<Id> lessons_;
  bool has_gap_ = false;  // the last lesson is incomplete: nothing behind it can be learned again
  std::vector<Ref> refs_;
  std::atomic<std::size_t> next_ = 0;
};

}  // namespace lockproof::sim
