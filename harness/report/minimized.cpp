// SPDX-License-Identifier: Apache-2.0
#include "harness/report/minimized.hpp"

#include <nlohmann/json.hpp>

#include "harness/report/text/headed.hpp"

namespace lockproof::harness {

std::string minimized_json(const MinimizedReport& r) {
  using Json = nlohmann::ordered_json;
  const auto size = [](const MinimizedReport::Size& s) {
    return Json{{"faults", s.faults}, {"steps", s.steps}, {"events", s.events}};
  };
  Json changes = Json::array(), with_less = Json::array();
  for (const MinimizedReport::Change& change : r.changes) {
    Json j{{"part", change.part}, {"what", change.what}, {"dropped", change.to.empty()}};
    if (!change.to.empty()) {
      j["from"] = change.from;
      j["to"] = change.to;
    }
    changes.push_back(std::move(j));
  }
  for (const MinimizedReport::Less& less : r.with_less) {
    with_less.push_back({{"what", less.what}, {"answer", less.answer}, {"states", less.states}});
  }
  const Json j{{"scenario", r.scenario},
               {"file", r.file},
               {"algorithm", r.algorithm},
               {"property", r.property},
               {"kind", r.kind},
               {"by_its_own_run", r.by_its_run},
               {"before", size(r.before)},
               {"after", size(r.after)},
               {"changes", changes},
               {"with_less", with_less},
               {"candidates", r.candidates},
               {"undecided", r.undecided},
               {"states", r.states},
               {"complete", r.stopped.empty()},
               {"stopped", r.stopped},
               {"minimal", r.minimal},
               {"saved", r.saved.empty() ? Json() : Json(r.saved)},
               {"exit_code", r.exit_code},
               {"reproduce", r.reproduce}};
  return document(j);
}

}  // namespace lockproof::harness
