// SPDX-License-Identifier: Apache-2.0
// Promise: until when, by its own clock, a client may believe that the lock is its own; see "entitled" in
// docs/semantics/properties.md. Entrance: what it means that a client enters while others are inside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "algorithms/port/caller.hpp"
#include "harness/check/host_clocks.hpp"

namespace lockproof::check {

/// What it means that a client enters while another one is inside: `double-grant` if both are entitled at that instant,
/// else `outlived`.
[[nodiscard]] constexpr const char* kind_of_overlap(bool both_are_entitled) {
  return both_are_entitled ? "double-grant" : "outlived";
}

struct Promise {
  std::optional<std::int64_t> deadline;  // by `clock`, in microseconds; nothing: until it is notified of a loss
  std::string clock;
  bool notified_of_loss = false;

  /// Moves the deadline, if there is one, at the client's `granted` and `renewed` events.
  void renew(const harness::Event& event, const HostClocks& clocks) {
    if (!event.left) return;
    clock = event.left->clock;
    deadline = clocks.shown(event.host, clock, event.at) + event.left->time.count();
  }
  [[nodiscard]] bool good(harness::HostIndex client, Duration at, const HostClocks& clocks) const {
    return !notified_of_loss && (!deadline || clocks.shown(client, clock, at) < *deadline);
  }
};

/// The clients that are inside one lock at once. A lock has so many permits, mostly one; shared clients, its readers,
/// may be inside together, but none beside an exclusive one.
class Crowd {
 public:
  void add(Mode mode) { ++(mode == Mode::shared ? shared_ : exclusive_); }
  [[nodiscard]] bool fits(int permits) const { return exclusive_ == 0 || shared_ + exclusive_ <= permits; }

 private:
  int shared_ = 0, exclusive_ = 0;
};

/// A client that enters, and what the others that are inside then make of it.
class Entrance {
 public:
  /// `entitled`: by the client's own clock.
  Entrance(int permits, Mode mode, bool entitled) : permits_(permits), entitled_(entitled) {
    all_.add(mode);
    entitled_ones_.add(mode);
  }
  /// Call for each other client that is inside.
  void meet(Mode mode, bool entitled) {
    all_.add(mode);
    if (entitled) entitled_ones_.add(mode);
  }
  /// Empty: the lock has room for all.
  [[nodiscard]] std::string_view kind() const {
    if (all_.fits(permits_)) return "";
    return kind_of_overlap(entitled_ && !entitled_ones_.fits(permits_));
  }

 private:
  const int permits_;
  const bool entitled_;
  Crowd all_{}, entitled_ones_{};
};

}  // namespace lockproof::check
