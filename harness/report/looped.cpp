// SPDX-License-Identifier: Apache-2.0
#include "harness/report/looped.hpp"

#include <nlohmann/json.hpp>

#include "harness/report/text/headed.hpp"

namespace lockproof::harness {

std::string looped_json(const LoopedReport& r) {
  using Json = nlohmann::ordered_json;
  Json loops = Json::array();
  for (const LoopedReport::Loop& loop : r.loops) {
    Json j{{"kind", loop.kind},
           {"client", loop.client},
           {"faults", loop.faults},
           {"stem", {{"events", loop.stem}, {"us", loop.stem_lasts.count()}}},
           {"turn", {{"events", loop.turn}, {"us", loop.turn_lasts.count()}}}};
    if (!loop.file.empty()) j["file"] = loop.file;
    loops.push_back(std::move(j));
  }
  Json report{{"scenario", r.scenario}, {"file", r.file},     {"algorithm", r.algorithm},
              {"title", r.title},       {"world", "endless"}, {"complete", r.complete}};
  if (!r.stopped.empty()) report["stopped"] = r.stopped;
  report["states"] = r.states;
  report["transitions"] = r.transitions;
  report["max_faults"] = r.max_faults;
  report["seconds"] = r.seconds;
  report["verdict"] = std::string(name(r.liveness.finding.verdict));
  if (!r.liveness.finding.kind.empty()) report["kind"] = r.liveness.finding.kind;
  if (r.liveness.finding.verdict == check::Verdict::unknown) report["what"] = r.liveness.finding.what;
  report["expected"] = r.liveness.met == check::Met::unstated ? Json() : Json(r.liveness.expected);
  report["loops"] = std::move(loops);
  if (r.finish) {
    Json stuck = Json::array();
    for (const LoopedReport::Finish::Stuck& one : r.finish->stuck) {
      Json j{{"kind", one.kind}, {"runs", one.runs}};
      if (!one.file.empty()) j["file"] = one.file;
      stuck.push_back(std::move(j));
    }
    report["finish"] = {{"runs", r.finish->runs},
                        {"within_us", r.finish->within.count()},
                        {"seconds", r.finish->seconds},
                        {"stuck", std::move(stuck)}};
  }
  report["exit_code"] = check::exit_code_of(r.liveness.met);
  report["reproduce"] = r.reproduce;
  return document(report);
}

}  // namespace lockproof::harness
