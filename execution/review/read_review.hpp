// SPDX-License-Identifier: Apache-2.0
// Reads the page of TOML that `lockproof review` is given.
#pragma once

#include <string>
#include <string_view>

#include "execution/review/review.hpp"

namespace lockproof::execution {

/// Throws harness::InputError: file, line, what is wrong, the nearest valid choice.
[[nodiscard]] Review parse_review(const std::string& file, std::string_view text);
[[nodiscard]] Review load_review(const std::string& file);
/// Whether the file is such a page, right or wrong: it tells of a job.
[[nodiscard]] bool is_review(const std::string& file);

}  // namespace lockproof::execution
