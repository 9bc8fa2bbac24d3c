// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/input_error.hpp"

namespace lockproof::harness {
namespace {

const char* kind_of(const Node& node) {
  const char* const kinds[] = {"a string", "an integer", "a boolean", "a fraction", "a list", "a table"};
  return kinds[node.value.index()];
}

}  // namespace

Fields::Fields(const std::string& file, const Node& table, std::string where)
    : file_(file), table_(table), where_(std::move(where)) {
  if (!std::holds_alternative<Table>(table.value)) {
    throw InputError(file, table.line, fmt::format("{} is {}, but a table is needed", where_, kind_of(table)));
  }
}

const Node* Fields::find(std::string_view key) {
  known_.emplace_back(key);
  const auto& entries = std::get<Table>(table_.value);
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &found->value;
}

const Node& Fields::need(std::string_view key) {
  if (const Node* node = find(key)) return *node;
  throw InputError(file_, table_.line, fmt::format("{} needs '{}'", where_, key));
}

void Fields::fail(const Node& node, std::string_view key, const std::string& what) const {
  throw InputError(file_, node.line, fmt::format("{}: '{}' {}", where_, key, what));
}

void Fields::must_be(const Node& node, std::string_view key, const std::string& what, const std::string& name,
                     const std::vector<std::string>& choices) const {
  if (std::ranges::find(choices, name) != choices.end()) return;
  fail(node, key, fmt::format("names '{}', but there is no such {}{}", name, what, suggestion(name, choices)));
}

void Fields::add_name(const Node& node, const std::string& name, std::set<std::string>& names) const {
  if (!names.insert(name).second) fail(node, "name", fmt::format("is '{}', as in an earlier {}", name, where_));
}

const std::string& Fields::text(const Node& node, std::string_view key) {
  if (const auto* text = std::get_if<std::string>(&node.value)) return *text;
  fail(node, key, fmt::format("is {}, but a string is needed", kind_of(node)));
}

const List& Fields::list(const Node& node, std::string_view key) {
  if (const auto* list = std::get_if<List>(&node.value)) return *list;
  fail(node, key, fmt::format("is {}, but a list is needed", kind_of(node)));
}

std::int64_t Fields::integer(const Node& node, std::string_view key, std::int64_t least, std::int64_t most) {
  const auto* n = std::get_if<std::int64_t>(&node.value);
  if (!n) fail(node, key, fmt::format("is {}, but an integer is needed", kind_of(node)));
  if (*n < least || *n > most) fail(node, key, fmt::format("is {}, but must be from {} to {}", *n, least, most));
  return *n;
}

Duration Fields::duration(const Node& node, std::string_view key, bool sign) {
  if (const auto* n = std::get_if<std::int64_t>(&node.value)) {
    fail(node, key, fmt::format("has no unit: write \"{}ms\" or \"{}s\"", *n, *n));
  }
  const std::string& word = text(node, key);
  if (const auto d = duration_from(word, sign)) return *d;
  fail(node, key,
       fmt::format("is '{}', which is no duration: a number and us, ms, s, min or h, as in \"1.5s\"{}", word,
                   sign ? ", with a sign if you like" : ""));
}

void Fields::read(std::string_view key, std::string& into) {
  if (const Node* node = find(key)) into = text(*node, key);
}

void Fields::read(std::string_view key, Duration& into, bool sign) {
  if (const Node* node = find(key)) into = duration(*node, key, sign);
}

void Fields::read(std::string_view key, Window& into) {
  const Node* node = find(key);
  if (!node) return;
  if (const auto* bounds = std::get_if<List>(&node->value)) {
    if (bounds->size() != 2) fail(*node, key, "needs two bounds, as in [\"1ms\", \"3ms\"]");
    into = {duration((*bounds)[0], key), duration((*bounds)[1], key)};
    if (into.least > into.most) fail(*node, key, "has its lower bound above its upper one");
  } else {
    into.least = into.most = duration(*node, key);
  }
}

void Fields::read_range(std::string_view key, Window& into) {
  const Node* node = find(key);
  const auto* word = node ? std::get_if<std::string>(&node->value) : nullptr;
  const auto bounds = word ? bounds_of_range(*word) : std::nullopt;
  if (!bounds) return read(key, into);
  const auto least = duration_from(bounds->first.empty() ? "0s" : bounds->first), most = duration_from(bounds->second);
  if (!least || !most)
    fail(*node, key, fmt::format("is '{}', which is no range: write \"0ms..200ms\", or \"..200ms\" from 0", *word));
  if (*least > *most) fail(*node, key, "has its lower bound above its upper one");
  into = {*least, *most, *least < *most};
}

void Fields::done() const {
  for (const auto& [key, node] : std::get<Table>(table_.value)) {
    if (std::ranges::find(known_, key) != known_.end()) continue;
    throw InputError(file_, node.line, fmt::format("{} has no key '{}'{}", where_, key, suggestion(key, known_)));
  }
}

}  // namespace lockproof::harness
