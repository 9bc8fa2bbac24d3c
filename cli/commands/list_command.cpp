// SPDX-License-Identifier: Apache-2.0
// What there is, from the catalogues themselves: as text for a terminal, or as the page docs/reference/catalogue.md,
// which a test compares with what comes from here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/commands/list_cases.hpp"
#include "cli/output/output.hpp"
#include "harness/check/expectation.hpp"
#include "harness/check/properties.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/scenario/fault_table.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "sim/services/redis/commands.hpp"

namespace lockproof::cli {
namespace {

namespace exit_code = check::exit_code;

constexpr std::pair<int, const char*> exit_codes[] = {
    {exit_code::met, "every expectation is met"},
    {exit_code::failed, "an expectation failed"},
    {exit_code::unknown,
     "an expectation could not be decided; also where `holds` was expected of single runs, and where lockproof "
     "cannot judge a program that is right"},
    {exit_code::not_deterministic, "of `replay --repeat N`: the repetitions did not all come out the same"},
    {exit_code::not_violated,
     "of `minimize` and `explain`: the scenario violates nothing, so there is nothing to minimize or explain"},
    {exit_code::changed, "of `check --baseline FILE`: something comes out otherwise than then, or is gone"},
    {exit_code::usage, "wrong usage, or a scenario that cannot be read; `check` still runs the others"},
    {exit_code::bad_data, "a malformed history"},
    {exit_code::environment, "something is missing on this machine: redis-server, a port, a folder to write to"},
    {exit_code::internal, "an internal error"},
};

const char* text(Claim claim) {
  switch (claim) {
    case Claim::never: return "not claimed";
    case Claim::always: return "claimed";
    case Claim::without_faults: return "claimed while clocks keep time and no process is paused";
  }
  return "?";
}

struct Promise {
  const char* what;
  Claim Claims::*claim;
};
constexpr Promise promises[] = {
    {"never two entitled at once", &Claims::double_grant},
    {"no client inside past its deadline when the next one enters", &Claims::outlived},
    {"no client releases another's lock", &Claims::owner_release},
    {"a crashed holder's lock frees itself", &Claims::bounded_takeover},
};

/// What it is by default, as a scenario would say it.
std::string standard(const Parameter& p) {
  return p.counts ? std::to_string(p.standard.count()) : fmt::format("\"{}\"", harness::to_text(p.standard));
}

std::string unit(const Algorithm& a) { return harness::to_text(a.lease_unit).substr(1); }

std::string_view simulated_only(const Algorithm& a) { return harness::row_of(a.service).simulated_only; }

void list_algorithms(const harness::Style& style) {
  print_text(style, fmt::format("{}\n", style.strong("algorithms")));
  for (const Algorithm& a : catalogue()) {
    print_text(style, fmt::format("  {}: {}\n      source: {}\n      broken by: {}\n", style.strong(a.name), a.summary,
                                  a.source, a.broken_by));
    for (const Promise& p : promises) print_text(style, fmt::format("      {}: {}\n", p.what, text(a.claims.*p.claim)));
    print_text(style, fmt::format("      lease {}, in whole {}\n", harness::to_text(Duration(a.lease)), unit(a)));
    for (const Parameter& p : a.parameters) {
      print_text(style, fmt::format("      {} = {}: {}\n", p.name, p.needed ? "needed" : standard(p), p.meaning));
    }
    if (const auto why = simulated_only(a); !why.empty())
      print_text(style, fmt::format("      simulated only: {}\n", why));
  }
}

void list_properties(const harness::Style& style) {
  fmt::print("{}\n", style.strong("properties"));
  const auto print = [&](const check::Property& p) {
    fmt::print("{}\n", style.wrap(fmt::format("  {:<18}  broken when {}", p.name, p.broken_when), 22));
  };
  std::ranges::for_each(check::properties(), print);
  fmt::print("{}\n", style.strong("of scenarios that state their bound"));
  std::ranges::for_each(check::properties_asked_for(), print);
  fmt::print("{}\n", style.strong("of programs of one's own"));
  std::ranges::for_each(check::properties_of_programs(), print);
}

void list_faults(const harness::Style& style) {
  fmt::print("{}\n", style.strong("faults"));
  for (const harness::FaultRow& row : harness::fault_table()) {
    fmt::print("{}\n", style.wrap(fmt::format("  {:<17}  {}", row.name, row.text), 21));
  }
}

/// "notes/x, documented/y" as links to the scenarios.
std::string links(std::string_view scenarios) {
  std::vector<std::string> all;
  while (!scenarios.empty()) {
    const std::string_view one = scenarios.substr(0, scenarios.find(", "));
    all.push_back(fmt::format("[{0}](../../scenarios/{0}.toml)", one));
    scenarios.remove_prefix(std::min(one.size() + 2, scenarios.size()));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

/// The names that a lock called "lock" uses on its servers.
std::string names_on_servers(const Algorithm& a) {
  std::string text = "the key `lock`";
  for (const std::string_view key : a.further_keys) text += fmt::format(", `{}`", name_of(key, "lock"));
  for (const std::string_view channel : a.channels) text += fmt::format(", the channel `{}`", name_of(channel, "lock"));
  return text;
}

void page_of_algorithms() {
  fmt::print("## Algorithms\n");
  for (const Algorithm& a : catalogue()) {
    fmt::print("\n### {}\n\n{}.\n\n- source: {}\n- broken by: {}\n- lease: {} by default, in whole {}\n", a.name,
               a.summary, a.source, links(a.broken_by), harness::to_text(Duration(a.lease)), unit(a));
    for (const Parameter& p : a.parameters) {
      const std::string value = p.counts ? standard(p) : harness::to_text(p.standard);
      fmt::print("- parameter `{}`: {}, {}\n", p.name, p.meaning, p.needed ? "needed" : value + " by default");
    }
    fmt::print("- names on a server: {}\n", names_on_servers(a));
    if (const auto why = simulated_only(a); !why.empty()) fmt::print("- simulated only: {}\n", why);
    fmt::print("\n| promise | its authors' claim |\n|---|---|\n");
    for (const Promise& p : promises) fmt::print("| {} | {} |\n", p.what, text(a.claims.*p.claim));
  }
}

void page_of_the_rest() {
  fmt::print("\n## Properties\n\nEach is judged in every run. [Their exact rules](../semantics/properties.md).\n\n");
  fmt::print("| property | broken when |\n|---|---|\n");
  const auto print = [](const check::Property& p) { fmt::print("| `{}` | {} |\n", p.name, p.broken_when); };
  std::ranges::for_each(check::properties(), print);
  fmt::print("\nOf a scenario that [states their bound](scenario.md#judge), besides:\n\n");
  fmt::print("| property | broken when |\n|---|---|\n");
  std::ranges::for_each(check::properties_asked_for(), print);
  fmt::print("\nOf a lock that is a program of its own, besides:\n\n| property | broken when |\n|---|---|\n");
  std::ranges::for_each(check::properties_of_programs(), print);

  fmt::print("\n## Faults\n\n[Their keys](scenario.md#fault), [what they do](../semantics/faults.md).\n\n");
  fmt::print("| fault | what happens |\n|---|---|\n");
  for (const harness::FaultRow& row : harness::fault_table()) fmt::print("| `{}` | {} |\n", row.name, row.text);

  fmt::print("\n## Commands of a simulated Redis node\n\nAny other command is answered as unknown.\n\n");
  fmt::print("| command | words, itself included | from a script |\n|---|---|---|\n");
  for (const sim::redis::CommandRule& rule : sim::redis::command_table()) {
    fmt::print("| `{}` | {}{} | {} |\n", rule.verb, rule.arity < 0 ? "at least " : "", std::abs(rule.arity),
               rule.in_scripts ? "yes" : "no");
  }

  fmt::print("\n## Exit codes\n\nThe worst of several runs decides: failed, then changed, then unknown, then met.\n\n");
  fmt::print("| code | meaning |\n|---|---|\n");
  for (const auto& [code, meaning] : exit_codes) fmt::print("| {} | {} |\n", code, meaning);
}

}  // namespace

int list_command(const Arguments& arguments) {
  const std::string about = arguments.paths.empty() ? "" : arguments.paths.front();
  if (about == "cases" || about == "claims" || about == "scenarios") return list_cases(arguments);
  if (arguments.format == "markdown") {
    fmt::print("# Catalogue\n\nMade by `lockproof list --format markdown`; a test compares it. Do not edit.\n\n");
    page_of_algorithms();
    page_of_the_rest();
    return exit_code::met;
  }
  if (arguments.format == "json") {
    fmt::print("{}\n", harness::words_of_faults());
    return exit_code::met;
  }
  const harness::Style style = style_of_stdout();
  const auto asked = [&](const char* what) { return arguments.paths.empty() || arguments.paths.front() == what; };
  if (asked("algorithms")) list_algorithms(style);
  if (asked("properties")) list_properties(style);
  if (asked("faults")) list_faults(style);
  return exit_code::met;
}

}  // namespace lockproof::cli
