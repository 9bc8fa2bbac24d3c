// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/list_cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "cli/options/scenario_files.hpp"
#include "cli/output/output.hpp"
#include "execution/failures_page.hpp"
#include "harness/input_error.hpp"
#include "harness/report/casebook.hpp"
#include "harness/report/text/printable.hpp"

namespace lockproof::cli {
namespace {

using harness::Casebook;
using harness::CaseEntry;
using harness::ClaimEntry;
using harness::Scenario;

/// The catalogue's own folder, or one of somebody's own. Throws InputError.
struct Folder {
  std::filesystem::path path;
  harness::CaseList list;
  std::vector<Scenario> scenarios;
  Casebook book;

  [[nodiscard]] std::string name(const std::string& file) const { return harness::name_below(path.string(), file); }
  [[nodiscard]] std::vector<std::string> names(const std::vector<const Scenario*>& of) const {
    std::vector<std::string> names;
    for (const Scenario* one : of) names.push_back(name(one->file));
    return names;
  }
};

Folder load(const Arguments& arguments) {
  Folder folder;
  folder.path = arguments.folder.empty() ? scenarios_folder() : arguments.folder;
  folder.path = folder.path.lexically_normal();
  if (!folder.path.has_filename()) folder.path = folder.path.parent_path();
  LoadedScenarios loaded = load_scenarios({folder.path.string()});
  if (!loaded.unreadable.empty()) throw harness::InputError(loaded.unreadable.front().why);
  folder.scenarios = std::move(loaded.scenarios);
  folder.list = harness::load_cases((folder.path / harness::cases_file).string());
  return folder;
}

/// How many are shown, missing, neither.
template <class Entry>
std::string count_text(const std::vector<Entry>& entries, const char* what) {
  const harness::CaseCounts counts(entries);
  return fmt::format("{} of {} {} accounted for: {} shown, {} missing{}\n", counts.all - counts.incomplete, counts.all,
                     what, counts.shown, counts.missing,
                     counts.incomplete == 0 ? "" : fmt::format(", {} incomplete", counts.incomplete));
}

/// Scenarios stand in a column of their own, or below where the line is not long enough for that.
void print_entry(const harness::Style& style, std::string_view id, std::string_view what, const std::string& found) {
  constexpr std::size_t enough = 100, before_found = 50, below = 6;
  if (style.columns() >= enough) {
    fmt::print("{}\n", style.wrap(fmt::format("  {:<34}  {:<10}  {}", id, what, found), before_found));
  } else {
    if (!id.empty()) fmt::print("  {}\n", id);
    fmt::print("{}\n", style.wrap(fmt::format("    {}: {}", what, found), below));
  }
}

void print_cases(const Folder& folder, const harness::Style& style) {
  std::string group;
  for (const CaseEntry& entry : folder.book.cases) {
    if (entry.of->group != group) fmt::print("{}\n", style.strong(group = entry.of->group));
    std::string text =
        entry.shown() ? fmt::format("{}", fmt::join(folder.names(entry.shows), ", ")) : entry.of->missing;
    if (!entry.lacks.empty()) text = style.bad(entry.lacks);
    print_entry(style, entry.of->id, state_of(entry), text);
    const auto more = [&](const char* what, const std::vector<const Scenario*>& of) {
      if (!of.empty()) print_entry(style, "", what, fmt::format("{}", fmt::join(folder.names(of), ", ")));
    };
    more("fix", entry.fixes);
    more("fix fails", entry.failing_fixes);
  }
}

void print_claims(const Folder& folder, const harness::Style& style) {
  for (const ClaimEntry& entry : folder.book.claims) {
    const harness::NotesClaim& of = *entry.of;
    fmt::print("{}\n", style.wrap(fmt::format("{}  {}: {}", style.strong(of.id), of.verdict, of.says), 5));
    if (!entry.lacks.empty()) print_text(style, fmt::format("     {}\n", style.bad(entry.lacks)));
    if (entry.shown()) print_text(style, fmt::format("     {}\n", fmt::join(folder.names(entry.decided_by), ", ")));
    if (!of.missing.empty()) print_text(style, fmt::format("     missing: {}\n", of.missing));
  }
}

void print_scenarios(const Folder& folder, const harness::Style& style) {
  for (const Scenario& scenario : folder.scenarios) {
    std::string about;
    if (const auto& documented = scenario.documented) {
      std::vector<std::string> words = documented->cases;
      words.insert(words.end(), documented->claims.begin(), documented->claims.end());
      about = fmt::format("{}: {}", role_name(documented->role), fmt::join(words, ", "));
    }
    print_text(style,
               fmt::format("{:<64}  {}\n", folder.name(scenario.file), about.empty() ? style.faint("-") : about));
  }
}

std::string json_of(const Folder& folder, const std::string& what) {
  if (what == "cases") return harness::cases_json(folder.book, folder.path.string());
  if (what == "claims") return harness::claims_json(folder.book, folder.path.string());
  return harness::scenarios_json(folder.scenarios, folder.path.string());
}

}  // namespace

int list_cases(const Arguments& arguments) {
  Folder folder = load(arguments);
  folder.book = harness::casebook(folder.list, folder.scenarios);
  const bool chosen = arguments.paths.size() > 1;
  if (chosen) {
    folder.book.cases = harness::cases_about(folder.book, arguments.paths[1]);
    if (folder.book.cases.empty()) {
      throw harness::InputError(arguments.paths[1], 0, "is mentioned by no documented failure; try another word");
    }
  }
  const std::string& what = arguments.paths.front();
  const harness::Style style = style_of_stdout();
  if (arguments.format == "json") {
    fmt::print("{}", json_of(folder, what));
  } else if (arguments.format == "markdown") {
    fmt::print("{}", execution::failures_page(folder.book, folder.path));
  } else if (what == "cases") {
    print_cases(folder, style);
  } else if (what == "claims") {
    print_claims(folder, style);
  } else {
    print_scenarios(folder, style);
  }
  if (arguments.format == "text") {
    for (const std::string& one : folder.book.unknown)
      print_text(style, fmt::format("{}\n", style.bad(harness::printable(one))));
    if (what != "scenarios" && !chosen) {
      fmt::print("\n{}{}", count_text(folder.book.cases, "cases"), count_text(folder.book.claims, "claims"));
    }
  }
  return folder.book.complete() ? check::exit_code::met : check::exit_code::failed;
}

}  // namespace lockproof::cli
