// SPDX-License-Identifier: Apache-2.0
// FileLine: the line of a scenario's file that a verdict is about: where its [expect] says what was expected.
#pragma once

#include <string>

namespace lockproof::harness {

struct FileLine {
  std::string file;
  int line = 1;
};

/// A scenario, and where it is written: a twin that its scenario derives stands in the scenario's file.
struct ScenarioSource {
  std::string file;
  std::string text;  // the TOML
  bool derived = false;
};

/// `world`: simulated, real, explored or endless. The most special entry that says something of this property there;
/// else the head of the file.
[[nodiscard]] FileLine place_of(const ScenarioSource& written, const std::string& world, const std::string& property);
/// What a message says of where something is wrong, as "FILE:LINE: …" does.
[[nodiscard]] FileLine place_in(const std::string& message, const std::string& file);

}  // namespace lockproof::harness
