// SPDX-License-Identifier: Apache-2.0
#include "harness/report/soaked.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "harness/check/expectation.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;

std::string way_text(const SoakedReport::Way& way, const Style& style) {
  std::string text = fmt::format("  {}{}, {}\n      {} of the runs, the first after {:.1f} s: {}\n      {}\n",
                                 style.bad(way.property), way.kind.empty() ? "" : style.bad(" (" + way.kind + ")"),
                                 way.claim, way.runs, way.seconds, way.faults, way.what);
  if (!way.found.empty()) text += fmt::format("      again: lockproof real {}\n", way.found);
  if (way.smallest.empty()) return text + fmt::format("      no smallest cause: {}\n", way.not_smaller);
  text += fmt::format("      smallest cause, which the simulator shows too: {}\n", way.smallest);
  if (!way.smallest_file.empty()) text += fmt::format("      lockproof run {}\n", way.smallest_file);
  return text + fmt::format("      re-enacted on real servers: {}{}\n", way.reenacted,
                            way.reenacted_text.empty() ? "" : ", " + way.reenacted_text);
}

std::string faults_text(const SoakedReport& r) {
  std::vector<std::string> counts;
  for (const auto& [kind, count] : r.faults) counts.push_back(fmt::format("{} {}", count, kind));
  return counts.empty() ? "none" : fmt::format("{}", fmt::join(counts, ", "));
}

Json to_json(const SoakedReport::Way& way) {
  Json j{{"property", way.property}};
  if (!way.kind.empty()) j["kind"] = way.kind;
  j["claim"] = way.claim;
  j["runs"] = way.runs;
  j["first"] = {{"run", way.number}, {"seconds", way.seconds}, {"faults", way.faults}, {"what", way.what}};
  if (!way.found.empty()) j["first"]["file"] = way.found;
  if (way.smallest.empty()) {
    j["no_smallest"] = way.not_smaller;
    return j;
  }
  j["smallest"] = {{"faults", way.smallest}, {"reenacted", way.reenacted}};
  if (!way.reenacted_text.empty()) j["smallest"]["what"] = way.reenacted_text;
  if (!way.smallest_file.empty()) j["smallest"]["file"] = way.smallest_file;
  return j;
}

}  // namespace

std::string soaked_text(const SoakedReport& r, const Style& style) {
  std::string text;
  for (const SoakedReport::Way& way : r.violated) text += way_text(way, style);
  if (r.violated.empty()) text += fmt::format("  {}\n", style.good("nothing was violated"));
  text += fmt::format("\n{} runs on real servers in {:.0f} s, {} at once{}\n", r.runs, r.seconds, r.jobs,
                      r.interrupted ? "; it was interrupted" : "");
  text += fmt::format("  faults: {}, from {}\n", faults_text(r), r.budget);
  if (r.late > 0) {
    text += fmt::format(
        "  {} of the runs violated something while the machine was late, each time; they do not count\n", r.late);
  }
  if (r.refused > 0) {
    text += fmt::format("  {} drawn and not made, since real runs cannot make such a fault. The first time: {}\n",
                        r.refused, r.refusal);
  }
  if (r.violated.empty() && r.runs > 0) {
    text += fmt::format("  not found means: fewer than {} of 100 such runs violate something, at 95 %\n",
                        r.runs < 3 ? 100 : 300 / r.runs + 1);
  }
  return text;
}

std::string soaked_json(const SoakedReport& r) {
  Json violated = Json::array();
  for (const SoakedReport::Way& way : r.violated) violated.push_back(to_json(way));
  Json report{{"scenario", r.scenario}, {"file", r.file}, {"algorithm", r.algorithm}, {"title", r.title},
              {"world", "real"},        {"seed", r.seed}, {"budget", r.budget},       {"runs", r.runs},
              {"jobs", r.jobs},         {"late", r.late}, {"refused", r.refused}};
  if (r.refused > 0) report["refusal"] = r.refusal;
  report["interrupted"] = r.interrupted;
  report["seconds"] = r.seconds;
  report["faults"] = r.faults;
  report["violated"] = std::move(violated);
  report["exit_code"] = exit_code_of(r);
  report["reproduce"] = r.reproduce;
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int exit_code_of(const SoakedReport& report) {
  if (!report.violated.empty()) return check::exit_code::failed;
  return report.runs > report.late ? check::exit_code::met : check::exit_code::unknown;
}

}  // namespace lockproof::harness
