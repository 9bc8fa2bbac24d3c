// SPDX-License-Identifier: Apache-2.0
#include "harness/report/soaked.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "harness/check/expectation.hpp"
#include "harness/report/text/headed.hpp"
#include "harness/report/text/shell_word.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;

std::string way_text(const SoakedReport::ViolationClass& way, const Style& style) {
  return fmt::format("  {}{}, {}\n", style.bad(way.property), way.kind.empty() ? "" : style.bad(" (" + way.kind + ")"),
                     way.claim);
}

std::string violation_text(const SoakedReport::Violation& v, const Style& style) {
  std::string text = fmt::format("    {}: {} of the runs, the first after {:.1f} s: {}\n      {}\n",
                                 v.by.empty() ? "without a fault" : "by " + v.by, v.runs, v.seconds, v.faults, v.what);
  if (!v.found.empty()) text += style.command("      again: ", "lockproof real " + shell_word(v.found)) + "\n";
  if (!v.shown_by.empty()) return text + fmt::format("      its smallest cause: that run is of {}, too\n", v.shown_by);
  if (v.smallest.empty()) return text + fmt::format("      no smallest cause: {}\n", v.not_smaller);
  text += fmt::format("      smallest cause, which the simulator shows too: {}\n", v.smallest);
  if (!v.smallest_file.empty()) text += style.command("      ", "lockproof run " + shell_word(v.smallest_file)) + "\n";
  return text + fmt::format("      replayed on real servers: {}{}\n", v.trace_replay,
                            v.trace_replay_text.empty() ? "" : ", " + v.trace_replay_text);
}

std::string faults_text(const SoakedReport& r) {
  std::vector<std::string> counts;
  for (const auto& [kind, count] : r.faults) counts.push_back(fmt::format("{} {}", count, kind));
  return counts.empty() ? "none" : fmt::format("{}", fmt::join(counts, ", "));
}

Json to_json(const SoakedReport::Violation& v) {
  Json j{{"property", v.way.property}};
  if (!v.way.kind.empty()) j["kind"] = v.way.kind;
  j["claim"] = v.way.claim;
  j["by"] = v.by;
  j["runs"] = v.runs;
  j["first"] = {{"run", v.number}, {"seconds", v.seconds}, {"faults", v.faults}, {"what", v.what}};
  if (!v.found.empty()) j["first"]["file"] = v.found;
  if (!v.shown_by.empty()) j["shown_by"] = v.shown_by;
  if (!v.not_smaller.empty()) j["no_smallest"] = v.not_smaller;
  if (v.smallest.empty()) return j;
  j["smallest"] = {{"faults", v.smallest}, {"trace_replay", v.trace_replay}};
  if (!v.trace_replay_text.empty()) j["smallest"]["what"] = v.trace_replay_text;
  if (!v.smallest_file.empty()) j["smallest"]["file"] = v.smallest_file;
  return j;
}

}  // namespace

std::string soaked_text(const SoakedReport& r, const Style& style) {
  std::string text;
  const SoakedReport::ViolationClass* way = nullptr;
  for (const SoakedReport::Violation& violation : r.violated) {
    if (!way || *way != violation.way) text += way_text(violation.way, style);
    way = &violation.way;
    text += violation_text(violation, style);
  }
  if (r.violated.empty()) text += fmt::format("  {}\n", style.good("nothing was violated"));
  text += fmt::format("\n{} runs on real servers in {:.0f} s, {} at once{}\n", r.runs, r.seconds, r.jobs,
                      r.interrupted ? "; it was interrupted" : "");
  text += fmt::format("  faults: {}, from {}\n", faults_text(r), r.budget);
  if (!r.never_struck.empty()) {
    text += fmt::format("  in none of the runs, so nothing is known of it: {}\n", fmt::join(r.never_struck, ", "));
  }
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
  for (const SoakedReport::Violation& violation : r.violated) violated.push_back(to_json(violation));
  Json report{{"scenario", r.scenario}, {"file", r.file}, {"algorithm", r.algorithm}, {"title", r.title},
              {"world", "real"},        {"seed", r.seed}, {"budget", r.budget},       {"runs", r.runs},
              {"jobs", r.jobs},         {"late", r.late}, {"refused", r.refused}};
  if (r.refused > 0) report["refusal"] = r.refusal;
  report["interrupted"] = r.interrupted;
  report["seconds"] = r.seconds;
  report["faults"] = r.faults;
  report["never_struck"] = r.never_struck;
  report["violated"] = std::move(violated);
  report["exit_code"] = exit_code_of(r);
  report["reproduce"] = r.reproduce;
  return document(report);
}

int exit_code_of(const SoakedReport& report) {
  if (!report.violated.empty()) return check::exit_code::failed;
  return report.runs > report.late ? check::exit_code::met : check::exit_code::unknown;
}

}  // namespace lockproof::harness
