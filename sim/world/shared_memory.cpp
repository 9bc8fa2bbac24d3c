// SPDX-License-Identifier: Apache-2.0
// How what has come to a process since it last rested is kept, for its state; and the memory that tasks share.
#include <algorithm>

#include "harness/scenario/clients.hpp"
#include "sim/world/process.hpp"
#include "sim/world/state_encoder.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

using harness::HostIndex;

bool SharedMemory::at_rest() const { return std::ranges::all_of(tasks_, &Process::at_rest); }

void SharedMemory::begin_inputs() {
  if (!at_rest()) return;
  inputs_.clear();
  rest_lives_.clear();
  for (const Process* task : tasks_) rest_lives_.push_back(task->life());
  rest_lock_ = lock_.state();
}

/// While a task is in the midst of a step, what is in the memory follows from what it was before and all that has come
/// since: which call of which task went on when, and with which answer.
void SharedMemory::encode(StateEncoder& into) const {
  if (std::ranges::all_of(tasks_, &Process::is_gone)) return into.number(-1);
  const bool rests = at_rest();
  const harness::Readings now = tasks_.front()->clocks().at(world_.now());
  into.number(rests);
  into.lock(rests ? lock_.state() : rest_lock_, now);
  if (rests) return;
  for (std::size_t i = 0; i < rest_lives_.size(); ++i) {
    harness::Life life = rest_lives_[i];
    life.round = world_.encoded_round(tasks_[i]->index(), life.round);
    into.life(life, now);
  }
  into.number(static_cast<std::int64_t>(inputs_.size()));
  for (const auto& [task, input] : inputs_) {
    into.number(task);
    into.input(input, now);
  }
}

void Process::begin_inputs() {
  if (!world_.options().encoding) return;
  if (memory_) memory_->begin_inputs();
  if (!at_rest()) return;
  if (client_->life().round == 0 && born_with_.empty()) {
    for (const harness::Event& input : inputs_) {
      if (input.token) born_with_.push_back(*input.token);
    }
  }
  inputs_.clear();
  rest_life_ = client_->life();
  if (!memory_) rest_lock_ = lock_->state();
}

void Process::note_input(const harness::Event& input) {
  inputs_.push_back(input);
  if (memory_) memory_->add_input(index_, input);
}

SharedMemory* World::memory_of(HostIndex client) {
  const auto number = static_cast<std::size_t>(client);
  if (scenario_.process_of(number).size() < 2) return nullptr;
  std::unique_ptr<SharedMemory>& memory = memories_[scenario_.clients[number].process];
  if (!memory) memory = std::make_unique<SharedMemory>(*this);
  return memory.get();
}

/// What strikes a process strikes all its tasks; what strikes a task or a connection, no other.
std::vector<HostIndex> World::struck_hosts(const harness::Fault& fault, HostIndex target) const {
  if (target >= first_server() || !harness::strikes_process(fault.kind)) return {target};
  std::vector<HostIndex> hosts;
  for (const std::size_t task : scenario_.process_of(static_cast<std::size_t>(target))) {
    hosts.push_back(static_cast<HostIndex>(task));
  }
  return hosts;
}

}  // namespace lockproof::sim
