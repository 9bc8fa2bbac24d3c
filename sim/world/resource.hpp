// SPDX-License-Identifier: Apache-2.0
// Resource: what the lock protects, as a server of the simulated world.
#pragma once

#include "harness/workload/register.hpp"
#include "sim/world/server_model.hpp"

namespace lockproof::sim {

class Resource final : public ServerModel {
 public:
  explicit Resource(harness::Fencing fencing) : register_(fencing) {}

  Executed execute(const Request& request) override { return {register_.execute(request.command)}; }

  [[nodiscard]] std::int64_t version() const { return register_.version(); }
  [[nodiscard]] std::int64_t newest_token() const { return register_.newest_token(); }
  [[nodiscard]] std::int64_t last_period() const { return register_.last_period(); }

 private:
  harness::Register register_;
};

}  // namespace lockproof::sim
