// SPDX-License-Identifier: Apache-2.0
// NodesSides: several simulated nodes and as many real ones, next to each other.
#pragma once

#include <optional>
#include <string>

#include "conformance/redis/model_nodes.hpp"
#include "conformance/redis/real_nodes.hpp"
#include "conformance/redis/sides.hpp"

namespace lockproof::conformance::redis {

class NodesSides final : public PinnedObject {
 public:
  explicit NodesSides(const Mutant* mutant, const std::string& program = {}) : model(mutant), real(program) {}

  void reset();
  /// Runs a whole sequence from the beginning, without impossible steps. Nothing: the sides agree, or the sequence uses
  /// something that is not modelled.
  [[nodiscard]] std::optional<Mismatch> rerun(const Steps& steps);
  /// A test that passes once the model is corrected.
  [[nodiscard]] static std::string as_test(const Steps& steps, const Mismatch& mismatch);

  ModelNodes model;
  RealNodes real;
};

}  // namespace lockproof::conformance::redis
