// SPDX-License-Identifier: Apache-2.0
#include "harness/report/trace_replay.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "harness/check/properties.hpp"
#include "harness/report/junit.hpp"
#include "harness/report/text/headed.hpp"
#include "harness/report/text/printable.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* confirmed = "confirmed";
constexpr const char* diverged = "diverged";

Json to_json(const TraceReplayReport& report) {
  Json j = Json::parse(verdicts_json({report.run})).at("runs").at(0);
  j["outcome"] = report.outcome;
  if (!report.reason.empty()) j["reason"] = report.reason;
  if (const auto& d = report.difference) {
    j["difference"] = {
        {"event", d->event}, {"at", d->at.count()}, {"what", d->what}, {"predicted", d->predicted}, {"real", d->real}};
  }
  j["servers"] = report.servers;
  j["compared"] = Json::object();
  for (const auto& [what, count] : report.compared) j["compared"][what] = count;
  j["times"] = report.times;
  j["same"] = report.same;
  j["exit_code"] = exit_code_of(report);
  return j;
}

/// "1 change of keys", "2 replies"
std::string counted(std::uint64_t count, std::string_view what) {
  const std::size_t end = std::min(what.find(' '), what.size());
  std::string one(what.substr(0, end));
  if (one == "replies") one = "reply";
  if (one.ends_with('s')) one.pop_back();
  return count == 1 ? fmt::format("1 {}{}", one, what.substr(end)) : fmt::format("{} {}", count, what);
}

std::string compared_text(const TraceReplayReport& report) {
  std::vector<std::string> parts;
  for (const auto& [what, count] : report.compared) {
    if (count > 0) parts.push_back(counted(count, what));
  }
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string times_text(const TraceReplayReport& report) {
  if (report.times == 1) return "";
  return report.same ? fmt::format(", {} times", report.times) : fmt::format(", the {}th time", report.times);
}

/// A table's cell cannot have a bar in it.
std::string cell(std::string text) {
  for (std::size_t i = text.find('|'); i != std::string::npos; i = text.find('|', i + 2)) text.insert(i, "\\");
  return text;
}

std::string outcome_text(const TraceReplayReport& report) {
  if (report.outcome == confirmed) return confirmed;
  if (report.outcome != diverged) return "not reproducible here: " + report.reason;
  const auto& d = *report.difference;
  return fmt::format("diverged: {} predicted {}, real {}", d.what, d.predicted, d.real);
}

}  // namespace

