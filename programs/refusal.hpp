// SPDX-License-Identifier: Apache-2.0
// A program that virtual time cannot run, however right its scenario is: only lockproof real can judge it.
#pragma once

#include "harness/input_error.hpp"
#include "real/errors.hpp"

namespace lockproof::programs {

/// What both errors are.
class Refusal {
 public:
  Refusal() = default;
  virtual ~Refusal() = default;

 protected:
  Refusal(const Refusal&) = default;
  Refusal& operator=(const Refusal&) = default;
};

/// The program does what the shim cannot put into virtual time.
class ProgramRefusal final : public real::BadEnvironment, public Refusal {
  using real::BadEnvironment::BadEnvironment;
};

/// Its service has no server in virtual time.
class ServiceRefusal final : public harness::InputError, public Refusal {
  using harness::InputError::InputError;
};

}  // namespace lockproof::programs
