// SPDX-License-Identifier: Apache-2.0
// Generator: draws steps. It uses few keys, few values and times near each other, so that commands interact; the clock
// is set just before, on and just after the moments at which keys expire.
#pragma once

#include <string>
#include <vector>

#include "conformance/core/dice.hpp"
#include "conformance/redis/model_side.hpp"
#include "conformance/redis/step.hpp"

namespace lockproof::conformance::redis {

class Generator : private Dice {
 public:
  explicit Generator(std::uint64_t seed) : Dice(seed, 100) {}

  /// How many commands the next run over one connection has, and over which.
  struct Run {
    int connection;
    std::size_t commands;
  };
  [[nodiscard]] Run next_run();
  /// Steps before the run: perhaps a step of the clock, or a new connection.
  [[nodiscard]] std::vector<Step> between(const ModelSide& model);
  [[nodiscard]] Step command(const ModelSide& model, int connection);
  /// Moves the clock to where held commands may go on, or to the last millisecond at which they may not.
  [[nodiscard]] Step release(const ModelSide& model);

 private:
  using Words = std::vector<Value>;

  Words drawn(const ModelSide& model);
  void add(char kind, const ModelSide& model, Words& words);
  void add_wait(char kind, Words& words);
  void add_script(char kind, const ModelSide& model, Words& words);
  std::string time(const ModelSide& model, bool absolute);
  void spoil(Words& words);
  void recase(Value& verb);
};

/// The verbs that are drawn: each command of the model's table.
[[nodiscard]] std::vector<std::string> drawn_verbs();

}  // namespace lockproof::conformance::redis
