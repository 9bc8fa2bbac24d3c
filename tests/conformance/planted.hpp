// SPDX-License-Identifier: Apache-2.0
// The tests that every service's wrong rules get: each is noticed, and has a name of its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lockproof::conformance {

template <class Mutants>
void expect_names_of_their_own(const Mutants& mutants) {
  std::set<std::string_view> names;
  for (const auto& mutant : mutants) EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
}

template <class Mutants>
[[nodiscard]] auto each_of(const Mutants& mutants) {
  std::vector<decltype(&*mutants.begin())> list;
  for (const auto& mutant : mutants) list.push_back(&mutant);
  return list;
}

/// A test's name may have no dashes.
constexpr auto by_its_name = [](const auto& tested) {
  std::string name(tested.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
};

}  // namespace lockproof::conformance
