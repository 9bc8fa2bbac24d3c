// SPDX-License-Identifier: Apache-2.0
// Moments: where a client stands between two things that it does in one step, since a fault is placed there.
#pragma once

#include <cstdint>
#include <string_view>

#include "algorithms/port/pinned_object.hpp"
#include "algorithms/port/task.hpp"
#include "harness/scenario/fault.hpp"

namespace lockproof::harness {

enum class Act : std::uint8_t { enter, exit, touch };
/// The act's name in an EventPlace; a touch has a moment of its own.
[[nodiscard]] constexpr std::string_view name(Act act) {
  return act == Act::enter ? "enter" : act == Act::exit ? "exit" : "";
}
[[nodiscard]] constexpr EventPlace::Moment moment_of(Act act) {
  return act == Act::touch ? EventPlace::Moment::touches : EventPlace::Moment::before;
}

class Moments : public PinnedObject {
 public:
  /// Whether a fault of the scenario is placed before the client's next act of this kind, or may be. `own_event`: a
  /// pause here has another effect than one at the client's event before this one.
  [[nodiscard]] virtual bool awaited(Act act, bool own_event) const = 0;
  /// Ends when the fault has struck and the client goes on.
  [[nodiscard]] virtual Task<void> come(Act act) = 0;

 protected:
  ~Moments() = default;
};

}  // namespace lockproof::harness
