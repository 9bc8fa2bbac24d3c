// SPDX-License-Identifier: Apache-2.0
#include "harness/report/verdicts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;
using check::Compared;
using check::Met;
using check::Verdict;

std::string found_text(const check::Finding& finding) {
  std::string text(name(finding.verdict));
  if (!finding.kind.empty()) text += " (" + finding.kind + ")";
  return text;
}

std::string met_text(const Compared& c, const Style& style) {
  switch (c.met) {
    case Met::yes: return style.good("as expected");
    case Met::no: return style.bad(fmt::format("expected {}", c.expected));
    case Met::unknown:
      return style.unsure(
          fmt::format("expected {}{}", c.expected,
                      c.finding.verdict == Verdict::not_found ? "; one clean run does not show that" : ""));
  }
  return "";
}

Json to_json(const RunReport& r) {
  Json properties = Json::array();
  for (const Compared& c : r.properties) {
    Json j{{"property", c.finding.property}, {"verdict", std::string(name(c.finding.verdict))}};
    if (!c.finding.kind.empty()) j["kind"] = c.finding.kind;
    if (!c.finding.what.empty()) j["what"] = c.finding.what;
    if (!c.finding.events.empty()) j["events"] = c.finding.events;
    if (const auto count = r.violated.find(c.finding.property); count != r.violated.end()) j["runs"] = count->second;
    j["expected"] = c.expected;
    j["met"] = c.met == Met::yes ? "yes" : c.met == Met::no ? "no" : "unknown";
    properties.push_back(std::move(j));
  }
  const Met met = overall(r.properties);
  Json report{
      {"scenario", r.scenario}, {"file", r.file}, {"algorithm", r.algorithm}, {"world", r.world}, {"seed", r.seed}};
  if (r.runs > 1) report["runs"] = r.runs;
  report["events"] = r.events;
  report["properties"] = properties;
  report["exit_code"] = check::exit_code_of(met);
  report["reproduce"] = r.reproduce;
  return report;
}

}  // namespace

std::string verdict_text(const RunReport& r, const Style& style) {
  std::string text;
  for (const Compared& c : r.properties) {
    const std::string found = found_text(c.finding);
    const std::string painted = c.finding.verdict == Verdict::violated  ? style.bad(found)
                                : c.finding.verdict == Verdict::unknown ? style.unsure(found)
                                                                        : found;
    text += fmt::format("  {:<18}  {}{:<{}}  {}\n", c.finding.property, painted, "",
                        found.size() < 24 ? 24 - found.size() : 0, met_text(c, style));
    if (!c.finding.what.empty()) text += fmt::format("      {}\n", c.finding.what);
  }
  const Met met = overall(r.properties);
  text += met == Met::yes  ? style.good("every expectation met") + "\n"
          : met == Met::no ? style.bad("an expectation failed") + "\n"
                           : style.unsure("unknown: an expectation could not be decided") + "\n";
  return text;
}

std::string verdict_json(const RunReport& report) { return to_json(report).dump(2) + "\n"; }

std::string verdicts_json(const std::vector<RunReport>& reports) {
  Json all = Json::array();
  for (const RunReport& report : reports) all.push_back(to_json(report));
  return all.dump(2) + "\n";
}

}  // namespace lockproof::harness
