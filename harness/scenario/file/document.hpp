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
struct Entry;
using Table = std::vector<Entry>;  // in no particular order: look up by key
using List = std::vector<Node>;

struct Node {
  int line = 0;
  std::variant<std::string, std::int64_t, bool, double, List, Table> value;
};

struct Entry {
  std::string key;
  Node value;
};

/// Throws InputError, with the line, if the text is not TOML.
[[nodiscard]] Node parse_toml(const std::string& file, std::string_view text);

}  // namespace lockproof::harness
