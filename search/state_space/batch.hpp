// SPDX-License-Identifier: Apache-2.0
// Batch: some states of one level, expanded together. Several workers expand those for which every look-up succeeds;
// one worker alone expands the rest, in their order, and computes what is missing. So new parts are computed in the
// same order with any number of workers, and get the same numbers. The results are then read in the order of the
// states.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/containers/packed_set.hpp"
#include "search/containers/recent_tuples.hpp"
#include "search/containers/thread_team.hpp"
#include "search/state_space/block.hpp"

namespace lockproof::sim {

class Batch final : public PinnedObject {
 public:
  /// `by_faults`: finds with different faults are different. `recheck`: see Limits.
  Batch(Product& product, PackedSet& states, unsigned workers, bool by_faults, bool recheck);
  ~Batch();

  /// `depth`: that of the successors. `finds`: violations that need not be noted again. Returns how many states were
  /// expanded, in order from the first: all, unless it was stopped.
  std::size_t expand(std::span<const std::uint32_t> states, int depth, const ViolationPlaces& finds);

  [[nodiscard]] const std::vector<ExpandedState>& expanded() const { return expanded_; }
  [[nodiscard]] std::span<const ViolationRecord> notes(const ExpandedState& one) const {
    return workers_[one.by]->found.notes(one);
  }

  /// Adds the successors of the first `count` states to the set, and calls `show` with the new ones, and how many
  /// faults they have had, in the order of those states.
  template <class Show>
  void add(std::size_t count, Show show) {
    insert(count);
    std::vector<std::span<const NewState>> left;
    for (const auto& worker : workers_) {
      if (!worker->fresh.empty()) left.emplace_back(worker->fresh);
    }
    while (!left.empty()) {
      const auto first = std::ranges::min_element(left, {}, [](const auto& list) { return list.front().order(); });
      std::uint64_t next = UINT64_MAX;  // of the others
      for (auto other = left.begin(); other != left.end(); ++other) {
        if (other != first) next = std::min(next, other->front().order());
      }
      std::size_t n = 0;
      for (; n < first->size() && (*first)[n].order() < next; ++n) show((*first)[n].number, (*first)[n].faults);
      *first = first->subspan(n);
      if (first->empty()) left.erase(first);
    }
  }
  static constexpr std::uint32_t nobody = Block::nobody;

  /// Passes the successors, and computes what is missing. Only one thread may call it.
  bool learn(const Successors::Tuple& tuple, Successors::Sink& sink);
  /// Does so with the events that are left out too: on the path to a state that another one represents.
  void learn_all(const Successors::Tuple& tuple, Successors::Sink& sink) {
    workers_.back()->successors.each_without_reduction(tuple, sink);
  }
  /// The representative of this state.
  [[nodiscard]] Successors::Tuple stand_in(const Successors::Tuple& tuple) {
    return product_.is_symmetric() ? workers_.back()->successors.stand_in(tuple) : tuple;
  }
  /// How often something was missing and was computed.
  [[nodiscard]] std::uint64_t learned() const {
    const Worker& learner = *workers_.back();
    return learner.successors.learned() + learner.block.learned();
  }
  /// The tuples at which something was computed, each behind the way in which it was, contiguously: learning them
  /// again, in this order, gives all parts of states their numbers again. Once it has been stopped in the middle of a
  /// tuple, none is added.
  [[nodiscard]] const std::vector<Id>& learning_log() const { return learning_log_; }
  /// False: nothing was missing at one of them.
  [[nodiscard]] bool learn_again(std::vector<Id> learning_log);
  /// Bytes held by what is known of states' parts, beside the product's own.
  [[nodiscard]] std::uint64_t bytes() const { return known_.bytes(); }

 private:
  /// A successor that was not known: the n-th of those that a worker has found, of the state in this place.
  struct NewState {
    std::uint32_t place, n, number;
    int faults;
    [[nodiscard]] std::uint64_t order() const { return std::uint64_t{place} << 32 | n; }
  };
  /// The last one learns.
  struct Worker {
    Worker(Product& product, KnownSteps& known, const PackedSet& states, bool learns, bool alone, bool by_faults)
        : successors(product, learns), found(product, states, by_faults),
          block(product, known, states, successors, found, alone) {}
    Successors successors;
    Expansions found;
    Block block;
    std::vector<NewState> fresh{};  // in this worker's shards
    RecentTuples recent{};          // likewise
  };
  enum LearntBy : Id { by_search, by_look };

  static constexpr std::size_t fewest = 128;  // states for which waking the other threads pays
  static constexpr std::size_t slice = 16;    // states that the learner takes at least

  void expand_known(std::uint32_t worker);
  void expand_waiting();
  void expand_alone();
  void recheck(int depth, const ViolationPlaces& finds);
  bool learn(std::uint32_t state, ExpandedState& result);
  template <class Work>
  void log_learning(LearntBy how, const Successors::Tuple& tuple, Work work);
  void insert(std::size_t count);
  void make_room(std::size_t count);
  void insert_shards(std::size_t count, unsigned worker, unsigned workers);

  Product& product_;
  PackedSet& states_;
  const bool rechecks_;
  KnownSteps known_;
  std::unique_ptr<ThreadTeam> team_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::span<const std::uint32_t> level_{};
  std::vector<ExpandedState> expanded_;
  std::vector<std::uint32_t> waiting_;  // positions of states that are not expanded yet
  std::vector<Id> learning_log_;
  bool has_gap_ = false;  // the last lesson is incomplete: nothing behind it can be learned again
  Successors::Tuple tuple_;
  std::atomic<std::size_t> next_ = 0;
};

}  // namespace lockproof::sim
