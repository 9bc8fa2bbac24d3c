// SPDX-License-Identifier: Apache-2.0
// CaseReference: which failures that were published, and which claims of the notes, a scenario is about; [case] of a
// file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockproof::harness {

/// Where somebody published a failure: an issue or pull request of a repository, or a page.
struct Publication {
  std::string repo;  // "redis/redis-py"
  std::optional<std::int64_t> issue;
  std::string url;
  std::string note;
  bool operator==(const Publication&) const = default;
};

/// What a search is given that is to find the failure: no fault of the scenario, but a choice of kinds.
struct FaultBudget {
  std::string name;  // a file of budgets/, without its ending
  int faults = 1;    // at most so many in one run
  bool operator==(const FaultBudget&) const = default;
};

struct CaseReference {
  enum class Role : std::uint8_t {
    shows,      // the failure happens
    fix,        // the same with what prevents it
    fix_fails,  // the same with what is said to prevent it, and does not
    twin,       // the same without its cause
  };
  std::vector<std::string> cases;  // ids of scenarios/cases.toml, or a user's own
  Role role = Role::shows;
  std::vector<std::string> claims;  // of the notes, that this run decides: "S36"
  std::vector<Publication> sources;
  std::optional<FaultBudget> search;
  bool operator==(const CaseReference&) const = default;
};

}  // namespace lockproof::harness
