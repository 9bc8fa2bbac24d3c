// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "harness/report/answers/reviewed.hpp"
#include "harness/report/text/headed.hpp"

namespace lockproof::harness {
namespace {

nlohmann::ordered_json to_json(const ReviewCell& cell) {
  using Json = nlohmann::ordered_json;
  Json causes = Json::array();
  for (const ReviewCause& cause : cell.causes) {
    causes.push_back({{"words", cause.words},
                      {"label", cause.label},
                      {"property", cause.property},
                      {"kind", cause.kind},
                      {"faults", cause.faults},
                      {"events", cause.events},
                      {"file", cause.file},
                      {"scenario", cause.scenario}});
  }
  return Json{{"verdict", word(cell.verdict)}, {"why", cell.why}, {"causes", causes}};
}

nlohmann::ordered_json to_json(const std::map<Concern, ReviewCell>& cells) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [concern, cell] : cells) json[std::string(name(concern))] = to_json(cell);
  return json;
}

}  // namespace

std::string review_json(const ReviewReport& r) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array(), remedies = Json::array(), misfits = Json::array();
  for (const ReviewRow& row : r.rows) {
    rows.push_back({{"lock", row.lock},
                    {"own", row.own},
                    {"lease", row.lease},
                    {"cells", to_json(row.cells)},
                    {"cost", row.cost},
                    {"never_free", row.never_free},
                    {"boundaries", row.boundaries},
                    {"measures", row.measures},
                    {"searches", row.searches},
                    {"states", row.states}});
  }
  for (const ReviewRemedy& one : r.remedies) {
    remedies.push_back({{"lock", one.lock}, {"what", one.what}, {"mends", one.mends}, {"cells", to_json(one.cells)}});
  }
  for (const auto& [lock, why] : r.misfits) misfits.push_back({{"lock", lock}, {"why", why}});
  return document(Json{{"review", r.file},
                       {"title", r.title},
                       {"question", r.question},
                       {"answer", r.answer},
                       {"rows", rows},
                       {"do_not_fit", misfits},
                       {"remedies", remedies},
                       {"searched", r.searched},
                       {"not_searched", r.not_searched},
                       {"stopped", r.stopped},
                       {"exit_code", r.exit_code},
                       {"reproduce", r.reproduce}});
}

}  // namespace lockproof::harness
