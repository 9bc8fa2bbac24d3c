// SPDX-License-Identifier: Apache-2.0
#include "harness/report/pull_request/file_line.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>

#include "harness/input_error.hpp"
#include "harness/scenario/file/document.hpp"

namespace lockproof::harness {
namespace {

const Node* entry(const Node* node, std::string_view key) {
  const Table* const table = node ? std::get_if<Table>(&node->value) : nullptr;
  if (!table) return nullptr;
  const auto found = std::ranges::find(*table, key, &Entry::key);
  return found == table->end() ? nullptr : &found->value;
}

std::string_view key_of(const std::string& world) {
  if (world == "simulated") return "run";
  if (world == "explored") return "explore";
  return world == "endless" ? "liveness" : "real";
}

}  // namespace

FileLine place_of(const ScenarioSource& written, const std::string& world, const std::string& property) {
  FileLine place{written.file, 1};
  try {
    const Node root = parse_toml(written.file, written.text);
    const Node* const home = written.derived ? entry(&root, "twin") : &root;
    const Node* const expect = entry(home, "expect");
    const Node* const own = entry(expect, key_of(world));
    const Node* const of_world = own ? own : entry(expect, "all");
    // A table that is made by the name of another one, as `expect` by [expect.run], has that one's line.
    for (const Node* const node : {entry(of_world, property), of_world, expect, home}) {
      if (!node || node->line == 0) continue;
      place.line = node->line;
      return place;
    }
  } catch (const InputError&) {  // whoever reads it complains
  }
  return place;
}

FileLine place_in(const std::string& message, const std::string& file) {
  FileLine place{file, 1};
  if (!message.starts_with(file + ":")) return place;
  const char* const from = message.data() + file.size() + 1;
  int line = 0;
  const auto read = std::from_chars(from, message.data() + message.size(), line);
  if (read.ec == std::errc{} && read.ptr != message.data() + message.size() && *read.ptr == ':') place.line = line;
  return place;
}

}  // namespace lockproof::harness
