// SPDX-License-Identifier: Apache-2.0
// KeyWatch: a look at one server's keys between two commands: what has happened to them since the last look, in order,
// and how long the lock's key still lives. A look may make the server notice that a key has expired, as any client's
// command may.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/pinned.hpp"
#include "harness/history/event.hpp"

namespace lockproof::real {

class KeyWatch : public Pinned {
 public:
  struct Look {
    std::vector<harness::Effect> effects;  // since the last look
    bool there = false;                    // the lock's key
    std::optional<milliseconds> ttl;       // of that key; nothing: it has no end, or is not there
  };
  virtual ~KeyWatch() = default;
  /// Nothing: the server does not answer now.
  [[nodiscard]] virtual std::optional<Look> look(const std::string& key) = 0;
};

}  // namespace lockproof::real
