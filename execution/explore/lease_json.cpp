// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "execution/explore/lease_set.hpp"
#include "harness/report/text/headed.hpp"

namespace lockproof::execution {

std::string lease_json(const LeaseReport& report) {
  using nlohmann::ordered_json;
  ordered_json all = ordered_json::array();
  for (const LeaseSet& set : report.sets) {
    ordered_json edges = ordered_json::array(), points = ordered_json::array();
    for (const LeaseEdge& edge : set.edges) {
      ordered_json one{
          {"below_us", edge.below.count()}, {"above_us", edge.above.count()}, {"holds_above", edge.holds_above}};
      ordered_json terms = ordered_json::array();
      for (const LeaseTerm& term : edge.terms) {
        terms.push_back({{"name", term.name}, {"value_us", term.value.count()}, {"times", term.times}});
      }
      if (!edge.terms.empty()) {
        one["formula"] = formula_of(edge);
        one["terms"] = terms;
        one["rest_us"] = edge.rest.count();
      }
      edges.push_back(std::move(one));
    }
    for (const LeaseSet::Point& point : set.points) {
      points.push_back({{"lease_us", point.lease.count()}, {"verdict", check::name(point.verdict)}});
    }
    all.push_back({{"property", set.property}, {"edges", edges}, {"points", points}});
  }
  const ordered_json json{{"scenario", report.scenario.called},
                          {"algorithm", std::string(report.scenario.algorithm->name)},
                          {"leases", all},
                          {"searches", report.searches},
                          {"states", report.states},
                          {"stopped", report.was_stopped},
                          {"reproduce", report.reproduce}};
  return harness::document(json);
}

}  // namespace lockproof::execution
