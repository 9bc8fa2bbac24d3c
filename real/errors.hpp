// SPDX-License-Identifier: Apache-2.0
// The errors of a run on real servers, besides a wrong scenario.
#pragma once

#include <stdexcept>

namespace lockproof::real {

/// Real servers cannot be made to do something that the scenario asks for; the verdict is then `unknown`, with this
/// reason.
class UnsupportedFeature : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The machine lacks something (a server's program, a free port, …); says what to do about it.
class BadEnvironment : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace lockproof::real
