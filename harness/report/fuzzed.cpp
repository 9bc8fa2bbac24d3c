// SPDX-License-Identifier: Apache-2.0
#include "harness/report/fuzzed.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/report/text/digest.hpp"
#include "harness/report/text/headed.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;

Json ways_json(const std::vector<FuzzViolation>& ways) {
  Json all = Json::array();
  for (const FuzzViolation& way : ways) {
    Json j{{"property", way.property}};
    if (!way.kind.empty()) j["kind"] = way.kind;
    j["runs"] = way.runs;
    j["first_run"] = way.first;
    j["what"] = way.what;
    j["events"] = way.events;
    all.push_back(std::move(j));
  }
  return all;
}

std::vector<FuzzViolation> ways_from(const Json& all) {
  std::vector<FuzzViolation> ways;
  for (const Json& j : all) {
    ways.push_back({j.at("property"), j.value("kind", ""), j.at("runs"), j.at("first_run"), j.at("what"),
                    j.at("events").get<std::vector<std::size_t>>()});
  }
  return ways;
}

/// However the text is set: it is of what it says. Without the checksum itself.
std::string checksum_of(const Json& whole) {
  return digest(whole.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::string fuzzed_json(const FuzzReport& r) {
  Json search{{"title", r.run.title}, {"strategy", r.strategy}};
  if (r.strategy == "pct") {
    search["depth"] = r.depth;
    search["threads"] = r.threads;
    search["k"] = r.k;
    search["bound_holds"] = r.bounded;
    if (!r.bounded) search["no_bound_since"] = r.unbounded;
  }
  search["budget"] = r.budget.empty() ? Json() : Json(r.budget);
  search["within"] = r.within;
  search["never_struck"] = r.never_struck;
  search["runs_asked"] = r.asked;
  search["shard"] = r.of == 1 ? Json() : Json{{"part", r.part}, {"of", r.of}};
  if (r.merged > 0) search["merged_shards"] = r.merged;
  search["command"] = r.command;
  if (r.strategy == "guided") {
    search["fresh_runs"] = r.fresh;
    search["combinations"] = r.met;
  }
  search["violated"] = ways_json(r.violated);
  search["unknown"] = ways_json(r.unknown);
  search["not_judged"] = r.not_judged;
  if (!r.asked_for.empty()) search["asked_for"] = r.asked_for;
  if (r.of_program) search["not_claimed"] = r.not_claimed;
  if (!r.chosen_by_auto.empty()) search["chosen_by_auto"] = r.chosen_by_auto;
  search["of"] = {{"scenario", r.scenario_digest}, {"budget", r.budget_digest}, {"build", r.build}};
  Json whole = Json::parse(verdict_json(r.run));
  whole["search"] = std::move(search);
  whole["checksum"] = checksum_of(whole);
  return document(whole);
}

FuzzReport fuzzed_from_json(const std::string& text) {
  Json whole = Json::parse(text);
  const Json search = whole.at("search");
  const std::string written = whole.at("checksum");
  whole.erase("checksum");
  if (const std::string found = checksum_of(whole); found != written) {
    throw DamagedReport(fmt::format("its checksum is {}, that of its content {}", written, found));
  }
  FuzzReport r;
  r.run = report_from_json(text);
  r.run.title = search.at("title");
  r.strategy = search.at("strategy");
  r.depth = search.value("depth", 0);
  r.threads = search.value("threads", r.threads);
  r.k = search.value("k", r.k);
  r.bounded = search.value("bound_holds", false);
  r.unbounded = search.value("no_bound_since", r.unbounded);
  if (!search.at("budget").is_null()) r.budget = search.at("budget");
  r.within = search.at("within");
  search.at("never_struck").get_to(r.never_struck);
  r.asked = search.at("runs_asked");
  if (const Json& shard = search.at("shard"); !shard.is_null()) r.part = shard.at("part"), r.of = shard.at("of");
  r.merged = search.value("merged_shards", r.merged);
  r.command = search.at("command");
  r.fresh = search.value("fresh_runs", r.fresh);
  if (search.contains("combinations")) search.at("combinations").get_to(r.met);
  r.violated = ways_from(search.at("violated"));
  r.unknown = ways_from(search.at("unknown"));
  r.of_program = search.contains("not_claimed");
  r.not_claimed = search.value("not_claimed", r.not_claimed);
  r.not_judged = search.at("not_judged").get<std::vector<std::string>>();
  r.asked_for = search.value("asked_for", r.asked_for);
  r.chosen_by_auto = search.value("chosen_by_auto", "");
  r.scenario_digest = search.at("of").at("scenario");
  r.budget_digest = search.at("of").at("budget");
  r.build = search.at("of").at("build");
  return r;
}

}  // namespace lockproof::harness
