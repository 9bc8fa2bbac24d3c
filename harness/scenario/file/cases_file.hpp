// SPDX-License-Identifier: Apache-2.0
// Reads cases.toml: the documented failures and the claims of the notes that the scenarios beside it are about.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/case_reference.hpp"

namespace lockproof::harness {

/// A failure that was documented somewhere.
struct DocumentedCase {
  std::string id, group, title;
  std::string happened;  // what happened to whom, and why
  std::string fix;       // what prevents it, and how far
  std::string no_fix;    // why no scenario has a fix
  std::string missing;   // why no scenario shows it
  std::vector<Publication> sources;
};

/// What one of the notes says that can be tested.
struct NotesClaim {
  std::string id, note;  // "000, 001"
  std::string says;
  std::string verdict;  // confirmed, confirmed in part, refuted, no claim
  std::string because;
  std::string settles;  // what another note says against it
  std::string missing;
};

struct CaseList {
  std::string file;
  std::vector<DocumentedCase> cases;
  std::vector<NotesClaim> claims;
};

/// Throws InputError.
[[nodiscard]] CaseList load_cases(const std::string& file);
/// What the file is called, in the folder of the scenarios.
inline constexpr std::string_view cases_file = "cases.toml";

}  // namespace lockproof::harness
