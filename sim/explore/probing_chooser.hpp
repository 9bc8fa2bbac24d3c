// SPDX-License-Identifier: Apache-2.0
// ProbingChooser: draws everything evenly, faults too.
#pragma once

#include "sim/kernel/chooser.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::sim {

class ProbingChooser final : public Chooser {
 public:
  explicit ProbingChooser(RandomBits& bits) : bits_(bits) {}
  std::size_t first_of(std::size_t count, const NameOf&) override { return bits_.below(count); }
  Duration duration(const harness::Window& window, Duration grid, const NameOf&) override {
    const auto steps = static_cast<std::uint64_t>((window.most - window.least) / grid);
    return window.least + grid * static_cast<std::int64_t>(bits_.below(steps + 1));
  }
  std::size_t strike(std::size_t count) override { return bits_.below(count + 1); }

 private:
  RandomBits& bits_;
};

/// Remembers which event was the latest, and what struck then.
class NamingChooser final : public Chooser {
 public:
  NamingChooser(Chooser& inner, const World*& world) : inner_(inner), world_(world) {}
  std::size_t first_of(std::size_t count, const NameOf& name) override {
    const std::size_t chosen = inner_.first_of(count, name);
    event_ = harness::to_text(name(chosen));
    struck_ = world_->faults().size();
    return chosen;
  }
  Duration duration(const harness::Window& window, Duration grid, const NameOf& name) override {
    return inner_.duration(window, grid, name);
  }
  std::size_t strike(std::size_t count) override { return inner_.strike(count); }
  [[nodiscard]] std::string event() const {
    std::string text = event_;
    for (std::size_t i = struck_; i < world_->faults().size(); ++i) {
      text += fmt::format("\n{} of {}", harness::name(world_->faults()[i].kind), world_->faults()[i].target);
    }
    return text;
  }

 private:
  Chooser& inner_;
  const World*& world_;
  std::string event_;
  std::size_t struck_ = 0;
};

std::vector<std::string> inside(const World& world) {
  std::vector<std::string> clients;
  for (std::size_t i = 0; i < world.scenario().clients.size(); ++i) {
    const Process& process = world.process(i);
    const bool works = !process.crashed() && !process.worker_killed();
    if (works && process.life().inside()) clients.push_back(world.scenario().clients[i].name);
  }
  return clients;
}

}  // namespace lockproof::sim
