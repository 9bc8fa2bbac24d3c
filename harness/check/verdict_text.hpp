// SPDX-License-Identifier: Apache-2.0
// Verdicts as text says them: "no violation", where JSON and TOML have a word, "no-violation".
#pragma once

#include <string>
#include <string_view>

#include "harness/check/properties.hpp"

namespace lockproof::check {

/// Of a verdict's or a kind's word.
[[nodiscard]] std::string_view text_of(std::string_view word);
/// "violated (outlived)", "no violation".
[[nodiscard]] std::string text_of(const Finding& finding);

/// Whether a client acquires the lock that it has once more: else re-entrancy is a matter of its last release only.
[[nodiscard]] bool re_enters(const harness::Scenario& scenario);
/// The finding of a search for re-entrancy where it does not.
[[nodiscard]] Finding nobody_re_enters();

}  // namespace lockproof::check
