// SPDX-License-Identifier: Apache-2.0
// ModelFactory: makes the models of a scenario's servers. It keeps what is expensive to make and can be shared by the
// simulations of one thread, such as an engine for scripts: one factory for each thread, which outlives its
// simulations. sim/services/model_factory.cpp has one line for each service.
#pragma once

#include <cstddef>
#include <memory>

#include "algorithms/port/pinned_object.hpp"
#include "harness/scenario/scenario.hpp"
#include "sim/world/service_model.hpp"

namespace lockproof::sim {

class ModelFactory final : public PinnedObject {
 public:
  ModelFactory();
  ~ModelFactory();
  /// The model of one of the scenario's servers, by its index.
  [[nodiscard]] std::unique_ptr<ServiceModel> make(const harness::Scenario& scenario, std::size_t server);

 private:
  struct SharedState;
  std::unique_ptr<SharedState> shared_;
};

}  // namespace lockproof::sim
