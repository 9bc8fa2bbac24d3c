// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/batch.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace lockproof::sim {

Batch::Batch(Product& product, PackedSet& states, unsigned workers, bool by_faults, bool recheck)
    : product_(product), states_(states), rechecks_(recheck), known_(product) {
  if (workers > 1) team_ = std::make_unique<ThreadTeam>(workers);
  if (team_) workers = team_->size();
  if (workers == 1) team_.reset();
  for (unsigned i = 0; i < workers; ++i)
    workers_.push_back(std::make_unique<Worker>(product, known_, states, false, workers == 1, by_faults));
  workers_.push_back(std::make_unique<Worker>(product, known_, states, true, workers == 1, by_faults));
}

Batch::~Batch() = default;

/// Remembers the tuple if something was learned.
template <class Work>
void Batch::log_learning(LearntBy how, const Successors::Tuple& tuple, Work work) {
  const std::uint64_t before = learned();
  const auto keep = [&] {
    if (learned() == before || has_gap_) return;
    learning_log_.push_back(how);
    learning_log_.insert(learning_log_.end(), tuple.begin(), tuple.end());
  };
  try {
    work();
  } catch (const Cancellation&) {  // no state was made of the part that was learned, but what is met from now on may be
    has_gap_ = true;
    throw;
  } catch (...) {
    keep();
    throw;
  }
  keep();
}

bool Batch::learn(const Successors::Tuple& tuple, Successors::Sink& sink) {
  bool more = false;
  log_learning(by_look, tuple, [&] { more = workers_.back()->successors.each(tuple, sink); });
  return more;
}

/// Expands a state of which something seems to be missing. False: nothing was.
bool Batch::learn(std::uint32_t state, ExpandedState& result) {
  const auto learner = static_cast<std::uint32_t>(workers_.size() - 1);
  const std::uint64_t before = learned();
  states_.unpack(state, tuple_);
  log_learning(by_search, tuple_, [&] { result = workers_[learner]->block.learn(state, tuple_, learner); });
  return learned() != before;
}

bool Batch::learn_again(std::vector<Id> learning_log) {
  struct NullSink final : Successors::Sink {
    void see(const Successors::Successor&) override {}
  } nothing;
  learning_log_ = std::move(learning_log);
  const auto columns = static_cast<std::ptrdiff_t>(product_.columns());
  Worker& learner = *workers_.back();
  const ViolationPlaces finds;
  learner.found.clear(0, finds);
  for (auto at = learning_log_.begin(); at != learning_log_.end(); at += columns + 1) {
    const Successors::Tuple tuple(at + 1, at + 1 + columns);
    const std::uint64_t before = learned();
    try {
      if (*at == by_look) {
        learner.successors.each(tuple, nothing);
      } else {
        (void)learner.block.learn(nobody, tuple, 0);
      }
    } catch (const std::runtime_error&) {
      // as it did then: a state that no search can represent, which a probe met
    }
    if (learned() == before) return false;
  }
  return true;
}

void Batch::expand_known(std::uint32_t worker) {
  Worker& own = *workers_[worker];
  own.found.forget_noted();
  std::array<std::uint32_t, Block::most> numbers{};
  std::array<ExpandedState, Block::most> results{};
  constexpr std::size_t many = Block::most;
  for (std::size_t i = next_.fetch_add(many); i < waiting_.size(); i = next_.fetch_add(many)) {
    const std::size_t count = std::min(many, waiting_.size() - i);
    for (std::size_t j = 0; j < count; ++j) numbers[j] = level_[waiting_[i + j]];
    own.block.expand({numbers.data(), count}, worker, results.data());
    for (std::size_t j = 0; j < count; ++j) expanded_[waiting_[i + j]] = results[j];
  }
}

std::size_t Batch::expand(std::span<const std::uint32_t> states, int depth, const ViolationPlaces& finds) {
  level_ = states;
  expanded_.assign(states.size(), {.by = nobody});
  for (const auto& worker : workers_) worker->found.clear(depth, finds);
  waiting_.resize(states.size());
  std::iota(waiting_.begin(), waiting_.end(), 0u);
  known_.look();
  try {
    expand_waiting();
  } catch (const Cancellation&) {
    const auto undone = std::ranges::find(expanded_, nobody, &ExpandedState::by);
    return static_cast<std::size_t>(undone - expanded_.begin());
  }
  if (rechecks_) recheck(depth, finds);
  return states.size();
}

