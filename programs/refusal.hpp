// SPDX-License-Identifier: Apache-2.0
// A program that virtual time cannot run, however right its scenario is: only lockproof real can judge it.
#pragma once

#include <string>

#include "harness/cannot_judge.hpp"

namespace lockproof::programs {

class Refusal final : public harness::CannotJudge {
 public:
  explicit Refusal(const std::string& what) : CannotJudge("virtual-time", what) {}
};

}  // namespace lockproof::programs
