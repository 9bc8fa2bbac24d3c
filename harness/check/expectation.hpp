// SPDX-License-Identifier: Apache-2.0
// Expectation: compares what was found with what the scenario's [expect] says, and makes the exit code of it.
#pragma once

#include <string>
#include <vector>

#include "harness/check/properties.hpp"

namespace lockproof::check {

enum class Agreement : std::uint8_t {
  yes,
  no,
  unknown,   // not decided; also if `holds` was expected and a run found nothing, which does not show that it holds
  unstated,  // no expectation was stated, so nothing is compared
};
[[nodiscard]] std::string_view name(Agreement met);

struct ComparedFinding {
  Finding finding;
  std::string expected;  // empty where it is unstated
  Agreement met = Agreement::yes;
  bool excused = false;  // a violation of a real run for which the machine's lateness may be the reason
};

/// What a scenario expects in one world. Without [expect], it expects that all properties hold; of runs of a program
/// only that none is violated. Nothing: its [expect] leaves this world out.
[[nodiscard]] std::optional<harness::Expectations> expected_of(
    const harness::Scenario& scenario, std::optional<harness::Expectations> harness::Expect::*world);

/// Compares nothing if nothing is expected. A property that a table leaves out is expected not to be found broken.
[[nodiscard]] std::vector<ComparedFinding> compare(std::vector<Finding> findings,
                                                   const std::optional<harness::Expectations>& expected);
/// The worst of the results; `unstated` only if all are.
[[nodiscard]] Agreement overall(const std::vector<ComparedFinding>& compared);

namespace exit_code {
inline constexpr int met = 0;
inline constexpr int failed = 1;
inline constexpr int unknown = 2;
inline constexpr int not_deterministic = 3;
inline constexpr int not_violated = 4;
inline constexpr int changed = 5;
inline constexpr int usage = 64;
inline constexpr int bad_data = 65;
inline constexpr int environment = 69;
inline constexpr int internal = 70;
}  // namespace exit_code
[[nodiscard]] int exit_code_of(Agreement met);

}  // namespace lockproof::check
