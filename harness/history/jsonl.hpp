// SPDX-License-Identifier: Apache-2.0
// The file format of histories: one JSON object a line, the header first. docs/reference/history.md describes it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/history/history.hpp"

namespace lockproof::harness {

/// A line that does not belong to a history; the message names the line and the reason.
class BadHistory : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] std::string to_line(const Header& header);
/// Needs the header for the hosts' names.
[[nodiscard]] std::string to_line(const Event& event, const Header& header);
/// Its header has the words of the faults that strike in it.
[[nodiscard]] std::string to_jsonl(const History& history);
/// The words of all faults, by their names: a JSON object, as headers have a part of it.
[[nodiscard]] std::string words_of_faults();
/// Throws BadHistory.
[[nodiscard]] History from_jsonl(std::string_view text);
[[nodiscard]] Event event_from(std::string_view line, const Header& header);

}  // namespace lockproof::harness
