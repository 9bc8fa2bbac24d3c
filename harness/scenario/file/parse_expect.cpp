// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/parse_twin.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/check/properties.hpp"
#include "harness/scenario/file/fields.hpp"
#include "harness/scenario/retired.hpp"

namespace lockproof::harness {
namespace {

Expectations read_expectations(const std::string& file, const Node& node, const std::string& where) {
  const std::vector<std::string> choices = check::expectable();
  const auto known = [&](Fields& fields, const Node& at, std::string_view key, const std::string& word) {
    const std::string now(current_word(word));
    if (std::ranges::find(choices, now) != choices.end()) return now;
    fields.fail(at, key, fmt::format("is '{}', which is no verdict{}", word, suggestion(word, choices)));
  };
  Expectations expected;
  if (const auto* word = std::get_if<std::string>(&node.value)) {
    Node table{node.line, Table{}};
    Fields fields(file, table, where);
    const std::string now = known(fields, node, where, *word);
    for (const std::string_view property : check::names()) expected.emplace(property, now);
    return expected;
  }
  Fields fields(file, node, where);
  for (const std::string_view property : check::names()) {
    if (const Node* verdict = fields.find(property)) {
      expected.emplace(property, known(fields, *verdict, property, fields.text(*verdict, property)));
    }
  }
  fields.done();
  return expected;
}

}  // namespace

Expect read_expect(const std::string& file, const Node& node) {
  Expect expect;
  Fields fields(file, node, "[expect]");
  if (const Node* all = fields.find("all")) {
    expect.run = expect.explore = expect.real = read_expectations(file, *all, "[expect] all");
  }
  if (const Node* run = fields.find("run")) expect.run = read_expectations(file, *run, "[expect] run");
  if (const Node* explore = fields.find("explore")) {
    expect.explore = read_expectations(file, *explore, "[expect] explore");
  }
  if (const Node* real = fields.find("real")) expect.real = read_expectations(file, *real, "[expect] real");
  if (const Node* liveness = fields.find("liveness")) {
    const std::vector<std::string> words = check::liveness_expectable();
    fields.must_be(*liveness, "liveness", "verdict or kind", fields.text(*liveness, "liveness"), words);
    expect.liveness = fields.text(*liveness, "liveness");
  }
  fields.done();
  return expect;
}

}  // namespace lockproof::harness
