// SPDX-License-Identifier: Apache-2.0
// What a soak found, with the smallest cause of each violation, tried in both worlds.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "execution/soak.hpp"
#include "harness/report/soaked.hpp"
#include "search/minimize/minimize.hpp"

namespace lockproof::execution {

struct SoakReportOrder {
  const harness::Scenario& scenario;  // as written
  std::string budget;                 // its file, or "[explore]"
  std::string reproduce;
  std::string out;  // the folder for scenarios; empty: none are wanted
  std::function<void(const std::string& path, const harness::Scenario& scenario)> write;  // … into it
  /// How the smallest cause of a property's violation is looked for, from now on; nothing: there is no time left for
  /// it.
  std::function<std::optional<sim::MinimizeOrder>(const std::string& property)> begin_minimizing;
};

/// A run that violates several properties is made small for the first of them only.
[[nodiscard]] harness::SoakedReport soak_report(const SoakOrder& order, const SoakResult& found,
                                                const SoakReportOrder& about);

}  // namespace lockproof::execution
