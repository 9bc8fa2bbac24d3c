// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "execution/liveness/liveness_report.hpp"
#include "harness/report/subject.hpp"
#include "harness/report/text/headed.hpp"

namespace lockproof::execution {

using Json = nlohmann::ordered_json;

namespace {

/// `number`: of the loop, or of the kind of stuck schedule, among those that were saved.
void add_file(const LivenessReport& r, std::size_t number, Json& into) {
  if (number < r.saved.size()) into["file"] = r.saved[number];
}

Json loops_json(const LivenessReport& r) {
  Json loops = Json::array();
  for (std::size_t i = 0; i < r.found.loops.size(); ++i) {
    const sim::Loop& loop = r.found.loops[i];
    Json j{{"kind", loop.kind},
           {"client", loop.client},
           {"faults", loop.faults},
           {"stem", {{"events", loop.stem}, {"us", loop.stem_lasts.count()}}},
           {"turn", {{"events", loop.turn}, {"us", loop.turn_lasts.count()}}}};
    add_file(r, i, j);
    loops.push_back(std::move(j));
  }
  return loops;
}

Json finish_json(const LivenessReport& r) {
  Json stuck = Json::array();
  for (std::size_t i = 0; i < r.finish->stuck.size(); ++i) {
    Json j{{"kind", r.finish->stuck[i].kind}, {"runs", r.finish->stuck[i].runs}};
    add_file(r, i, j);
    stuck.push_back(std::move(j));
  }
  return {{"runs", r.finish->runs},
          {"within_us", r.finish->within.count()},
          {"seconds", r.finish_seconds},
          {"stuck", std::move(stuck)}};
}

}  // namespace

std::string liveness_json(const LivenessReport& r) {
  harness::Subject subject;
  subject.describe(r.scenario);
  const check::Finding& finding = r.liveness.finding;
  Json report{{"scenario", subject.scenario}, {"file", subject.file}, {"algorithm", subject.algorithm},
              {"title", subject.title},       {"world", "endless"},   {"complete", r.found.complete}};
  if (!r.found.stopped.empty()) report["stopped"] = r.found.stopped;
  report["states"] = r.found.states;
  report["transitions"] = r.found.transitions;
  report["max_faults"] = r.budget.max_faults;
  report["seconds"] = r.seconds;
  report["verdict"] = std::string(name(finding.verdict));
  if (!finding.kind.empty()) report["kind"] = finding.kind;
  if (finding.verdict == check::Verdict::unknown) report["what"] = finding.what;
  report["expected"] = r.liveness.met == check::Agreement::unstated ? Json() : Json(r.liveness.expected);
  report["loops"] = loops_json(r);
  if (r.finish) report["finish"] = finish_json(r);
  report["exit_code"] = check::exit_code_of(r.liveness.met);
  report["reproduce"] = r.reproduce;
  return harness::document(report);
}

}  // namespace lockproof::execution
