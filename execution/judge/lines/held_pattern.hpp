// SPDX-License-Identifier: Apache-2.0
// HeldPattern: a reader's own words for lines that tell of a lock.
#pragma once

#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

namespace lockproof::execution {

/// What a line says, by the names of the pattern's groups. Empty: the pattern has no such group, or it has no text
/// here.
struct HeldLine {
  std::string time, worker, event, lock;
};

/// A regular expression of ECMAScript with groups as (?<worker>…) or (?P<worker>…).
class HeldPattern {
 public:
  /// Throws InputError: it is none, or it names a group that is neither time, worker, event nor lock.
  explicit HeldPattern(const std::string& pattern);
  /// Nothing: the line does not contain it, or is too long to be looked through.
  [[nodiscard]] std::optional<HeldLine> match(std::string_view line) const;

 private:
  std::map<std::string, std::size_t> groups_;
  std::regex expression_;
};

}  // namespace lockproof::execution
