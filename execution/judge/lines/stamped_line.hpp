// SPDX-License-Identifier: Apache-2.0
// StampedLine: a line of an application's log, and when it was written by its machine's clock. A time without a zone is
// read as UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockproof::execution {

struct StampedLine {
  std::int64_t at_us = 0;         // since 1970
  std::int64_t precision_us = 1;  // it was written at most so much later
  std::string_view text;          // what follows the time
};

/// Nothing: the line begins with no time. Times are those of ISO 8601 (with T or a blank, with or without a fraction
/// and a zone) and seconds or milliseconds since 1970; a bracket may stand around them.
[[nodiscard]] std::optional<StampedLine> stamped_line_from(std::string_view line);

}  // namespace lockproof::execution
