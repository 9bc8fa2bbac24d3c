// SPDX-License-Identifier: Apache-2.0
// Programs that are run with a clock of lockproof's, outside a run.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "real/program/program_clock.hpp"

namespace lockproof::tests::clocked {

/// What a shell prints for these words with that clock.
inline std::string printed(const real::ProgramClock& clock, const std::string& words) {
  std::string line = "env";
  for (const std::string& variable : clock.variables()) line += " '" + variable + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen((line + " " + words).c_str(), "r"), &::pclose);
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe.get())) != EOF;) text += static_cast<char>(c);
  return text;
}

}  // namespace lockproof::tests::clocked
