// SPDX-License-Identifier: Apache-2.0
// Renewal rate on a machine that was late.
#pragma once

#include "harness/check/properties.hpp"

namespace lockproof::check {

/// As renewal_rate, of violations that are there although the first of two renewals may have come late by so much.
[[nodiscard]] Finding renewal_rate_despite(const harness::History& history, const harness::Scenario& scenario,
                                           Duration late);

}  // namespace lockproof::check
