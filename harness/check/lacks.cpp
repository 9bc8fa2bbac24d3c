// SPDX-License-Identifier: Apache-2.0
#include "harness/check/lacks.hpp"

#include "harness/program/program_effort.hpp"
#include "harness/program/virtual_program.hpp"

namespace lockproof::check {

std::string lacks_of(const harness::Scenario& scenario) {
  if (!scenario.program || !scenario.program->in_virtual_time.programs) return "";
  std::string text;
  for (const harness::Remark& remark : scenario.program->in_virtual_time.programs->executed().noticed) {
    if (remark.kind == harness::Remark::Kind::lack) text += (text.empty() ? "the program " : "; it ") + remark.words;
  }
  return text;
}

}  // namespace lockproof::check
