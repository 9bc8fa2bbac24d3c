// SPDX-License-Identifier: Apache-2.0
// KeyWatch: a look at one server's keys between two commands: what has happened to them since the last look, in order,
// and how long the lock's key still lives. A look may make the server notice that a key has expired, as any client's
// command may.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/pinned_object.hpp"
#include "harness/history/event.hpp"

namespace lockproof::real {

class KeyWatch : public PinnedObject {
 public:
  struct Look {
    std::vector<harness::Effect> effects;  // since the last look
    bool there = false;                    // the lock's key
    std::optional<milliseconds> ttl;       // of that key; nothing: it has no end, or is not there
  };
  virtual ~KeyWatch() = default;
  /// `port`: the server's side of the connection whose command it has answered since the last look; 0: of none, or it
  /// is not known. Nothing: the server does not answer now.
  [[nodiscard]] virtual std::optional<Look> look(const std::string& key, int port) = 0;
  /// Whether what this connection has asked waits in the server for another connection, or for a time.
  [[nodiscard]] virtual bool waits(int /*port*/) { return false; }
  /// Whether a program that has locked anything has been seen to: else it may have locked what is not looked at.
  [[nodiscard]] virtual bool sees_all() const { return true; }
};

}  // namespace lockproof::real
