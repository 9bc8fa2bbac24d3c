// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/parse_case.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockproof::harness {
namespace {

constexpr std::int64_t issue_most = 100'000'000, faults_most = 16;

/// A string, or a list of strings.
std::vector<std::string> read_words(Fields& fields, std::string_view key) {
  const Node* node = fields.find(key);
  if (!node) return {};
  if (std::holds_alternative<std::string>(node->value)) return {fields.text(*node, key)};
  std::vector<std::string> words;
  for (const Node& item : fields.list(*node, key)) words.push_back(fields.text(item, key));
  if (words.empty()) fields.fail(*node, key, "is empty; leave it out");
  return words;
}

bool is_claim(std::string_view word) {
  return word.size() > 1 && word.front() == 'S' &&
         std::ranges::all_of(word.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

FaultBudget read_search(const std::string& file, const Node& table) {
  FaultBudget search;
  Fields fields(file, table, "[case] search");
  search.name = fields.text(fields.need("budget"), "budget");
  fields.read("faults", search.faults, 0, faults_most);
  fields.done();
  return search;
}

}  // namespace

void must_be_an_id(const Fields& fields, const Node& node, std::string_view key, const std::string& id) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (!id.empty() && std::ranges::all_of(id, fits)) return;
  fields.fail(node, key,
              fmt::format("is '{}'; an id has small letters, digits and dashes, as in \"lease-outlived\"", id));
}

std::vector<Publication> read_sources(const std::string& file, Fields& fields) {
  std::vector<Publication> sources;
  const Node* list = fields.find("sources");
  if (!list) return sources;
  for (const Node& node : fields.list(*list, "sources")) {
    Publication source;
    Fields each(file, node, fields.where() + " sources");
    each.read("repo", source.repo);
    each.read("url", source.url);
    each.read("note", source.note);
    std::int64_t issue = 0;
    each.read("issue", issue, 1, issue_most);
    if (issue > 0) source.issue = issue;
    each.done();
    if (source.repo.empty() && source.url.empty() && source.note.empty()) {
      fields.fail(node, "sources", "needs 'repo', as in { repo = \"redis/redis-py\", issue = 554 }, 'url' or 'note'");
    }
    if (source.issue && source.repo.empty()) fields.fail(node, "sources", "has an issue, but no 'repo'");
    if (!source.repo.empty() && std::ranges::count(source.repo, '/') != 1) {
      fields.fail(node, "sources",
                  fmt::format("has the repo '{}'; write owner and name, as in \"redis/redis-py\"", source.repo));
    }
    if (!source.url.empty() && !source.url.starts_with("https://") && !source.url.starts_with("http://")) {
      fields.fail(node, "sources",
                  fmt::format("has the url '{}', which begins neither with https:// nor http://", source.url));
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

CaseReference read_case(const std::string& file, const Node& table) {
  CaseReference documented;
  Fields fields(file, table, "[case]");
  documented.cases = read_words(fields, "id");
  documented.claims = read_words(fields, "claims");
  fields.read("role", documented.role, role_choices());
  documented.sources = read_sources(file, fields);
  if (const Node* search = fields.find("search")) documented.search = read_search(file, *search);
  fields.done();
  for (const std::string& id : documented.cases) must_be_an_id(fields, fields.need("id"), "id", id);
  for (const std::string& claim : documented.claims) {
    if (!is_claim(claim)) {
      fields.fail(fields.need("claims"), "claims",
                  fmt::format("has '{}'; a claim is S and a number, as in \"S36\"", claim));
    }
  }
  if (documented.cases.empty() && documented.claims.empty()) (void)fields.need("id");
  return documented;
}

}  // namespace lockproof::harness
