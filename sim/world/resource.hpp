// SPDX-License-Identifier: Apache-2.0
// Resource: what the lock protects, as a server of the simulated world.
#pragma once

#include "harness/workload/register.hpp"
#include "sim/world/service_model.hpp"

namespace lockproof::sim {

class Resource final : public ServiceModel {
 public:
  explicit Resource(harness::Fencing fencing) : register_(fencing) {}

  [[nodiscard]] Queues queues() const override { return Queues::one; }
  NodeAnswer execute(const Request& request) override { return {register_.execute(request.command)}; }

  std::vector<harness::Effect> stop(bool /*without_warning*/, const ServerTime& /*at*/) override { return {}; }
  void encode(StateEncoder& into, const std::map<int, int>& /*connections*/, const ServerTime& /*at*/,
              std::int64_t /*over_at_most_ms*/) const override {
    into.number(register_.version());
    into.number(register_.last_period());
    into.number(register_.newest_token());
  }

 private:
  harness::Register register_;
};

}  // namespace lockproof::sim
