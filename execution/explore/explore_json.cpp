// SPDX-License-Identifier: Apache-2.0
#include "execution/explore/explore_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/text/executed.hpp"
#include "harness/report/text/headed.hpp"
#include "harness/scenario/names.hpp"
#include "search/results/vacuity.hpp"

namespace lockproof::execution {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Cause& cause) {
  Json j{{"property", cause.violation.first}};
  if (!cause.violation.second.empty()) j["kind"] = cause.violation.second;
  j["faults"] = cause.faults;
  j["places"] = cause.places;
  j["preventable"] = !cause.unpreventable;
  j["events"] = cause.events;
  j["scenario"] = cause.witness.text;
  if (!cause.file.empty()) j["file"] = cause.file;
  return j;
}

/// Those of the counterexamples. One that was drawn, and that the search did not reach, is there with its scenario.
Json violations_json(const ExploreReport& r, bool only_unpreventable) {
  Json all = Json::array();
  for (const auto& [violation, example] : r.counterexamples) {
    if (only_unpreventable && !search::is_unpreventable(r, violation)) continue;
    Json& one = all.emplace_back(Json{{"property", violation.first}});
    if (!violation.second.empty()) one["kind"] = violation.second;
    if (!r.found.broken.at(violation).drawn) continue;
    one["drawn"] = true;
    one["scenario"] = example.scenario.text;
  }
  return all;
}

Json reductions_json(const ExploreReport& r) {
  Json all = Json::array();
  if (r.reduced && !r.found.every_timing) all.push_back("commuting-arrivals");
  if (r.found.exchanged) all.push_back("interchangeable-clients");
  if (r.reduced && r.bounds.ties == harness::Ties::together) all.push_back("replies-together");
  return all;
}

Json properties_json(const ExploreReport& r) {
  Json properties = Json::array();
  for (const check::ComparedFinding& c : r.properties) {
    Json j{{"property", c.finding.property}, {"verdict", std::string(name(c.finding.verdict))}};
    if (!c.finding.judged) j["judged"] = false;
    if (!c.finding.kind.empty()) j["kind"] = c.finding.kind;
    if (!c.finding.what.empty()) j["what"] = c.finding.what;
    j["expected"] = c.met == check::Agreement::unstated ? Json() : Json(c.expected);
    j["met"] = std::string(name(c.met));
    const auto saved = r.saved.find(c.finding.property);
    if (saved != r.saved.end()) j["counterexample"] = saved->second;
    properties.push_back(std::move(j));
  }
  return properties;
}

std::string verdict_of(const ExploreReport& r) {
  bool violated = false, open = !r.found.complete;
  for (const check::ComparedFinding& c : r.properties) {
    const bool broken = c.finding.verdict == check::Verdict::violated;
    (c.finding.property == "exercised" ? open : violated) |= broken;
    open |= c.finding.judged && c.finding.verdict == check::Verdict::unknown;
  }
  return violated ? "violated" : open ? "unknown" : "holds";
}

}  // namespace

std::string explore_json(const ExploreReport& r) {
  const sim::Exploration& found = r.found;
  harness::Subject subject;
  subject.describe(r.scenario);
  const bool has_reached = found.reached && !found.only_written;
  const auto* const shown = search::first_counterexample(r);
  Json j{{"scenario", subject.scenario},
         {"file", subject.file},
         {"algorithm", subject.algorithm},
         {"verdict", verdict_of(r)},
         {"properties", properties_json(r)},
         {"violations", violations_json(r, false)},
         {"unpreventable", violations_json(r, true)},
         {"engine", r.engine},
         {"parts", r.parts.size()},
         {"drawn_runs", r.drawn},
         {"states", found.states},
         {"transitions", found.transitions},
         {"terminal", found.terminal},
         {"unanswered", found.unanswered},
         {"at_horizon", found.at_horizon},
         {"seconds", r.seconds},
         {"bytes_per_state", found.states ? found.bytes / found.states : 0},
         {"memory_bytes", r.held},
         {"depth", found.depth},
         {"complete", found.complete},
         {"stopped", found.stopped},
         {"searched_below_faults", has_reached ? Json(found.reached->faults) : Json()},
         {"searched_to_depth", has_reached ? Json(found.reached->depth) : Json()},
         {"percent_estimate", found.probed ? Json(percent(*found.probed)) : Json()},
         {"exact", true},
         {"reductions", reductions_json(r)},
         {"grid", harness::to_text(r.scenario.grid)},
         {"max_faults", r.bounds.max_faults},
         {"never_struck", found.complete ? sim::never_struck(r.bounds, found.of_budget) : std::vector<std::string>{}},
         {"counterexample", shown ? Json(shown->second.scenario.text) : Json()},
         {"happened", r.happened.empty() ? Json() : Json(r.happened)},
         {"exit_code", check::exit_code_of(overall(r.properties))},
         {"reproduce", r.reproduce}};
  if (const auto programs = harness::executed_of(r.scenario)) j["programs"] = harness::executed_json(*programs);
  if (r.causes) {
    j["causes"] = Json::array();
    for (const Cause& cause : *r.causes) j["causes"].push_back(to_json(cause));
  }
  return harness::document(j);
}

}  // namespace lockproof::execution
