// SPDX-License-Identifier: Apache-2.0
// Document: a TOML file as a tree of plain values that know their lines, so that every complaint can name one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lockproof::harness {

struct Node;
using Table = std::vector<std::pair<std::string, Node>>;  // in no particular order: look up by key
using List = std::vector<Node>;

struct Node {
  int line = 0;
  std::variant<std::string, std::int64_t, bool, double, List, Table> value;
};

/// Throws InputError, with the line, if the text is not TOML.
[[nodiscard]] Node parse_toml(const std::string& file, std::string_view text);

}  // namespace lockproof::harness
