// SPDX-License-Identifier: Apache-2.0
// NamingChooser: leaves the choice to another chooser, and records what was chosen, for a graph.
#pragma once

#include <string>
#include <vector>

#include "sim/kernel/chooser.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

class NamingChooser final : public Chooser {
 public:
  explicit NamingChooser(Chooser& inner) : inner_(inner) {}
  /// The world that asks; to be set before its first event.
  void follow(const World& world) { world_ = &world; }

  std::size_t first_of(std::size_t count, const NameOf& name) override;
  Duration duration(const harness::Window& window, Duration grid, const NameOf& name) override {
    return inner_.duration(window, grid, name);
  }
  std::size_t strike(std::size_t count) override { return inner_.strike(count); }
  std::optional<Ask> ask(const AskOffer& offer) override;
  bool asks_at_once(const AskOffer& offer) override { return inner_.asks_at_once(offer); }
  /// The latest event, and the faults that struck then.
  [[nodiscard]] std::string event() const;

 private:
  Chooser& inner_;
  const World* world_ = nullptr;
  std::string event_;
  std::size_t struck_ = 0;
};

/// The clients in the critical section.
[[nodiscard]] std::vector<std::string> inside(const World& world);

}  // namespace lockproof::sim
