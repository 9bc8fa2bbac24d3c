// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/document.hpp"

#include <toml++/toml.h>

#include "harness/scenario/input_error.hpp"

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

}  // namespace

Node parse_toml(const std::string& file, std::string_view text) {
  try {
    const toml::table table = toml::parse(text, file);
    return converted(file, table);
  } catch (const toml::parse_error& e) {
    throw InputError(file, static_cast<int>(e.source().begin.line),
                     "this is not TOML: " + std::string(e.description()));
  }
}

}  // namespace lockproof::harness
