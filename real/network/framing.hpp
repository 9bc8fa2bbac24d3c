// SPDX-License-Identifier: Apache-2.0
// Framing: how a service's protocol divides a stream of bytes into requests and replies. The proxy strikes whole
// messages, and so has to know where one ends; nothing else about a protocol matters to it.
#pragma once

#include <cstddef>
#include <string_view>

#include "algorithms/port/command.hpp"

namespace lockproof::real {

class Framing {
 public:
  virtual ~Framing() = default;
  /// Bytes of the first message in `bytes`, a request or a reply; 0 if it is not complete yet, or never will be.
  [[nodiscard]] virtual std::size_t size(std::string_view bytes) const = 0;
  /// What a whole request asks for, without the name of its script; a command without words if it is malformed.
  [[nodiscard]] virtual Command request(std::string_view bytes) const = 0;
};

}  // namespace lockproof::real