std::string violated_text(const RunReport& report) {
  std::vector<std::string> parts;
  for (const check::ComparedFinding& c : report.properties) {
    if (c.finding.verdict != check::Verdict::violated) continue;
    parts.push_back(c.finding.kind.empty() ? c.finding.property
                                           : fmt::format("{}: {}", c.finding.property, c.finding.kind));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

int exit_code_of(const TraceReplayReport& report) {
  if (!report.same) return check::exit_code::not_deterministic;
  if (report.outcome == diverged) return check::exit_code::failed;
  if (report.outcome != confirmed) return check::exit_code::unknown;
  return check::exit_code_of(overall(report.run.properties));
}

std::string trace_replay_text(const TraceReplayReport& report, const Style& style) {
  const std::string broken = violated_text(report.run);
  std::string text = verdict_text(report.run, style) + "\n";
  if (report.outcome == confirmed) {
    text += fmt::format("{} on {}{}: {}\n", style.strong(confirmed), report.servers, times_text(report),
                        broken.empty() ? "nothing is violated there either" : broken);
  } else if (report.outcome == diverged) {
    const auto& d = *report.difference;
    text += fmt::format("{} on {}{}, at event {} ({}): {}\n  predicted: {}\n  real:      {}\n", style.bad(diverged),
                        report.servers, times_text(report), d.event + 1, check::seconds_text(d.at), d.what, d.predicted,
                        d.real);
  } else {
    text += fmt::format("{}: {}\n", style.unsure("not reproducible here"), report.reason);
  }
  text += fmt::format("compared: {}{}\n", compared_text(report), report.outcome == confirmed ? "; all equal" : "");
  if (!report.same) text += style.bad("the times before it were different") + "\n";
  return text;
}

std::string trace_replay_line(const TraceReplayReport& report, const Style& style) {
  const std::string word = report.outcome == confirmed  ? style.good("confirmed        ")
                           : report.outcome == diverged ? style.bad("DIVERGED         ")
                                                        : style.unsure("not reproducible ");
  const std::string broken = violated_text(report.run);
  return fmt::format("{}  {:<52}  {}", word, printable(report.run.file),
                     report.outcome != confirmed ? outcome_text(report)
                     : broken.empty()            ? "nothing violated"
                                                 : broken);
}

std::string trace_replay_junit(const std::vector<TraceReplayReport>& reports,
                               const std::vector<UnreadableFile>& unreadable) {
  std::vector<RunReport> runs;
  for (const TraceReplayReport& report : reports) {
    RunReport& run = runs.emplace_back(report.run);
    const bool met = report.outcome == confirmed && report.same;
    const bool failed = report.outcome == diverged || !report.same;
    run.properties.push_back({{.property = "trace-replay",
                               .verdict = met      ? check::Verdict::not_found
                                          : failed ? check::Verdict::violated
                                                   : check::Verdict::unknown,
                               .what = outcome_text(report)},
                              confirmed,
                              met      ? check::Agreement::yes
                              : failed ? check::Agreement::no
                                       : check::Agreement::unknown});
  }
  return junit(runs, unreadable);
}

std::string trace_replay_json(const TraceReplayReport& report) { return document(to_json(report)); }

std::string trace_replay_json(const std::vector<TraceReplayReport>& reports,
                              const std::vector<UnreadableFile>& unreadable) {
  Json whole = Json::parse(verdicts_json({}, unreadable));
  for (const TraceReplayReport& report : reports) whole["runs"].push_back(to_json(report));
  return document(whole);
}

TraceReplayReport trace_replay_from_json(const std::string& text) {
  const Json j = Json::parse(text);
  TraceReplayReport report;
  report.run = report_from_json(text);
  report.outcome = j.at("outcome");
  report.reason = j.value("reason", "");
  if (j.contains("difference")) {
    const Json& d = j.at("difference");
    report.difference = {d.at("event"), Duration(d.at("at").get<std::int64_t>()), d.at("what"), d.at("predicted"),
                         d.at("real")};
  }
  report.servers = j.at("servers");
  for (const auto& [what, count] : j.at("compared").items()) report.compared.emplace_back(what, count);
  report.times = j.at("times");
  report.same = j.at("same");
  return report;
}

std::string trace_replay_page(const std::vector<TraceReplayReport>& reports) {
  const auto is_violated = [](const TraceReplayReport& r) { return !violated_text(r.run).empty(); };
  const auto is_confirmed = [](const TraceReplayReport& r) { return r.outcome == confirmed; };
  const auto violated = std::ranges::count_if(reports, is_violated);
  const auto both = std::ranges::count_if(reports, [&](const auto& r) { return is_violated(r) && is_confirmed(r); });
  const auto others = std::ranges::count_if(reports, [&](const auto& r) { return !is_violated(r) && is_confirmed(r); });
  std::string text = fmt::format(
      "<!-- Made by `lockproof replay scenarios --format markdown`; do not edit. -->\n"
      "# The catalogue, replayed on real servers\n\n"
      "Each scenario is run in the simulator, and then done again step by step with {}: see\n"
      "[chapter 7](../guide/07-real-servers.md). *Confirmed* means that every reply, every change of a key and "
      "every\ntime to live was the predicted one, to the millisecond, and that the same properties are violated in the "
      "same way.\n\n"
      "Of {} scenarios {} violate something in the simulator; {} of these are confirmed. Of the {} others {} are.\n\n"
      "| scenario | in the simulator | on real servers | compared |\n|---|---|---|---|\n",
      reports.empty() ? "redis-server" : reports.front().servers, reports.size(), violated, both,
      static_cast<std::int64_t>(reports.size()) - violated, others);
  for (const TraceReplayReport& report : reports) {
    if (!is_violated(report) && is_confirmed(report)) continue;
    const std::string broken = violated_text(report.run);
    text += fmt::format("| `{}` | {} | {} | {} |\n", report.run.scenario, broken.empty() ? "nothing" : broken,
                        cell(outcome_text(report)), compared_text(report));
  }
  return text;
}

}  // namespace lockproof::harness
