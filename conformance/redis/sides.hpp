// SPDX-License-Identifier: Apache-2.0
// Sides: the model and the real server next to each other, and the first difference between them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "conformance/redis/model_side.hpp"
#include "conformance/redis/real_side.hpp"

namespace lockproof::conformance::redis {

struct Mismatch {
  std::size_t steps;  // up to the one that shows it
  std::string what, simulated, real;
  Outcome expected;  // the real server's, for the last run of steps
};

class Sides final : public PinnedObject {
 public:
  explicit Sides(const Mutant* mutant, const std::string& program = {}) : model(mutant), real(program) {}

  void reset();
  /// Compares the results of the last `count` steps.
  [[nodiscard]] static std::optional<Mismatch> compare(std::span<const Step> run, const Outcome& simulated,
                                                       const Outcome& real);
  /// Runs a whole sequence from the beginning. Nothing: the sides agree, or it uses something that is not modelled.
  [[nodiscard]] std::optional<Mismatch> rerun(const Steps& steps);
  /// A test that passes once the model is corrected.
  [[nodiscard]] static std::string as_test(const Steps& steps, const Mismatch& mismatch);
  ModelSide model;
  RealSide real;
};

}  // namespace lockproof::conformance::redis
