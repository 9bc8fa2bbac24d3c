// SPDX-License-Identifier: Apache-2.0
// Mutants by their names: every service has a list of wrong rules, which all have a `name` and a `rule`.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lockproof::conformance {

struct MutantName {
  std::string_view name;
  std::string_view rule;  // the rule that it breaks
};

template <class Mutant>
[[nodiscard]] std::vector<MutantName> names_of(std::span<const Mutant> mutants) {
  std::vector<MutantName> names;
  for (const Mutant& mutant : mutants) names.push_back({mutant.name, mutant.rule});
  return names;
}

/// Null for no name. Throws std::invalid_argument for a name that no mutant has.
template <class Mutant>
[[nodiscard]] const Mutant* mutant_named(std::span<const Mutant> mutants, std::string_view name) {
  if (name.empty()) return nullptr;
  const auto found = std::ranges::find(mutants, name, &Mutant::name);
  if (found == mutants.end()) throw std::invalid_argument("no mutant of this service is called " + std::string(name));
  return &*found;
}

}  // namespace lockproof::conformance
