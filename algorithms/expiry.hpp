// SPDX-License-Identifier: Apache-2.0
// Expiry: what frees a lock whose holder says nothing more.
#pragma once

#include "algorithms/catalogue.hpp"

namespace lockproof {

enum class Expiry : std::uint8_t {
  lease,    // the end of the lease that it was given with
  renewed,  // the same, and its holder renews the lease while it works
  none,     // nothing but the end of a connection
  unknown,  // a lock of one's own does not say
};

[[nodiscard]] Expiry expiry_of(const Algorithm& algorithm);

}  // namespace lockproof
