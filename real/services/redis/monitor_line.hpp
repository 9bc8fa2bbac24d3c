// SPDX-License-Identifier: Apache-2.0
// MonitorLine: what one line of Redis's MONITOR says, e.g. 1700000000.000123 [0 127.0.0.1:52724] "SET" "k" "v".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/instant.hpp"
#include "algorithms/port/value.hpp"

namespace lockproof::real {

struct MonitorLine {
  std::int64_t stamp_us = 0;  // by the server's wall clock
  int database = 0;
  std::string address;  // of the client's end, as Redis writes it; lua: a call from inside a script
  int port = 0;         // of that address; 0: there is none
  std::vector<Value> words;
};

/// Nothing if the text is not such a line.
[[nodiscard]] std::optional<MonitorLine> monitor_line_from(std::string_view text);

/// The time to live that a command gives its key, by its words; nothing if it gives none.
[[nodiscard]] std::optional<milliseconds> ttl_in(const std::vector<Value>& words);

}  // namespace lockproof::real
