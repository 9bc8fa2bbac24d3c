// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>

#include "harness/input_error.hpp"
#include "harness/report/answers/reviewed.hpp"
#include "harness/report/text/headed.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const ReviewCell& cell) {
  Json causes = Json::array();
  for (const ReviewCause& cause : cell.causes) {
    causes.push_back({{"words", cause.words},
                      {"label", cause.label},
                      {"property", cause.property},
                      {"kind", cause.kind},
                      {"faults", cause.faults},
                      {"events", cause.events},
                      {"file", cause.file},
                      {"picture", cause.picture},
                      {"scenario", cause.scenario}});
  }
  return Json{{"verdict", word(cell.verdict)}, {"why", cell.why}, {"causes", causes}};
}

Json to_json(const std::map<Concern, ReviewCell>& cells) {
  Json json = Json::object();
  for (const auto& [concern, cell] : cells) json[std::string(name(concern))] = to_json(cell);
  return json;
}

/// The value of this name.
template <typename Value, typename Name>
Value named(std::initializer_list<Value> all, const Json& json, Name name_of) {
  const std::string text = json;
  for (const Value value : all) {
    if (name_of(value) == text) return value;
  }
  throw InputError("review", 0, fmt::format("it has '{}', which this lockproof does not know", text));
}

Concern concern_from(const Json& json) {
  return named({Concern::two_at_once, Concern::runs_twice, Concern::stuck, Concern::data_lost}, json,
               [](Concern concern) { return name(concern); });
}

ReviewCell cell_from(const Json& j) {
  using Verdict = ReviewCell::Verdict;
  ReviewCell cell{.verdict = named({Verdict::held, Verdict::broken, Verdict::unknown, Verdict::not_asked},
                                   j.at("verdict"), [](Verdict verdict) { return word(verdict); }),
                  .causes = {},
                  .why = j.at("why")};
  for (const Json& cause : j.at("causes")) {
    cell.causes.push_back({.words = cause.at("words"),
                           .label = cause.at("label"),
                           .property = cause.at("property"),
                           .kind = cause.at("kind"),
                           .faults = cause.at("faults"),
                           .events = cause.at("events"),
                           .scenario = cause.at("scenario"),
                           .file = cause.at("file"),
                           .picture = cause.at("picture")});
  }
  return cell;
}

std::map<Concern, ReviewCell> cells_from(const Json& j) {
  std::map<Concern, ReviewCell> cells;
  for (const auto& [concern, cell] : j.items()) cells.emplace(concern_from(Json(concern)), cell_from(cell));
  return cells;
}

ReviewRow row_from(const Json& j) {
  return {.lock = j.at("lock"),
          .own = j.at("own"),
          .lease = j.at("lease"),
          .cells = cells_from(j.at("cells")),
          .measures = j.at("measures"),
          .cost = j.at("cost"),
          .never_free = j.at("never_free"),
          .boundaries = j.at("boundaries"),
          .searches = j.at("searches"),
          .states = j.at("states")};
}

}  // namespace

std::string review_json(const ReviewReport& r) {
  Json rows = Json::array(), remedies = Json::array(), misfits = Json::array(), asked = Json::array();
  for (const Concern concern : r.asked) asked.push_back(name(concern));
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
    remedies.push_back({{"lock", one.lock},
                        {"what", one.what},
                        {"mends", one.mends},
                        {"all_hold", one.all_hold},
                        {"cells", to_json(one.cells)}});
  }
  for (const auto& [lock, why] : r.misfits) misfits.push_back({{"lock", lock}, {"why", why}});
  return document(Json{{"review", r.file},
                       {"title", r.title},
                       {"question", r.question},
                       {"asked", asked},
                       {"answer", r.answer},
                       {"rows", rows},
                       {"best", r.best},
                       {"do_not_fit", misfits},
                       {"remedies", remedies},
                       {"searched", r.searched},
                       {"not_searched", r.not_searched},
                       {"stopped", r.stopped},
                       {"seconds", r.seconds},
                       {"exit_code", r.exit_code},
                       {"reproduce", r.reproduce}});
}

ReviewReport review_from_json(const std::string& text) {
  const Json j = Json::parse(text);
  ReviewReport r{.file = j.at("review"),
                 .title = j.at("title"),
                 .question = j.at("question"),
                 .asked = {},
                 .rows = {},
                 .best = j.at("best"),
                 .misfits = {},
                 .answer = j.at("answer"),
                 .remedies = {},
                 .searched = j.at("searched"),
                 .not_searched = j.at("not_searched"),
                 .stopped = j.at("stopped"),
                 .seconds = j.at("seconds"),
                 .out = {},
                 .exit_code = j.at("exit_code"),
                 .reproduce = j.at("reproduce")};
  for (const Json& concern : j.at("asked")) r.asked.push_back(concern_from(concern));
  for (const Json& row : j.at("rows")) r.rows.push_back(row_from(row));
  for (const Json& one : j.at("do_not_fit")) r.misfits.emplace_back(one.at("lock"), one.at("why"));
  for (const Json& one : j.at("remedies")) {
    r.remedies.push_back({.lock = one.at("lock"),
                          .what = one.at("what"),
                          .cells = cells_from(one.at("cells")),
                          .mends = one.at("mends"),
                          .all_hold = one.at("all_hold"),
                          .file = {}});
  }
  return r;
}

}  // namespace lockproof::harness
