// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/cases_file.hpp"

#include <fmt/format.h>

#include <set>

#include "harness/scenario/file/fields.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_case.hpp"

namespace lockproof::harness {
namespace {

const std::vector<std::string> verdicts{"confirmed", "confirmed in part", "refuted", "not testable"};

/// Texts of several lines end with a line's end, which is no part of them.
std::string needed(Fields& fields, std::string_view key) {
  std::string text = fields.text(fields.need(key), key);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

DocumentedCase read_one_case(Fields fields, const std::string& file) {
  DocumentedCase one;
  one.id = needed(fields, "id");
  must_be_an_id(fields, fields.need("id"), "id", one.id);
  one.group = needed(fields, "group");
  one.title = needed(fields, "title");
  one.happened = needed(fields, "happened");
  one.fix = needed(fields, "fix");
  fields.read("no_fix", one.no_fix);
  fields.read("missing", one.missing);
  one.sources = read_sources(file, fields);
  fields.done();
  return one;
}

NotesClaim read_claim(Fields fields) {
  NotesClaim claim;
  claim.id = needed(fields, "id");
  claim.note = needed(fields, "note");
  claim.says = needed(fields, "says");
  claim.verdict = needed(fields, "verdict");
  fields.must_be(fields.need("verdict"), "verdict", "verdict", claim.verdict, verdicts);
  claim.because = needed(fields, "because");
  fields.read("settles", claim.settles);
  fields.read("missing", claim.missing);
  fields.done();
  return claim;
}

}  // namespace

CaseList load_cases(const std::string& file) {
  CaseList list;
  list.file = file;
  const Node document = parse_toml(file, text_of(file));
  Fields top(file, document, "the list of cases");
  std::set<std::string> ids;
  const auto once = [&](const Node& node, const std::string& id) {
    if (!ids.insert(id).second) top.fail(node, "id", fmt::format("is '{}' a second time", id));
  };
  if (const Node* cases = top.find("case")) {
    for (const Node& node : top.list(*cases, "case")) {
      list.cases.push_back(read_one_case(Fields(file, node, "[[case]]"), file));
      once(node, list.cases.back().id);
    }
  }
  if (const Node* claims = top.find("claim")) {
    for (const Node& node : top.list(*claims, "claim")) {
      list.claims.push_back(read_claim(Fields(file, node, "[[claim]]")));
      once(node, list.claims.back().id);
    }
  }
  top.done();
  return list;
}

}  // namespace lockproof::harness
