// SPDX-License-Identifier: Apache-2.0
// The tests that every service's wrong rules get: each is noticed, and has a name of its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/core/mutant_names.hpp"
#include "conformance/core/report.hpp"

namespace lockproof::conformance {

/// For the names of tests.
inline void PrintTo(const MutantName& mutant, std::ostream* out) { *out << mutant.name; }

inline void expect_names_of_their_own(const std::vector<MutantName>& mutants) {
  std::set<std::string_view> names;
  for (const MutantName& mutant : mutants) EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
}

inline void expect_no_difference(const Report& report) {
  if (report.difference) ADD_FAILURE() << text_of(*report.difference);
}

/// `table`: by its heading.
inline void expect_rows(const Report& report, const char* table, const std::vector<std::string>& rows) {
  for (const std::string& row : rows) EXPECT_GT(report.count_of(table, row), 0u) << row;
}

/// At most so many steps show it.
inline void expect_small_difference(const Report& report, std::size_t steps) {
  ASSERT_TRUE(report.difference);
  EXPECT_LE(report.difference->steps, steps) << text_of(*report.difference);
}

/// A test's name may have no dashes.
constexpr auto by_its_name = [](const auto& tested) {
  std::string name(tested.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
};

}  // namespace lockproof::conformance
