// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/report/frontier.hpp"
#include "harness/report/text/headed.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const FrontierProperty& of) {
  Json enough = Json::array(), harmless = Json::array();
  for (const FrontierSet& set : of.enough) {
    Json one{{"faults", set.faults}, {"kind", set.kind}, {"events", set.events}};
    if (!set.file.empty()) one["counterexample"] = set.file;
    enough.push_back(std::move(one));
  }
  for (const HarmlessSet& set : of.harmless) {
    Json one{{"faults", set.faults}};
    if (!set.file.empty()) one["evidence"] = set.file;
    harmless.push_back(std::move(one));
  }
  Json one{{"property", of.property}, {"enough", enough}, {"harmless", harmless}};
  if (!of.vacuous.empty()) one["vacuous"] = of.vacuous;
  return one;
}

FrontierProperty property_from(const Json& j) {
  FrontierProperty of{.property = j.at("property"), .enough = {}, .harmless = {}, .vacuous = j.value("vacuous", "")};
  for (const Json& set : j.at("enough")) {
    of.enough.push_back({set.at("faults"), set.at("kind"), set.at("events"), set.value("counterexample", "")});
  }
  for (const Json& set : j.at("harmless")) of.harmless.push_back({set.at("faults"), set.value("evidence", "")});
  return of;
}

}  // namespace

std::string frontier_json(const std::vector<FrontierReport>& reports) {
  Json all = Json::array();
  for (const FrontierReport& r : reports) {
    Json properties = Json::array(), not_tried = Json::array();
    for (const UntriedFault& one : r.not_tried) not_tried.push_back({{"fault", one.fault}, {"why", one.why}});
    for (const FrontierProperty& of : r.properties) properties.push_back(to_json(of));
    all.push_back({{"algorithm", r.algorithm},
                   {"topology", r.topology},
                   {"scope", r.scope},
                   {"measures", r.measures},
                   {"assumptions", r.assumptions},
                   {"kinds", r.kinds},
                   {"max_faults", r.max_faults},
                   {"searched_faults", r.searched_faults},
                   {"stopped", r.stopped},
                   {"vacuous", r.vacuous},
                   {"not_tried", not_tried},
                   {"engine", r.engine},
                   {"states", r.states},
                   {"transitions", r.transitions},
                   {"seconds", r.seconds},
                   {"properties", properties},
                   {"reproduce", r.reproduce}});
  }
  return document({{"frontiers", all}});
}

std::vector<FrontierReport> frontiers_from_json(const std::string& text) {
  std::vector<FrontierReport> reports;
  const Json whole = Json::parse(text);
  for (const Json& j : whole.at("frontiers")) {
    FrontierReport r{.algorithm = j.at("algorithm"),
                     .topology = j.at("topology"),
                     .scope = j.at("scope"),
                     .measures = j.at("measures"),
                     .assumptions = j.at("assumptions"),
                     .kinds = j.at("kinds"),
                     .max_faults = j.at("max_faults"),
                     .searched_faults = j.at("searched_faults"),
                     .stopped = j.at("stopped"),
                     .vacuous = j.at("vacuous"),
                     .not_tried = {},
                     .engine = j.at("engine"),
                     .states = j.at("states"),
                     .transitions = j.at("transitions"),
                     .seconds = j.at("seconds"),
                     .properties = {},
                     .reproduce = j.at("reproduce")};
    for (const Json& one : j.at("not_tried")) r.not_tried.push_back({one.at("fault"), one.at("why")});
    for (const Json& of : j.at("properties")) r.properties.push_back(property_from(of));
    reports.push_back(std::move(r));
  }
  return reports;
}

}  // namespace lockproof::harness
