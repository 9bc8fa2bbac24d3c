// SPDX-License-Identifier: Apache-2.0
// The page of documented failures: each documented failure with what runs say of it, and each claim with the runs that
// decide it. What is simulated is run as the page is made; of the other worlds it says what the scenarios expect, which
// tests compare.
#pragma once

#include <filesystem>
#include <string>

#include "harness/report/casebook.hpp"

namespace lockproof::execution {

/// `folder`: of the scenarios.
[[nodiscard]] std::string failures_page(const harness::Casebook& book, const std::filesystem::path& folder);

}  // namespace lockproof::execution
