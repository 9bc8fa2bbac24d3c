// SPDX-License-Identifier: Apache-2.0
// What a program did in a step, in a line for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "programs/shim_process.hpp"

namespace lockproof::programs {

/// Without the ends of lines behind it.
[[nodiscard]] std::string_view without_end(std::string_view text);

/// Null: the frame itself is not known any more, only its bytes and what is left of its records.
[[nodiscard]] std::string shown_frame(const std::string& bytes_of_frame, const std::vector<Record>& records,
                                      const Frame* frame);

}  // namespace lockproof::programs
