// SPDX-License-Identifier: Apache-2.0
// Spot: where a fault strikes, as far as causes are told apart by it: how far its host has come with the lock, and at
// which command. A pause of the holder is another cause than one of a client that waits.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/scenario/fault.hpp"

namespace lockproof::harness {

/// How far a host has come with the lock.
enum class Stage : std::uint8_t {
  any,      // the fault lies on no event
  asking,   // a client that has not been granted the lock, whatever the server has done already
  holding,  // … has been granted it, and its work is not over
  leaving,  // … releases it, or has released it
  serving,  // a server
};

struct Spot {
  Stage stage = Stage::any;
  std::string verb;  // of the command, or what the client is about to do; empty: it makes no difference
  auto operator<=>(const Spot&) const = default;
};

/// Whoever holds the lock is struck alike at each event of its work, unless the fault lies on one message.
[[nodiscard]] Spot spot_of(FaultKind kind, Stage stage, std::string_view verb);

/// "while it asks for the lock, at WATCH"; empty: it is not said.
[[nodiscard]] std::string spot_text(const Spot& spot);

}  // namespace lockproof::harness
