// SPDX-License-Identifier: Apache-2.0
#include "harness/report/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/check/verdict_text.hpp"
#include "harness/input_error.hpp"
#include "harness/report/casebook.hpp"
#include "harness/report/text/executed.hpp"
#include "harness/report/text/headed.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/retired.hpp"
#include "harness/version.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;
using check::Agreement;
using check::ComparedFinding;
using check::Verdict;

constexpr std::size_t before_met = 48;  // columns

/// The property was not judged, and not judging it met the expectation.
bool was_left_out(const ComparedFinding& c) {
  return !c.finding.judged && (c.met == Agreement::yes || c.met == Agreement::unstated);
}

std::string why_left_out(const check::Finding& finding) {
  return finding.what.empty() ? "the scenario states no bound" : finding.what.substr(0, finding.what.find(" ("));
}

/// Empty: nothing was expected, and nothing is wrong.
std::string met_text(const ComparedFinding& c, bool ignores_expect, const Style& style) {
  if (was_left_out(c)) return "not judged";
  if (ignores_expect) return c.met == Agreement::no ? style.bad("fails") : "";
  switch (c.met) {
    case Agreement::yes: return style.good("as expected");
    case Agreement::no: return style.bad(fmt::format("expected {}", check::text_of(c.expected)));
    case Agreement::unknown:
      return style.unsure(fmt::format("expected {}{}", check::text_of(c.expected),
                                      c.finding.verdict == Verdict::not_found ? "; clean runs do not show that" : ""));
    case Agreement::unstated: return style.faint("not compared");
  }
  return "";
}

Json to_json(const RunReport& r) {
  Json properties = Json::array();
  for (const ComparedFinding& c : r.properties) {
    Json j{{"property", c.finding.property}, {"verdict", std::string(name(c.finding.verdict))}};
    if (!c.finding.judged) j["judged"] = false;
    if (!c.finding.kind.empty()) j["kind"] = c.finding.kind;
    if (!c.finding.what.empty()) j["what"] = c.finding.what;
    if (!c.finding.events.empty()) j["events"] = c.finding.events;
    if (const auto count = r.violated.find(c.finding.property); count != r.violated.end()) j["runs"] = count->second;
    j["expected"] = c.met == Agreement::unstated ? Json() : Json(c.expected);
    j["met"] = std::string(name(c.met));
    properties.push_back(std::move(j));
  }
  const Agreement met = overall(r.properties);
  Json report{
      {"scenario", r.scenario}, {"file", r.file}, {"algorithm", r.algorithm}, {"world", r.world}, {"seed", r.seed}};
  if (r.documented) report["case"] = documented_json(*r.documented);
  if (r.runs > 1) report["runs"] = r.runs;
  report["events"] = r.events;
  if (r.late_us) report["late_us"] = *r.late_us;
  if (!r.repeated.empty()) report["repeated"] = r.repeated;
  if (r.ignores_expect) report["ignores_expect"] = true;
  report["properties"] = properties;
  if (!r.happened.empty()) report["happened"] = r.happened;
  if (!r.history.empty()) report["history"] = r.history;
  if (r.programs) report["programs"] = executed_json(*r.programs);
  if (r.key) report["programs"] = key_json(*r.key);
  report["exit_code"] = check::exit_code_of(met);
  report["reproduce"] = r.reproduce;
  return report;
}

ComparedFinding compared_from(const Json& j) {
  constexpr Verdict verdicts[] = {Verdict::holds, Verdict::not_found, Verdict::violated, Verdict::unknown};
  const auto verdict = j.at("verdict").get<std::string>();
  const auto found = std::ranges::find(verdicts, current_word(verdict), [](Verdict v) { return name(v); });
  const auto met = j.at("met").get<std::string>();
  ComparedFinding c;
  c.finding = {j.at("property"), found == std::end(verdicts) ? Verdict::unknown : *found, j.value("kind", ""),
               j.value("what", ""), j.value("events", std::vector<std::size_t>{})};
  c.finding.judged = j.value("judged", true);
  for (const Agreement one : {Agreement::yes, Agreement::no, Agreement::unknown, Agreement::unstated}) {
    if (name(one) == met) c.met = one;
  }
  if (c.met != Agreement::unstated) c.expected = current_word(j.at("expected").get<std::string>());
  return c;
}

/// Without its sources, which results do not say.
CaseReference documented_from(const Json& j) {
  CaseReference documented;
  documented.cases = j.value("ids", documented.cases);
  documented.claims = j.value("claims", documented.claims);
  for (const auto& [name, role] : role_choices()) {
    if (j.at("role") == name) documented.role = role;
  }
  return documented;
}

/// How the machine kept time, what became of the runs in which it did not, and what else was not as asked for.
std::string circumstances_text(const RunReport& r) {
  std::string text;
  for (std::size_t i = 0; i < r.repeated.size(); ++i) text += fmt::format("run {}: {}\n", i + 1, r.repeated[i]);
  if (r.late_us) text += fmt::format("the machine was up to {:.1f} ms late\n", static_cast<double>(*r.late_us) / 1000);
  if (r.key) text += printable(key_sentence(*r.key)) + "\n";
  return text;
}

