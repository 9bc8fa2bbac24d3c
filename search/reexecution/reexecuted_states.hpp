// SPDX-License-Identifier: Apache-2.0
// ReexecutedStates: what the re-execution engine keeps of the states that it has visited: their encodings, each once,
// and the step that led to each, so that the schedule to it can be run again.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "search/core/exploration.hpp"

namespace lockproof::sim {

class ReexecutedStates {
 public:
  static constexpr std::uint32_t nobody = UINT32_MAX;
  struct State {
    std::uint32_t parent = nobody;
    int faults = 0, depth = 0;
    Choices choices{};   // made in the step that led here
    bool quiet = false;  // no client will ask any more
    std::string remains{};
  };

  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] State& at(std::uint32_t state) { return states_[state]; }
  [[nodiscard]] const State& at(std::uint32_t state) const { return states_[state]; }
  [[nodiscard]] bool contains(const std::string& encoding) const { return numbers_.contains(encoding); }
  /// The number of the encoding, and whether it is new: then the state is to be added next.
  std::pair<std::uint32_t, bool> number_of(std::string encoding) {
    encoding_bytes_ += encoding.size();
    const auto [known, is_new] = numbers_.emplace(std::move(encoding), static_cast<std::uint32_t>(states_.size()));
    return {known->second, is_new};
  }
  void add(State state) { states_.push_back(std::move(state)); }

  [[nodiscard]] Choices path_to(std::uint32_t state) const {
    std::vector<const Choices*> parts;
    for (; state != nobody; state = states_[state].parent) parts.push_back(&states_[state].choices);
    Choices path;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      path.insert(path.end(), (*part)->begin(), (*part)->end());
    return path;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    constexpr std::uint64_t node = sizeof(State) + 96;  // with its entry in the table, about
    return states_.size() * node + encoding_bytes_;
  }

  void write(CheckpointOut& out) const {
    out.number(states_.size());
    std::vector<const std::string*> encodings(states_.size());
    for (const auto& [encoding, number] : numbers_) encodings[number] = &encoding;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      out.number(states_[i].parent);
      out.place({states_[i].faults, states_[i].depth});
      out.numbers<std::uint16_t>(states_[i].choices);
      out.text(*encodings[i]);
      out.number(states_[i].quiet);
      out.text(states_[i].remains);
    }
    out.number(encoding_bytes_);
  }
  void read(CheckpointIn& in) {
    for (std::uint64_t left = in.number(); left > 0; --left) {
      State state{.parent = static_cast<std::uint32_t>(in.number())};
      std::tie(state.faults, state.depth) = in.place();
      state.choices = in.numbers<std::uint16_t>();
      numbers_.emplace(in.text(), static_cast<std::uint32_t>(states_.size()));
      state.quiet = in.number() != 0;
      state.remains = in.text();
      states_.push_back(std::move(state));
    }
    encoding_bytes_ = in.number();
  }

 private:
  std::vector<State> states_;
  std::map<std::string, std::uint32_t> numbers_;
  std::uint64_t encoding_bytes_ = 0;
};

}  // namespace lockproof::sim
