// SPDX-License-Identifier: Apache-2.0
#include "harness/program/lacks.hpp"

#include "harness/program/executed.hpp"
#include "harness/program/virtual_program.hpp"

namespace lockproof::harness {

std::string lacks_of(const Scenario& scenario) {
  if (!scenario.program || !scenario.program->in_virtual_time.programs) return "";
  std::string text;
  for (const Remark& remark : scenario.program->in_virtual_time.programs->executed().noticed) {
    if (remark.kind == Remark::Kind::lack) text += (text.empty() ? "the program " : "; it ") + remark.words;
  }
  return text;
}

}  // namespace lockproof::harness
