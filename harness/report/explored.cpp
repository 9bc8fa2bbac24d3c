// SPDX-License-Identifier: Apache-2.0
#include "harness/report/explored.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/text/executed.hpp"
#include "harness/report/text/headed.hpp"

namespace lockproof::harness {

namespace {

nlohmann::ordered_json to_json(const ExploredCause& cause) {
  nlohmann::ordered_json j{{"property", cause.property}};
  if (!cause.kind.empty()) j["kind"] = cause.kind;
  j["faults"] = cause.faults;
  j["places"] = cause.places;
  j["preventable"] = cause.preventable;
  j["events"] = cause.events;
  j["scenario"] = cause.scenario;
  if (!cause.file.empty()) j["file"] = cause.file;
  return j;
}

/// Violations, by property and kind.
nlohmann::ordered_json ways_json(const std::vector<std::pair<std::string, std::string>>& ways) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& [property, kind] : ways) {
    nlohmann::ordered_json& way = all.emplace_back(nlohmann::ordered_json{{"property", property}});
    if (!kind.empty()) way["kind"] = kind;
  }
  return all;
}

}  // namespace

std::string explored_json(const ExploredReport& r) {
  using Json = nlohmann::ordered_json;
  Json properties = Json::array();
  bool violated = false, open = !r.complete;
  for (const check::Compared& c : r.properties) {
    const bool broken = c.finding.verdict == check::Verdict::violated;
    (c.finding.property == "exercised" ? open : violated) |= broken;
    open |= c.finding.judged && c.finding.verdict == check::Verdict::unknown;
    Json j{{"property", c.finding.property}, {"verdict", std::string(name(c.finding.verdict))}};
    if (!c.finding.judged) j["judged"] = false;
    if (!c.finding.kind.empty()) j["kind"] = c.finding.kind;
    if (!c.finding.what.empty()) j["what"] = c.finding.what;
    j["expected"] = c.met == check::Met::unstated ? Json() : Json(c.expected);
    j["met"] = std::string(name(c.met));
    const auto saved = r.saved.find(c.finding.property);
    if (saved != r.saved.end()) j["counterexample"] = saved->second;
    properties.push_back(std::move(j));
  }
  Json j{{"scenario", r.scenario},
         {"file", r.file},
         {"algorithm", r.algorithm},
         {"verdict", violated ? "violated"
                     : open   ? "unknown"
                              : "holds"},
         {"properties", properties},
         {"violations", ways_json(r.violations)},
         {"unpreventable", ways_json(r.unpreventable)},
         {"engine", r.engine},
         {"parts", r.parts},
         {"drawn_runs", r.drawn},
         {"states", r.states},
         {"transitions", r.transitions},
         {"terminal", r.terminal},
         {"unanswered", r.unanswered},
         {"at_horizon", r.at_horizon},
         {"seconds", r.seconds},
         {"bytes_per_state", r.states ? r.bytes / r.states : 0},
         {"memory_bytes", r.held},
         {"depth", r.depth},
         {"complete", r.complete},
         {"stopped", r.stopped},
         {"searched_below_faults", r.reached ? Json(r.reached->first) : Json()},
         {"searched_to_depth", r.reached ? Json(r.reached->second) : Json()},
         {"percent_estimate", r.percent_estimate ? Json(*r.percent_estimate) : Json()},
         {"exact", true},
         {"reductions", r.reductions},
         {"grid", r.grid},
         {"max_faults", r.max_faults},
         {"never_struck", r.never_struck},
         {"counterexample", r.counterexample.empty() ? Json() : Json(r.counterexample)},
         {"happened", r.happened.empty() ? Json() : Json(r.happened)},
         {"exit_code", check::exit_code_of(overall(r.properties))},
         {"reproduce", r.reproduce}};
  if (r.programs) j["programs"] = executed_json(*r.programs);
  if (r.causes) {
    j["causes"] = Json::array();
    for (const ExploredCause& cause : *r.causes) j["causes"].push_back(to_json(cause));
  }
  return document(j);
}

}  // namespace lockproof::harness