/// Sentences that stand below their property.
std::string what_text(const check::Finding& finding, const Style& style) {
  constexpr std::size_t indent = 6;
  std::string text, rest = printable_lines(finding.what);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size()), begin = std::min(rest.find_first_not_of(' '), end);
    text += style.wrap(std::string(indent, ' ') + rest.substr(begin, end - begin), indent) + "\n";
    rest.erase(0, end + 1);
  }
  return text;
}

std::string overall_text(Agreement met, bool ignores_expect, const Style& style) {
  if (ignores_expect) {
    return met == Agreement::yes ? style.good("no violation")
           : met == Agreement::no
               ? style.bad("a violation: with --budget [expect] is not used, and any violation fails")
               : style.unsure("unknown: whether a property is violated could not be decided");
  }
  switch (met) {
    case Agreement::yes: return style.good("every expectation met");
    case Agreement::no: return style.bad("an expectation failed");
    case Agreement::unknown: return style.unsure("unknown: an expectation could not be decided");
    case Agreement::unstated: return "nothing was compared: [expect] does not say what to expect of this";
  }
  return "";
}

RunReport report_from(const Json& j) {
  RunReport r;
  r.scenario = j.at("scenario");
  r.file = j.at("file");
  r.algorithm = j.at("algorithm");
  if (j.contains("case")) r.documented = documented_from(j.at("case"));
  r.world = j.at("world");
  r.seed = j.at("seed");
  r.runs = j.value("runs", r.runs);
  r.events = j.at("events");
  if (j.contains("late_us")) r.late_us = j.at("late_us").get<std::int64_t>();
  r.repeated = j.value("repeated", r.repeated);
  r.ignores_expect = j.value("ignores_expect", false);
  for (const Json& property : j.at("properties")) {
    r.properties.push_back(compared_from(property));
    if (property.contains("runs")) property.at("runs").get_to(r.violated[property.at("property")]);
  }
  r.history = j.value("history", "");
  r.happened = j.value("happened", "");
  r.reproduce = j.at("reproduce");
  if (j.contains("programs") && r.world == "real") r.key = key_from_json(j.at("programs"));
  return r;
}

}  // namespace

std::string verdict_text(const RunReport& r, const Style& style) {
  std::string text, why_unknown;                              // of the properties above, which have it in common
  std::vector<std::pair<std::string, std::string>> left_out;  // reason, properties
  for (const ComparedFinding& c : r.properties) {
    if (c.finding.what == check::no_token) continue;  // of the order of none there is nothing to say
    if (was_left_out(c) && !cannot_be_seen(c.finding)) {
      const std::string why = why_left_out(c.finding);
      const auto known = std::ranges::find(left_out, why, &std::pair<std::string, std::string>::first);
      if (known != left_out.end()) known->second += ", " + c.finding.property;
      if (known == left_out.end()) left_out.emplace_back(why, c.finding.property);
      continue;
    }
    const std::string found = text_of(c.finding);
    const std::string painted = c.finding.verdict == Verdict::violated  ? style.bad(found)
                                : c.finding.verdict == Verdict::unknown ? style.unsure(found)
                                                                        : found;
    const std::string met = met_text(c, r.ignores_expect, style);
    std::string line = fmt::format("  {:<18}  {}", c.finding.property, painted);
    if (!met.empty()) line += fmt::format("{:<{}}  {}", "", found.size() < 24 ? 24 - found.size() : 0, met);
    const std::string what = what_text(c.finding, style);
    if (what != why_unknown) text += std::exchange(why_unknown, "");
    text += style.wrap(line, before_met) + "\n";
    c.finding.verdict == Verdict::unknown ? void(why_unknown = what) : void(text += what);
  }
  text += why_unknown;
  for (const auto& [why, list] : left_out) {
    text += style.wrap(fmt::format("  not judged, {}: {}", why, list), 6) + "\n";
  }
  text += circumstances_text(r);
  text += overall_text(overall(r.properties), r.ignores_expect, style) + "\n";
  return r.happened.empty() ? text : text + "what happened: " + printable(r.happened) + "\n";
}

RunReport report_from_json(const std::string& text) { return report_from(Json::parse(text)); }

std::vector<RunReport> reports_from_json(const std::string& text) {
  std::vector<RunReport> reports;
  const Json whole = Json::parse(text);
  const int version = whole.value("schema_version", schema_version);
  if (version < 1 || version > schema_version) {
    throw InputError("schema_version", 0,
                     fmt::format("is {}, and this version of lockproof reads at most {}", version, schema_version));
  }
  for (const Json& one : whole.at("runs")) reports.push_back(report_from(one));
  return reports;
}

std::string verdict_json(const RunReport& report) { return document(to_json(report)); }

std::string verdicts_json(const std::vector<RunReport>& reports, const std::vector<UnreadableFile>& unreadable) {
  Json runs = Json::array(), not_read = Json::array();
  for (const RunReport& report : reports) runs.push_back(to_json(report));
  for (const UnreadableFile& one : unreadable) not_read.push_back({{"file", one.file}, {"what", one.why}});
  return document({{"runs", runs}, {"unreadable", not_read}});
}

}  // namespace lockproof::harness
