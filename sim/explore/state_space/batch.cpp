// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/state_space/batch.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace lockproof::sim {

Batch::Batch(Product& product, PackedSet& states, unsigned workers, bool by_faults)
    : product_(product), states_(states), columns_(product.columns()) {
  if (workers > 1) team_ = std::make_unique<ThreadTeam>(workers);
  for (unsigned i = 0; team_ && i < workers; ++i)
    buffers_.push_back(std::make_unique<WorkerBuffer>(product, states, false, by_faults));
  buffers_.push_back(std::make_unique<WorkerBuffer>(product, states, true, by_faults));
}

Batch::~Batch() = default;

bool Batch::learn(const Successors::Tuple& tuple, Successors::Sink& sink) {
  const std::uint64_t before = learned();
  const auto keep = [&] {
    if (learned() != before && !has_gap_) lessons_.insert(lessons_.end(), tuple.begin(), tuple.end());
  };
  try {
    const bool more = buffers_.back()->successors.each(tuple, sink);
    keep();
    return more;
  } catch (const Stopped&) {  // no state was made of the part that was learned, but what is met from now on may be
    has_gap_ = true;
    throw;
  } catch (...) {
    keep();
    throw;
  }
}

bool Batch::learn_again(std::vector<Id> lessons) {
  struct Nothing final : Successors::Sink {
    void see(const Successors::Next&) override {}
  } nothing;
  lessons_ = std::move(lessons);
  for (auto at = lessons_.begin(); at != lessons_.end(); at += static_cast<std::ptrdiff_t>(columns_)) {
    const Successors::Tuple tuple(at, at + static_cast<std::ptrdiff_t>(columns_));
    const std::uint64_t before = learned();
    try {
      buffers_.back()->successors.each(tuple, nothing);
    } catch (const std::runtime_error&) {
      // as it did then: a state that no search can represent, which a probe met
    }
    if (learned() == before) return false;
  }
  return true;
}

std::span<const Batch::Note> Batch::notes(const Expanded& one) const {
  return std::span(buffers_[one.by]->notes).subspan(one.first_note, one.last_note - one.first_note);
}

void Batch::WorkerBuffer::clear() {
  tuples.clear();
  hashes.clear();
  notes.clear();
  noted.clear();
}

void Batch::WorkerBuffer::see(const Successors::Next& next) {
  now.acquired |= next.entered;
  now.contended |= next.contended;
  for (const auto& [property, kind] : next.broken) note({property, kind}, next.tuple, false);
  if (!next.exclusion.empty()) note({"mutual-exclusion", next.exclusion}, next.tuple, false);
  tuples.insert(tuples.end(), next.tuple.begin(), next.tuple.end());
  hashes.push_back(states.hash(next.tuple.data()));
}

void Batch::WorkerBuffer::ended(const MonitorStates::Violations& broken) {
  for (const auto& [property, kind] : broken) note({property, kind}, unpacked, true);
}

void Batch::WorkerBuffer::note(FindLess::View find, const Successors::Tuple& tuple, bool at_end) {
  const std::pair<int, int> place{successors.faults_used(tuple), depth};
  if (by_faults) find.budget = successors.budget_of(tuple);
  const auto known = finds->find(find);
  if (known != finds->end() && std::pair(known->second.faults, known->second.depth) <= place) return;
  const auto before = noted.find(find);
  if (before != noted.end() && before->second <= place) return;
  Note note{{{std::string(find.property), std::string(find.kind)}, find.budget},
            {expanding, at_end, place.first, depth}};
  noted.insert_or_assign(note.find, place);
  notes.push_back(std::move(note));
}

/// False: something is not known. Then its partial results are removed.
bool Batch::expand(WorkerBuffer& buffer, std::size_t i) {
  buffer.expanding = level_[i];
  buffer.now = {.from = static_cast<std::uint32_t>(buffer.hashes.size()),
                .first_note = static_cast<std::uint32_t>(buffer.notes.size())};
  states_.unpack(level_[i], buffer.unpacked);
  bool known = true;
  try {
    const bool learns = &buffer == buffers_.back().get();
    buffer.now.terminal = learns ? !learn(buffer.unpacked, buffer) : !buffer.successors.each(buffer.unpacked, buffer);
    known = !buffer.successors.unknown();
  } catch (const Unknown&) {
    known = false;
  }
  if (!known) {
    buffer.tuples.resize(buffer.now.from * columns_);
    buffer.hashes.resize(buffer.now.from);
    buffer.notes.resize(buffer.now.first_note);
    buffer.noted.clear();
    return false;
  }
  buffer.now.quiet = product_.quiet(buffer.unpacked);
  buffer.now.to = static_cast<std::uint32_t>(buffer.hashes.size());
  buffer.now.last_note = static_cast<std::uint32_t>(buffer.notes.size());
  return true;
}

