// SPDX-License-Identifier: Apache-2.0
// Casebook: each documented failure and each claim with the scenarios that are about it, and what is lacking. Nothing
// is counted that no scenario shows: a case is shown when one breaks something, its twin is there, and so is its fix.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/file/cases_file.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

struct CaseEntry {
  const DocumentedCase* of = nullptr;
  std::vector<const Scenario*> shows, twins, fixes, failing_fixes;
  std::string lacks;  // what keeps it from being accounted for; empty: nothing
  [[nodiscard]] bool shown() const { return !shows.empty(); }
};

struct ClaimEntry {
  const NotesClaim* of = nullptr;
  std::vector<const Scenario*> decided_by;
  std::string lacks;
  [[nodiscard]] bool shown() const { return !decided_by.empty(); }
};

struct Casebook {
  std::vector<CaseEntry> cases;
  std::vector<ClaimEntry> claims;
  std::vector<std::string> unknown;  // scenarios that name what is not in the list, as sentences
  [[nodiscard]] bool complete() const;
};

/// The list and the scenarios must outlive it.
[[nodiscard]] Casebook casebook(const CaseList& list, const std::vector<Scenario>& scenarios);

/// Its cases that mention the word, whatever its letters' case: in what is said of them, where they were published, or
/// in a scenario's name, lock, service or faults.
[[nodiscard]] std::vector<CaseEntry> cases_about(const Casebook& book, std::string_view word);

[[nodiscard]] std::string role_name(CaseReference::Role role);
/// How many entries are shown, are said to be missing, and are neither.
struct CaseCounts {
  template <class Entry>
  explicit CaseCounts(const std::vector<Entry>& entries) : all(entries.size()) {
    for (const Entry& entry : entries) ++(!entry.lacks.empty() ? incomplete : entry.shown() ? shown : missing);
  }
  std::size_t all = 0, shown = 0, missing = 0, incomplete = 0;
};
/// "shown", "missing" or "incomplete".
template <class Entry>
[[nodiscard]] const char* state_of(const Entry& entry) {
  return !entry.lacks.empty() ? "incomplete" : entry.shown() ? "shown" : "missing";
}

/// JSON documents; files are named below the folder.
[[nodiscard]] std::string cases_json(const Casebook& book, const std::string& folder);
[[nodiscard]] std::string claims_json(const Casebook& book, const std::string& folder);
[[nodiscard]] std::string scenarios_json(const std::vector<Scenario>& scenarios, const std::string& folder);
/// "documented/leases/x.toml".
[[nodiscard]] std::string name_below(const std::string& folder, const std::string& file);

/// "redis/redis-py #554 (power loss)".
[[nodiscard]] std::string to_text(const Publication& source);
/// Of the case itself, and of the scenarios that show it; each once.
[[nodiscard]] std::vector<Publication> sources_of(const CaseEntry& entry);
/// Where it can be read; empty: nowhere else.
[[nodiscard]] std::string address(const Publication& source);

}  // namespace lockproof::harness
