// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "execution/minimize/minimize_report.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/subject.hpp"
#include "harness/report/text/headed.hpp"

namespace lockproof::execution {

std::string minimize_json(const MinimizeReport& r) {
  using Json = nlohmann::ordered_json;
  const sim::Minimization& found = r.found;
  const auto size = [](const sim::Size& s) {
    return Json{{"faults", s.faults}, {"steps", s.steps}, {"events", s.events}};
  };
  Json changes = Json::array(), with_less = Json::array();
  for (const sim::Change& change : found.changes) {
    Json j{{"part", change.part}, {"what", change.what}, {"dropped", change.to.empty()}};
    if (!change.to.empty()) {
      j["from"] = change.from;
      j["to"] = change.to;
    }
    changes.push_back(std::move(j));
  }
  for (const sim::NecessityTrial& one : found.needed) {
    with_less.push_back({{"what", one.what}, {"answer", std::string(answer_word(one.answer))}, {"states", one.states}});
  }
  harness::Subject subject;
  subject.describe(r.scenario);
  const Json j{{"scenario", subject.scenario},
               {"file", subject.file},
               {"algorithm", subject.algorithm},
               {"property", found.way.first},
               {"kind", found.way.second},
               {"by_its_own_run", found.by_its_run},
               {"before", size(found.before)},
               {"after", size(found.after)},
               {"changes", changes},
               {"with_less", with_less},
               {"candidates", found.candidates},
               {"undecided", found.undecided},
               {"states", found.states},
               {"complete", r.stopped.empty()},
               {"stopped", r.stopped},
               {"minimal", found.shown.scenario.text},
               {"saved", r.saved.empty() ? Json() : Json(r.saved)},
               {"exit_code", r.stopped.empty() ? check::exit_code::met : check::exit_code::unknown},
               {"reproduce", r.reproduce}};
  return harness::document(j);
}

}  // namespace lockproof::execution
