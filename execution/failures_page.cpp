// SPDX-License-Identifier: Apache-2.0
#include "execution/failures_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "execution/execution.hpp"
#include "harness/check/properties.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::execution {
namespace {

using harness::CaseEntry;
using harness::ClaimEntry;
using harness::Scenario;

constexpr std::string_view intro =
    R"(# Documented failures

Made by `lockproof list cases --format markdown`. The text about each failure stands in
[scenarios/cases.toml](../../scenarios/cases.toml); runs and scenarios give the rest.
[Chapter 11](../guide/11-teaching.md#find-a-failure) says how to find a failure.

Each failure has up to five answers:

- **simulated**: what the scenario violates in the simulator, where its faults are placed by hand;
- **found**: whether a search finds it that is told of no fault, but of the kinds that may strike, from a
  [budget](../guide/04-every-schedule.md#a-budget): "1 of `one-server`" is at most one fault of those in
  `budgets/one-server.toml`, and 0 is none at all; "no" where no such search is known to find it;
- **real**: what it is expected to violate on servers that lockproof starts, which `check scenarios --real` tests;
  "no servers" where its service is simulated only;
- **again**: whether the simulated run can be done again on real servers, event by event; the results are
  [on a page of their own](trace-replay.md), and a test compares the two;
- **fix**: what a lock with the fix does under the same faults; `✓` is nothing violated, and `✗` that the fix does not
  help.

)";

/// "documented/leases/x.toml".
class Links {
 public:
  explicit Links(std::filesystem::path folder) : folder_(std::move(folder)) {}
  [[nodiscard]] std::string path(const Scenario& s) const {
    return std::filesystem::path(s.file).lexically_relative(folder_).generic_string();
  }
  [[nodiscard]] std::string to(const Scenario& s) const {
    return fmt::format("[{}](../../scenarios/{})", s.name, path(s));
  }

 private:
  std::filesystem::path folder_;
};

/// What one run came to.
struct RunSummary {
  std::string violated;  // "mutual-exclusion: double-grant, resource-safety"; empty: nothing
  std::string what;      // of the first
  bool as_expected = false;
};

RunSummary run_of(const Scenario& scenario) {
  static std::map<std::string, RunSummary> known;  // of one page, on which a scenario may stand several times
  if (const auto found = known.find(scenario.file); found != known.end()) return found->second;
  const harness::RunReport report = execution::execute(scenario, execution::WorldKind::simulated, scenario.seed).report;
  RunSummary ran;
  std::vector<std::string> parts;
  for (const check::ComparedFinding& c : report.properties) {
    if (c.finding.verdict != check::Verdict::violated) continue;
    parts.push_back(c.finding.property + (c.finding.kind.empty() ? "" : ": " + c.finding.kind));
    if (ran.what.empty()) ran.what = c.finding.what;
  }
  ran.violated = fmt::format("{}", fmt::join(parts, ", "));
  const check::Agreement met = overall(report.properties);
  ran.as_expected = met == check::Agreement::yes || met == check::Agreement::unstated;
  return known[scenario.file] = ran;
}

/// What is expected to be violated in a world; nothing is said of it: no value.
std::optional<std::string> expected(const std::optional<harness::Expectations>& of) {
  if (!of) return std::nullopt;
  std::vector<std::string> parts;
  for (const std::string_view property : check::names()) {
    const auto found = of->find(property);
    if (found == of->end() || found->second == check::name(check::Verdict::not_found) || found->second == "holds")
      continue;
    if (found->second == "unknown") return "unknown";
    parts.push_back(std::string(property) + (found->second == "violated" ? "" : ": " + found->second));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string or_nothing(const std::string& violated) { return violated.empty() ? "nothing" : violated; }

std::string search_text(const Scenario& s) {
  const auto& search = s.documented->search;
  return search ? fmt::format("{} of `{}`", search->faults, search->name) : "no";
}

bool has_servers(const Scenario& s) { return harness::simulated_only(s).empty(); }

std::string real_text(const Scenario& s) {
  if (!has_servers(s)) return "no servers";
  const auto real = expected(s.expect.real);
  if (!real) return "not said";
  return *real == run_of(s).violated ? "the same" : or_nothing(*real);
}

/// What came of it stands in the page that `replay` makes: tests/docs/failures.py looks there.
constexpr const char* in_the_list = "yes";

std::string again_text(const Scenario& s) {
  if (s.algorithm->service != Service::redis) return "no: only servers of Redis are driven step by step";
  if (s.algorithm->servers == Servers::one_with_replica) return "no: WAIT is answered when other things have happened";
  if (s.shares_processes()) return "no: tasks of one process are not run again one by one";
  return in_the_list;
}

/// The first of those that can be run for real, if there is one.
const Scenario& first_of(const CaseEntry& entry) {
  const auto found = std::ranges::find_if(entry.shows, [](const Scenario* s) { return has_servers(*s); });
  return **(found == entry.shows.end() ? entry.shows.begin() : found);
}

/// Of the first that a search finds.
std::string search_text(const CaseEntry& entry) {
  const auto searched = [](const Scenario* s) { return s->documented->search.has_value(); };
  const auto found = std::ranges::find_if(entry.shows, searched);
  return search_text(found == entry.shows.end() ? first_of(entry) : **found);
}

std::string fix_mark(const CaseEntry& entry) {
  std::string text;
  for (const Scenario* fix : entry.fixes) {
    text += fmt::format("{}`{}` {}", text.empty() ? "" : ", ", fix->algorithm->name,
                        run_of(*fix).violated.empty() ? "✓" : "✓ (" + run_of(*fix).violated + ")");
  }
  for (const Scenario* fix : entry.failing_fixes) {
    text += fmt::format("{}`{}` ✗", text.empty() ? "" : ", ", fix->algorithm->name);
  }
  return text.empty() ? "–" : text;
}

std::string anchor(const std::string& id) { return fmt::format("[{0}](#{0})", id); }

std::string table(const harness::Casebook& book) {
  std::string text = "| failure | simulated | found | real | again | fix |\n|---|---|---|---|---|---|\n";
  for (const CaseEntry& entry : book.cases) {
    if (!entry.shown()) {
      text += fmt::format("| {} | missing | | | | |\n", anchor(entry.of->id));
      continue;
    }
    const Scenario& s = first_of(entry);
    const std::string again = again_text(s);
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", anchor(entry.of->id), or_nothing(run_of(s).violated),
                        search_text(entry), real_text(s), again == in_the_list ? again : "no", fix_mark(entry));
  }
  return text + "\n";
}

std::string faults_of(const Scenario& s) {
  return s.faults.empty() ? "no fault at all" : harness::faults_text(s.faults);
}

/// A scenario that shows the failure, in a paragraph.
std::string shown(const Scenario& s, const Links& links) {
  const RunSummary ran = run_of(s);
  std::string text =
      fmt::format("- {}, of `{}`: {}.\n  - the schedule: {}\n", links.to(s), s.algorithm->name, s.title, faults_of(s));
  text += fmt::format("  - simulated: {}", or_nothing(ran.violated));
  if (!ran.what.empty()) text += fmt::format("; {}", ran.what);
  text += fmt::format("\n  - real: {}; can be done again, event by event: {}; found by search: {}\n", real_text(s),
                      again_text(s), search_text(s));
  return text;
}

std::string of_fix(const Scenario& s, const Links& links, const char* word) {
  const RunSummary ran = run_of(s);
  return fmt::format("- {}: {}, `{}`: {}; under {}: {}\n", word, links.to(s), s.algorithm->name, s.title, faults_of(s),
                     or_nothing(ran.violated) + (ran.violated.empty() ? " is violated" : ""));
}

std::string twins_of(const CaseEntry& entry, const Links& links) {
  std::vector<std::string> quiet;
  for (const Scenario* twin : entry.twins) {
    const RunSummary ran = run_of(*twin);
    quiet.push_back(ran.violated.empty() ? fmt::format("`{}`", links.path(*twin))
                                         : fmt::format("`{}` ({})", links.path(*twin), ran.violated));
  }
  return fmt::format("- without the cause nothing is violated: {}\n", fmt::join(quiet, ", "));
}

std::string section(const CaseEntry& entry, const Links& links) {
  const harness::DocumentedCase& of = *entry.of;
  std::string text = fmt::format("### {}\n\n**{}.** {}\n\n", of.id, of.title, of.happened);
  for (const Scenario* s : entry.shows) text += shown(*s, links);
  if (!entry.twins.empty()) text += twins_of(entry, links);
  for (const Scenario* s : entry.fixes) text += of_fix(*s, links, "fix");
  for (const Scenario* s : entry.failing_fixes) text += of_fix(*s, links, "a fix that fails");
  if (!of.missing.empty()) text += fmt::format("- **missing**: {}\n", of.missing);
  text += fmt::format("- what helps: {}\n", of.fix);
  if (!of.no_fix.empty()) text += fmt::format("- no scenario has the fix: {}\n", of.no_fix);
  std::vector<std::string> sources;
  for (const harness::Publication& source : sources_of(entry)) {
    const std::string where = address(source);
    sources.push_back(where.empty() ? to_text(source) : fmt::format("[{}]({})", to_text(source), where));
  }
  text += fmt::format("- sources: {}\n\n", fmt::join(sources, "; "));
  return text;
}

std::string claim(const ClaimEntry& entry, const Links& links) {
  const harness::NotesClaim& of = *entry.of;
  std::string text =
      fmt::format("- **{}** (note {}): *{}* — **{}**: {}", of.id, of.note, of.says, of.verdict, of.because);
  if (!of.settles.empty()) text += fmt::format(" {}", of.settles);
  text += "\n";
  for (const Scenario* s : entry.decided_by) {
    text += fmt::format("  - {}: {}\n", links.to(*s),
                        or_nothing(run_of(*s).violated) + (run_of(*s).violated.empty() ? " is violated" : ""));
  }
  if (!of.missing.empty()) text += fmt::format("  - missing: {}\n", of.missing);
  return text;
}

template <class Entry>
std::string count(const std::vector<Entry>& entries, const char* what) {
  const auto shown = std::ranges::count_if(entries, [](const Entry& entry) { return entry.shown(); });
  return fmt::format("{} {}, of which {} are shown", entries.size(), what, shown);
}

}  // namespace

std::string failures_page(const harness::Casebook& book, const std::filesystem::path& folder) {
  const Links links(folder);
  std::string text(intro);
  text += fmt::format("{}; {}.\n\n", count(book.cases, "failures"), count(book.claims, "claims of the notes"));
  text += table(book);
  std::string group;
  for (const CaseEntry& entry : book.cases) {
    if (entry.of->group != group) text += fmt::format("## {}\n\n", group = entry.of->group);
    text += section(entry, links);
  }
  text +=
      "## What the notes claim\n\nThe project grew from five notes on locks, here 000 to 004. Each of their claims "
      "that can be tested, the verdict, and the\nruns that decide it:\n\n";
  for (const ClaimEntry& entry : book.claims) text += claim(entry, links);
  return text;
}

}  // namespace lockproof::execution
