// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "harness/report/casebook.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/headed.hpp"
#include "harness/scenario/file/parse_twin.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::vector<Publication>& sources) {
  Json all = Json::array();
  for (const Publication& source : sources) {
    Json one = Json::object();
    if (!source.repo.empty()) one["repo"] = source.repo;
    if (source.issue) one["issue"] = *source.issue;
    if (const std::string where = address(source); !where.empty()) one["url"] = where;
    if (!source.note.empty()) one["note"] = source.note;
    all.push_back(one);
  }
  return all;
}

Json json_of(const CaseCounts& counts) {
  return {{"all", counts.all}, {"shown", counts.shown}, {"missing", counts.missing}, {"incomplete", counts.incomplete}};
}

Json json_of(const std::vector<const Scenario*>& scenarios, const std::string& folder) {
  Json names = Json::array();
  for (const Scenario* one : scenarios) names.push_back(name_below(folder, one->file));
  return names;
}

Json case_json(const std::string& folder, const CaseEntry& entry) {
  const DocumentedCase& of = *entry.of;
  Json json{{"id", of.id}, {"group", of.group}, {"title", of.title}, {"state", state_of(entry)}};
  if (!of.missing.empty()) json["missing"] = of.missing;
  if (!entry.lacks.empty()) json["lacks"] = entry.lacks;
  json["shows"] = json_of(entry.shows, folder);
  json["twins"] = json_of(entry.twins, folder);
  json["fixes"] = json_of(entry.fixes, folder);
  json["failing_fixes"] = json_of(entry.failing_fixes, folder);
  if (!of.no_fix.empty()) json["no_fix"] = of.no_fix;
  json["sources"] = json_of(sources_of(entry));
  return json;
}

Json claim_json(const std::string& folder, const ClaimEntry& entry) {
  const NotesClaim& of = *entry.of;
  Json json{{"id", of.id},           {"note", of.note},      {"says", of.says}, {"state", state_of(entry)},
            {"verdict", of.verdict}, {"because", of.because}};
  if (!of.settles.empty()) json["settles"] = of.settles;
  if (!of.missing.empty()) json["missing"] = of.missing;
  if (!entry.lacks.empty()) json["lacks"] = entry.lacks;
  json["decided_by"] = json_of(entry.decided_by, folder);
  return json;
}

Json scenario_json(const std::string& folder, const Scenario& scenario) {
  Json json{{"file", name_below(folder, scenario.file)},
            {"scenario", scenario.name},
            {"title", scenario.title},
            {"algorithm", std::string(scenario.algorithm->name)}};
  if (const auto& documented = scenario.documented) json["case"] = documented_json(*documented);
  const std::string with_twin = file_of_twin(scenario.file);
  if (!with_twin.empty()) json["twin_of"] = name_below(folder, with_twin);
  Json faults = Json::array();
  for (const Fault& fault : scenario.faults) faults.push_back(fault_text(fault));
  json["faults"] = faults;
  Json expected = Json::object();
  for (const auto& [world, of] : {std::pair{"run", &scenario.expect.run},
                                  {"explore", &scenario.expect.explore},
                                  {"real", &scenario.expect.real}}) {
    if (*of) expected[world] = **of;
  }
  json["expected"] = expected;
  return json;
}

std::string with_unknown(Json body, const Casebook& book) {
  if (!book.unknown.empty()) body["unknown"] = book.unknown;
  return document(body);
}

}  // namespace

std::string cases_json(const Casebook& book, const std::string& folder) {
  Json all = Json::array();
  for (const CaseEntry& entry : book.cases) all.push_back(case_json(folder, entry));
  return with_unknown({{"summary", json_of(CaseCounts(book.cases))}, {"cases", all}}, book);
}

std::string claims_json(const Casebook& book, const std::string& folder) {
  Json all = Json::array();
  for (const ClaimEntry& entry : book.claims) all.push_back(claim_json(folder, entry));
  return with_unknown({{"summary", json_of(CaseCounts(book.claims))}, {"claims", all}}, book);
}

std::string scenarios_json(const std::vector<Scenario>& scenarios, const std::string& folder) {
  Json all = Json::array();
  for (const Scenario& scenario : scenarios) all.push_back(scenario_json(folder, scenario));
  return document({{"scenarios", all}});
}

}  // namespace lockproof::harness
