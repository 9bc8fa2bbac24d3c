// SPDX-License-Identifier: Apache-2.0
#include "harness/report/answers/explained.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/headed.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/told_fault.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::harness {
namespace {

using enum What;

const BeliefTemplate beliefs[] = {
    {"mutual-exclusion",
     "double-grant",
     "More clients were inside at once than the lock has permits, and each believed that it had one",
     {enter},
     "permits"},
    {"mutual-exclusion",
     "outlived",
     "More clients were inside at once than the lock has permits: one of them had outlived its lease",
     {enter},
     "permits"},
    {"mutual-exclusion",
     "double-grant",
     "Two clients were inside at once, and each believed, by its own clock, that the lock was still its own",
     {enter}},
    {"mutual-exclusion",
     "outlived",
     "Two clients were inside at once: one of them was let in after its own lease had ended",
     {enter},
     "was past its own deadline itself"},
    {"mutual-exclusion",
     "outlived",
     "Two clients were inside at once: one of them worked on after its lease had ended, and had not noticed",
     {enter}},
    {"resource-safety",
     "",
     "Work was done on data that had changed meanwhile, or under a lock that was no longer held",
     {execute}},
    {"owner-release", "", "A client believed that the lock was its own, and changed or deleted another's", {execute}},
    {"bounded-takeover", "", "A client died, and the others could not take over in time", {strike}},
    {"deadlock-freedom", "orphaned", "Every client was kept out by a lock that nobody had any more", {attempt}},
    {"deadlock-freedom", "lost-wakeup", "The lock was free, and the clients that wanted it did not know", {attempt}},
    {"deadlock-freedom", "livelock", "Nobody got the lock, and whoever wanted it tried again and again", {attempt}},
    {"deadlock-freedom",
     "circular-wait",
     "Clients waited for each other, each with what another one wanted",
     {attempt}},
    {"deadlock-freedom", "", "A client wanted the lock, nobody had it, and nobody got it", {attempt}},
    {"fault-tolerance", "", "A majority of the servers was up, and still nobody got the lock", {attempt}},
    {"starvation-freedom", "", "One client waited while others got the lock, time after time", {attempt, granted}},
    {"re-entrancy",
     "freed-early",
     "A client believed that it still held the lock, which it had freed itself",
     {release}},
    {"re-entrancy",
     "still-held",
     "A client believed that it had released the lock, and it was still kept in its name",
     {release}},
    {"loss-notification", "false-alarm", "A client was told that it had lost the lock, and it had not", {enter}},
    {"loss-notification", "", "A client had lost the lock, and was not told", {enter}},
    {"availability", "", "Nobody could get the lock for longer than is allowed", {attempt}},
    {"every-round-enters", "", "A client wanted the lock, and was not inside in time", {attempt}},
    {"leadership-settles", "", "No fault was at work, and it was still not settled who leads", {enter}},
    {"hand-over-cause", "", "The lock was given to another client while its holder could rely on it", {granted}},
    {"once-per-period",
     "",
     "A client believed that the job of this period was still to be done, and did it again",
     {enter}},
    {"fencing-order",
     "",
     "The resource was to tell an older grant by its token, and the tokens do not grow with the grants",
     {granted}},
    {"answers", "acquire", "A program was told to acquire the lock, and the call does not come back", {attempt}},
    {"answers", "release", "A program was told to release the lock, and the call does not come back", {release}},
    {"answers", "", "A program was asked something, and does not answer", {}},
    {"survives", "died", "A program ended, and nobody had told it to", {}},
    {"survives", "protocol", "A program said what nobody understands", {}},
    {"renewal-rate", "", "A client renewed its lock again and again, and nothing had changed", {execute}},
    {"grant-is-valid", "expired", "A client was given the lock when what it was promised was over already", {granted}},
    {"grant-is-valid",
     "not-held",
     "A program was told that it has the lock, and the key on the servers was not its own",
     {granted}},
};

bool has(const History& history, What what, std::string_view word = {}) {
  return std::ranges::any_of(
      history.events, [&](const Event& event) { return event.what == what && (word.empty() || event.word == word); });
}

std::string sentence(std::string text) {
  text = printable(text);
  return text.empty() || text.ends_with('.') ? text : text + ".";
}

}  // namespace

std::span<const BeliefTemplate> belief_templates() { return beliefs; }

std::string believed(const History& history, const check::Finding& finding) {
  const auto fits = [&](const BeliefTemplate& one) {
    return one.property == finding.property && (one.kind.empty() || one.kind == finding.kind) &&
           finding.what.find(one.says) != std::string::npos;
  };
  const auto found = std::ranges::find_if(beliefs, fits);
  if (found == std::end(beliefs)) return "";
  if (!std::ranges::all_of(found->needs, [&](What what) { return has(history, what); })) return "";
  return fmt::format("{}: {}", found->lead, finding.what);
}

const check::Finding* worst_of(const std::vector<check::Finding>& findings, std::string_view property) {
  for (const check::Property& one : check::every_property()) {
    if (!one.watch || (!property.empty() && property != one.name)) continue;
    const auto found = std::ranges::find(findings, one.name, &check::Finding::property);
    if (found != findings.end() && found->verdict == check::Verdict::violated) return &*found;
  }
  return nullptr;
}

std::string first_sentence(const History& history, const std::vector<check::Finding>& findings,
                           std::string_view property) {
  const check::Finding* const worst = worst_of(findings, property);
  return worst ? sentence(believed(history, *worst)) : "";
}

std::string first_sentence(const History& history, const std::vector<check::ComparedFinding>& properties) {
  std::vector<check::Finding> findings;
  for (const check::ComparedFinding& one : properties) findings.push_back(one.finding);
  return first_sentence(history, findings);
}

std::string assumed(const History& history, const std::vector<NeededFault>& faults) {
  if (faults.empty()) return "Nothing had to fail: ordinary events in this order are enough";
  std::string text = "The lock assumes that ";
  bool first = true;
  for (const auto& [fault, has_lock, bound] : faults) {
    const FaultRow& row = row_of(fault.kind);
    if (!has(history, strike, row.name)) return "";
    const bool lockless = !has_lock && !row.words.without_lease.empty();
    text += fmt::format("{}{}{}{}; here {}", first ? "" : "; and that ",
                        lockless ? row.words.without_lease : row.words.assumption, bound.empty() ? "" : ": ", bound,
                        told(fault));
    first = false;
  }
  return text;
}

std::string explained_text(const ExplainedReport& r) {
  std::string text;
  for (const std::string& one : {r.belief, r.assumption, r.decisive, r.prevention, r.sources}) {
    if (!one.empty()) text += sentence(one) + "\n";
  }
  return text;
}

std::string explained_json(const ExplainedReport& r) {
  using Json = nlohmann::ordered_json;
  Json remedies = Json::array();
  for (const ExplainedRemedy& one : r.remedies) {
    remedies.push_back({{"what", one.what},
                        {"answer", one.unknown ? "unknown"
                                   : one.mends ? "holds"
                                               : "breaks"},
                        {"states", one.states}});
  }
  return document(Json{{"file", r.file},
                       {"title", r.title},
                       {"property", r.property},
                       {"kind", r.kind},
                       {"sentences", {r.belief, r.assumption, r.decisive, r.prevention, r.sources}},
                       {"remedies", remedies},
                       {"reproduce", r.reproduce}});
}

}  // namespace lockproof::harness
