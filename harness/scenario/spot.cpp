// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/spot.hpp"

#include "harness/scenario/fault_table.hpp"

namespace lockproof::harness {

Spot spot_of(FaultKind kind, Stage stage, std::string_view verb) {
  if (verb == "enter") stage = Stage::holding;  // it has the lock in hand
  const bool alike = stage == Stage::holding && !row_of(kind).of_message;
  return {stage, alike ? std::string() : std::string(verb)};
}

std::string spot_text(const Spot& spot) {
  const std::string at = spot.verb.empty() ? "" : ", at " + spot.verb;
  switch (spot.stage) {
    case Stage::any: return "";
    case Stage::asking: return "before it is granted the lock" + at;
    case Stage::holding: return "while it has the lock" + at;
    case Stage::leaving: return "as it releases the lock, or later" + at;
    case Stage::serving: return spot.verb.empty() ? "" : "at " + spot.verb;
  }
  return "";
}

}  // namespace lockproof::harness
