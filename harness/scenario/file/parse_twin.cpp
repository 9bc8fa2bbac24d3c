// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/parse_twin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/check/properties.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::harness {
namespace {

constexpr std::string_view ending = ".toml", mark = "-twin";
// Behind the text of a twin, so that it is not taken for its scenario's: results and checkpoints compare texts.
constexpr std::string_view its_twin = "\n# This is the twin.\n";

std::string text_of(const Fault& fault) { return fmt::format("{} of {}", name(fault.kind), fault.target); }

/// The faults that the twin goes without: all, or those of a list such as ["pause of client-1"].
std::set<std::string> read_without(Fields& fields, const Scenario& s) {
  const Node& node = fields.need("without");
  std::vector<std::string> there;
  for (const Fault& fault : s.faults) there.push_back(text_of(fault));
  if (there.empty()) fields.fail(node, "without", "needs a [[fault]]: what else would the twin go without?");
  if (std::holds_alternative<std::string>(node.value)) {
    fields.must_be(node, "without", "choice", fields.text(node, "without"), {"faults"});
    return {there.begin(), there.end()};
  }
  std::set<std::string> without;
  for (const Node& item : fields.list(node, "without")) {
    fields.must_be(item, "without", "fault of this scenario", fields.text(item, "without"), there);
    without.insert(fields.text(item, "without"));
  }
  if (without.empty()) fields.fail(node, "without", "names no fault: write \"faults\" for all");
  return without;
}

/// What is expected of a twin that says nothing else.
Expect nothing_is_violated() {
  const auto all = [](check::Verdict verdict) {
    Expectations expected;
    for (const std::string_view property : check::names()) expected.emplace(property, name(verdict));
    return expected;
  };
  Expect expect;
  expect.run = all(check::Verdict::not_found);
  expect.explore = all(check::Verdict::holds);
  expect.real = all(check::Verdict::not_found);
  return expect;
}

}  // namespace

std::string twin_file(const std::string& file) {
  const std::string stem = file.ends_with(ending) ? file.substr(0, file.size() - ending.size()) : file;
  return stem + std::string(mark) + std::string(ending);
}

std::string file_of_twin(const std::string& file) {
  const std::string end = std::string(mark) + std::string(ending);
  return file.ends_with(end) ? file.substr(0, file.size() - end.size()) + std::string(ending) : "";
}

void read_twin(const std::string& file, const Node& node, bool derive, Scenario& s) {
  Fields fields(file, node, "[twin]");
  const std::set<std::string> without = read_without(fields, s);
  Expect expect = nothing_is_violated();
  if (const Node* said = fields.find("expect")) {
    Expect more = read_expect(file, *said);
    if (more.run) expect.run = std::move(more.run);
    if (more.explore) expect.explore = std::move(more.explore);
    if (more.real) expect.real = std::move(more.real);
    expect.liveness = std::move(more.liveness);
  }
  std::string title = fmt::format("{} without {}", std::filesystem::path(file).stem().string(),
                                  s.faults.size() == 1 ? "its fault" : "its cause");
  fields.read("title", title);
  fields.done();
  if (!derive) return;
  if (!s.text.ends_with(its_twin)) s.text += its_twin;
  s.title = std::move(title);
  std::erase_if(s.faults, [&](const Fault& fault) { return without.contains(text_of(fault)); });
  s.expect = std::move(expect);
  if (s.documented) {  // it decides no claim, and shows nothing that was published
    s.documented->role = CaseReference::Role::twin;
    s.documented->claims.clear();
    s.documented->sources.clear();
    s.documented->search.reset();
    if (s.documented->cases.empty()) s.documented.reset();
  }
}

}  // namespace lockproof::harness