void Batch::expand_known(unsigned worker) {
  WorkerBuffer& buffer = *buffers_[worker];
  buffer.noted.clear();  // notes of an earlier turn, about states that may come later than these
  for (std::size_t i = next_.fetch_add(slice); i < waiting_.size(); i = next_.fetch_add(slice)) {
    for (std::size_t j = i; j < std::min(i + slice, waiting_.size()); ++j) {
      if (!expand(buffer, waiting_[j])) continue;
      expanded_[waiting_[j]] = buffer.now;
      expanded_[waiting_[j]].by = worker;
    }
  }
}

std::size_t Batch::expand(std::span<const std::uint32_t> states, int depth, const Finds& finds) {
  level_ = states;
  expanded_.assign(states.size(), {.by = nobody});
  for (const auto& buffer : buffers_) {
    buffer->clear();
    buffer->finds = &finds;
    buffer->depth = depth;
  }
  waiting_.resize(states.size());
  std::iota(waiting_.begin(), waiting_.end(), 0u);
  try {
    expand_waiting();
  } catch (const Stopped&) {
    const auto undone = std::ranges::find(expanded_, nobody, &Expanded::by);
    return static_cast<std::size_t>(undone - expanded_.begin());
  }
  return states.size();
}

/// The parts computed for some states are often all that the others have missed.
void Batch::expand_waiting() {
  const auto last = static_cast<std::uint32_t>(buffers_.size() - 1);
  while (!waiting_.empty()) {
    const bool together = team_ && waiting_.size() >= fewest;
    if (together) {
      next_ = 0;
      team_->run([this](unsigned worker) { expand_known(worker); });
      std::erase_if(waiting_, [&](std::uint32_t i) { return expanded_[i].by != nobody; });
    }
    const std::size_t alone = together ? std::min(waiting_.size(), waiting_.size() / 4 + slice) : waiting_.size();
    for (std::size_t i = 0; i < alone; ++i) {
      expand(*buffers_[last], waiting_[i]);
      expanded_[waiting_[i]] = buffers_[last]->now;
      expanded_[waiting_[i]].by = last;
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(alone));
  }
}

void Batch::insert(std::size_t count) {
  for (const auto& buffer : buffers_) buffer->fresh.assign(buffer->hashes.size(), nobody);
  make_room(count);
  refs_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t n = expanded_[i].from; n < expanded_[i].to; ++n)
      refs_.push_back({expanded_[i].by, n, level_[i]});
  }
  if (team_ && count >= fewest) {
    team_->run([this](unsigned worker) { insert_shards(worker, team_->size()); });
  } else {
    insert_shards(0, 1);
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
void Batch::insert_shards(unsigned worker, unsigned workers) {
  struct Asked {
    Ref ref;
    std::uint64_t hash;
  };
  constexpr std::size_t ahead = 32;
  Asked waiting[ahead];
  std::size_t taken = 0, asked = 0, added = 0;
  const auto add = [&] {
    const auto& [ref, hash] = waiting[added++ % ahead];
    WorkerBuffer& buffer = *buffers_[ref.buffer];
    const auto [number, is_new] = states_.add(buffer.tuple(ref.n, columns_), hash, ref.parent);
    if (is_new) buffer.fresh[ref.n] = number;
  };
  for (const Ref& ref : refs_) {
    const std::uint64_t hash = buffers_[ref.buffer]->hashes[ref.n];
    if (workers > 1 && PackedSet::shard_of(hash) % workers != worker) continue;
    states_.prefetch(hash);
    waiting[taken++ % ahead] = {ref, hash};
    if (taken - asked > ahead / 2) states_.prefetch_tuple(waiting[asked++ % ahead].hash);
    if (taken - added == ahead) add();
  }
  while (added < taken) add();
}

}  // namespace lockproof::sim
