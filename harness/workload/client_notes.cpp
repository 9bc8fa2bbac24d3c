// SPDX-License-Identifier: Apache-2.0
// The part of Client for what it notes in its journal.
#include <utility>

#include "harness/workload/client.hpp"

namespace lockproof::harness {
namespace {

const char* word(Released r) {
  switch (r) {
    case Released::yes: return "yes";
    case Released::not_ours: return "not-ours";
    case Released::skipped: return "skipped";
  }
  return "";
}

}  // namespace

std::optional<Left> Client::left(const Deadline& deadline) const {
  const auto until = [](auto then, auto now) { return Duration(InstantAccess::us(then) - InstantAccess::us(now)); };
  if (const Wall* wall = std::get_if<Wall>(&deadline)) return Left{until(*wall, clock_.wall()), "wall"};
  if (const Mono* mono = std::get_if<Mono>(&deadline)) return Left{until(*mono, clock_.mono()), "mono"};
  if (const Boot* boot = std::get_if<Boot>(&deadline)) return Left{until(*boot, clock_.boot()), "boot"};
  return std::nullopt;
}

void Client::note_granted(const Grant& grant, std::optional<Left> left) {
  Event event{.what = What::granted};
  event.token = grant.token;
  event.fence = grant.fence;
  event.left = std::move(left);
  if (life_.depth > 1) event.value = life_.depth;
  note(std::move(event));
}

void Client::note_released(const Result<Released>& released) {
  Event event{.what = What::released};
  if (released) event.word = word(*released);
  if (!released) event.error = released.error();
  if (life_.depth > 0) event.value = life_.depth;
  note(std::move(event));
}

}  // namespace lockproof::harness
