// SPDX-License-Identifier: Apache-2.0
// Subject: the scenario that a report is about, as every report says it.
#pragma once

#include <optional>
#include <string>

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

struct Subject {
  std::string scenario;  // its name
  std::string file;      // as the command line says it
  std::string title;
  std::string algorithm;
  std::optional<CaseReference> documented;

  void describe(const Scenario& of) {
    scenario = of.name;
    file = of.called;
    title = of.title;
    algorithm = of.algorithm->name;
    documented = of.documented;
  }
};

}  // namespace lockproof::harness
