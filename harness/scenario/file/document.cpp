// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/document.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "harness/input_error.hpp"

namespace lockproof::harness {
namespace {

Node converted(const std::string& file, const toml::node& from) {
  Node to;
  to.line = static_cast<int>(from.source().begin.line);
  if (const auto* text = from.as_string()) {
    to.value = text->get();
  } else if (const auto* integer = from.as_integer()) {
    to.value = integer->get();
  } else if (const auto* boolean = from.as_boolean()) {
    to.value = boolean->get();
  } else if (const auto* number = from.as_floating_point()) {
    to.value = number->get();
  } else if (const auto* list = from.as_array()) {
    List items;
    for (const auto& item : *list) items.push_back(converted(file, item));
    to.value = std::move(items);
  } else if (const auto* table = from.as_table()) {
    Table entries;
    for (const auto& [key, value] : *table) entries.push_back({std::string(key.str()), converted(file, value)});
    to.value = std::move(entries);
  } else {
    throw InputError(file, to.line, "dates and times have no use in a scenario");
  }
  return to;
}

/// Where the string or comment ends that begins here; here if none does.
std::size_t behind_text(std::string_view toml, std::size_t at) {
  const char quote = toml[at];
  if (quote == '#') return std::min(toml.find('\n', at), toml.size());
  if (quote != '"' && quote != '\'') return at;
  const std::string three(3, quote);
  const bool lines = toml.substr(at).starts_with(three);
  at += lines ? 3 : 1;
  while (at < toml.size() && (lines ? !toml.substr(at).starts_with(three) : toml[at] != quote && toml[at] != '\n')) {
    at += toml[at] == '\\' && quote == '"' ? 2u : 1u;
  }
  if (at < toml.size() && toml[at] == '\n') return at;  // nothing ends it
  at += lines ? 3 : 1;
  for (int more = 0; lines && more < 2 && at < toml.size() && toml[at] == quote; ++more) ++at;  // """a quote: """""
  return std::min(at, toml.size());
}

/// Each dot between keys is a table in a table. The library bounds how deep lists and tables in braces are, but not
/// this, and it descends into tables by calls.
void refuse_long_keys(const std::string& file, std::string_view text) {
  constexpr int dots_most = 16;  // in one line, where scenarios need one
  int line = 1, dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t behind = behind_text(text, at); behind > at) {
      line += static_cast<int>(std::ranges::count(text.substr(at, behind - at), '\n'));
      at = behind;
      continue;
    }
    if (text[at] == '.' && ++dots > dots_most) {
      throw InputError(file, line, fmt::format("this line has more than {} dots: no key is that long", dots_most));
    }
    if (text[at] == '\n') ++line, dots = 0;
    ++at;
  }
}

}  // namespace

Node parse_toml(const std::string& file, std::string_view text) {
  refuse_long_keys(file, text);
  try {
    const toml::table table = toml::parse(text, file);
    return converted(file, table);
  } catch (const toml::parse_error& e) {
    throw InputError(file, static_cast<int>(e.source().begin.line),
                     "this is not TOML: " + std::string(e.description()));
  }
}

}  // namespace lockproof::harness
