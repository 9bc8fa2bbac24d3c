// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/port/instant.hpp"

namespace lockproof::harness {

/// A duration between two bounds, both included. Equal bounds leave nothing to choose.
struct Window {
  Duration least{}, most{};
  bool operator==(const Window&) const = default;
};

}  // namespace lockproof::harness
