// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/check/properties.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {
namespace {

const char* text(Claim claim) {
  switch (claim) {
    case Claim::never: return "not claimed";
    case Claim::always: return "claimed";
    case Claim::without_faults: return "claimed while clocks keep time and nobody is paused";
  }
  return "?";
}

void list_algorithms(const harness::Style& style) {
  fmt::print("{}\n", style.strong("algorithms"));
  for (const Algorithm& a : catalogue()) {
    fmt::print("  {}: {}\n      source: {}\n      broken by: {}\n", style.strong(a.name), a.summary, a.source,
               a.broken_by);
    fmt::print("      never two entitled at once: {}\n", text(a.claims.double_grant));
    fmt::print("      nobody inside past its deadline when the next one enters: {}\n", text(a.claims.outlived));
    fmt::print("      nobody releases another's lock: {}\n", text(a.claims.owner_release));
    fmt::print("      a crashed holder's lock frees itself: {}\n", text(a.claims.bounded_takeover));
    fmt::print("      lease {}, in whole {}\n", harness::to_text(Duration(a.lease)),
               harness::to_text(a.lease_unit).substr(1));
    for (const Parameter& p : a.parameters) {
      fmt::print("      {} = \"{}\": {}\n", p.name, harness::to_text(p.standard), p.meaning);
    }
  }
}

void list_properties(const harness::Style& style) {
  fmt::print("{}\n", style.strong("properties"));
  for (const check::Property& p : check::properties()) fmt::print("  {:<18}  broken when {}\n", p.name, p.broken_when);
}

void list_faults(const harness::Style& style) {
  constexpr std::pair<harness::FaultKind, const char*> faults[] = {
      {harness::FaultKind::pause, "a host stands still `for` some time: its processes, their timers and watchdogs"},
      {harness::FaultKind::crash, "a client's process is gone; what it had sent still arrives"},
      {harness::FaultKind::drop, "a connection dies silently at a message: it and all later ones that way are lost"},
      {harness::FaultKind::clock_jump, "a host's wall clock jumps `by` some time, and no other clock"},
  };
  fmt::print("{}\n", style.strong("faults"));
  for (const auto& [kind, meaning] : faults) fmt::print("  {:<10}  {}\n", harness::name(kind), meaning);
}

}  // namespace

int list_command(const Arguments& arguments) {
  const harness::Style style = style_of_stdout();
  const auto asked = [&](const char* what) { return arguments.paths.empty() || arguments.paths.front() == what; };
  if (asked("algorithms")) list_algorithms(style);
  if (asked("properties")) list_properties(style);
  if (asked("faults")) list_faults(style);
  return 0;
}

}  // namespace lockproof::cli