/// That an entry depends on its key and on nothing else: what blocks have read is what Successors says.
void Batch::recheck(int depth, const ViolationPlaces& finds) {
  Expansions said(product_, states_, false);
  for (std::size_t i = 0; i < level_.size(); ++i) {
    const ExpandedState& read = expanded_[i];
    said.clear(depth, finds);
    states_.unpack(level_[i], tuple_);
    said.begin(level_[i], product_.budget_of(tuple_));
    said.now().terminal = !workers_.back()->successors.each(tuple_, said);
    const ExpandedState& now = said.end();
    const Expansions& found = workers_[read.by]->found;
    bool same = now.to == read.to - read.from && now.terminal == read.terminal && now.acquired == read.acquired &&
                now.contended == read.contended;
    for (std::size_t n = 0; same && n < now.to; ++n) {
      same = std::equal(said.tuple(n), said.tuple(n) + product_.columns(), found.tuple(read.from + n));
    }
    if (!same) throw std::logic_error("an entry of a row depends on more than its key");
  }
}

/// The parts computed for some states are often all that the others have missed: so these are looked at again, unless
/// most of those that were learnt last missed something of their own.
void Batch::expand_waiting() {
  while (team_ && waiting_.size() >= fewest) {
    next_ = 0;
    team_->run([this](unsigned worker) { expand_known(worker); });
    std::erase_if(waiting_, [&](std::uint32_t i) { return expanded_[i].by != nobody; });
    std::size_t alone = 0, more = 0, missed = 0;
    do {
      more = std::min(waiting_.size() - alone, (waiting_.size() - alone) / 4 + slice);
      missed = 0;
      for (const std::uint32_t i : std::span(waiting_).subspan(alone, more)) missed += learn(level_[i], expanded_[i]);
      alone += more;
    } while (alone < waiting_.size() && missed * 2 >= more);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(alone));
  }
  expand_alone();
}

/// Block by block: what is known first, unless most of the last block was not.
void Batch::expand_alone() {
  std::array<ExpandedState, Block::most> results{};
  std::array<std::uint32_t, Block::most> numbers{};
  Worker& own = *workers_.front();
  own.found.forget_noted();
  bool much_is_known = true;
  for (std::size_t i = 0; i < waiting_.size(); i += Block::most) {
    const std::size_t count = std::min(Block::most, waiting_.size() - i);
    results.fill({.by = nobody});
    for (std::size_t j = 0; j < count; ++j) numbers[j] = level_[waiting_[i + j]];
    if (much_is_known) own.block.expand({numbers.data(), count}, 0, results.data());
    std::size_t missed = 0;
    for (std::size_t j = 0; j < count; ++j) {
      if (results[j].by == nobody) missed += learn(numbers[j], results[j]);
      expanded_[waiting_[i + j]] = results[j];
    }
    much_is_known = missed * 4 < count;
  }
}

void Batch::insert(std::size_t count) {
  make_room(count);
  for (const auto& worker : workers_) worker->fresh.clear();
  if (team_ && count >= fewest) {
    team_->run([&](unsigned worker) { insert_shards(count, worker, team_->size()); });
  } else {
    insert_shards(count, 0, 1);
  }
}

void Batch::make_room(std::size_t count) {
  const Product::Tuple largest = product_.largest();
  if (states_.has_room(largest)) return;
  if (!team_ || count < fewest) return states_.make_room(largest);
  const Packing old = states_.widen(largest);
  team_->run([&](unsigned worker) {
    for (std::size_t i = worker; i < PackedSet::shard_count; i += team_->size()) states_.pack_anew(i, old);
  });
}

/// One worker alone inserts the states of a shard, in their order. Memory is prefetched long before it is read.
void Batch::insert_shards(std::size_t count, unsigned worker, unsigned workers) {
  struct Lookup {
    std::uint32_t place, n;
    PackedSet::Key key;
  };
  constexpr std::size_t ahead = 32;
  Lookup waiting[ahead];
  std::size_t taken = 0, asked = 0, added = 0;
  RecentTuples& recent = workers_[worker]->recent;
  recent.expect(states_.packing());
  const auto found_by = [&](std::uint32_t place) -> const Expansions& { return workers_[expanded_[place].by]->found; };
  const auto add = [&] {
    const auto& [place, n, key] = waiting[added++ % ahead];
    const auto [number, is_new] = states_.add(key, level_[place]);
    if (!is_new) return;
    workers_[worker]->fresh.push_back({place, n, number, product_.faults_used(found_by(place).tuple(n))});
  };
  for (std::uint32_t place = 0; place < count; ++place) {
    const Expansions& found = found_by(place);
    for (std::uint32_t n = expanded_[place].from; n < expanded_[place].to; ++n) {
      const std::uint32_t shard = found.shard(n);
      if (workers > 1 && shard % workers != worker) continue;
      Lookup& next = waiting[taken % ahead];
      next.place = place;
      next.n = n;
      states_.make_key(found.tuple(n), shard, next.key);
      if (recent.meet(next.key.packed, next.key.hash)) continue;
      ++taken;
      states_.prefetch(next.key);
      if (taken - asked > ahead / 2) states_.prefetch_tuple(waiting[asked++ % ahead].key);
      if (taken - added == ahead) add();
    }
  }
  while (added < taken) add();
}

}  // namespace lockproof::sim
