// SPDX-License-Identifier: Apache-2.0
// ProbingChooser: draws every choice evenly, and whether a fault strikes, too.
#pragma once

#include "sim/kernel/chooser.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::sim {

class ProbingChooser final : public Chooser {
 public:
  explicit ProbingChooser(RandomBits& bits) : bits_(bits) {}
  std::size_t first_of(std::size_t count, const NameOf&) override { return bits_.below(count); }
  Duration duration(const harness::Window& window, Duration grid, const NameOf&) override {
    return window.option(grid, bits_.below(window.options(grid)));
  }
  std::size_t strike(std::size_t count) override { return bits_.below(count + 1); }
  std::optional<Ask> ask(const AskOffer& offer) override {
    if (bits_.below(2) == 0) return std::nullopt;
    const std::vector<Duration> instants = offer.instants();
    if (instants.empty()) return std::nullopt;
    return Ask{bits_.below(offer.clients.size()), instants[bits_.below(instants.size())]};
  }
  bool asks_at_once(const AskOffer&) override { return bits_.below(2) == 1; }

 private:
  RandomBits& bits_;
};

}  // namespace lockproof::sim
