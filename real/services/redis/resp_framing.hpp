// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real/network/framing.hpp"

namespace lockproof::real {

/// Redis's protocol, RESP2.
class RespFraming final : public Framing {
 public:
  [[nodiscard]] std::size_t size(std::string_view bytes) const override;
  /// The command without the name of its script.
  [[nodiscard]] Command request(std::string_view bytes) const override;
  /// Names a script by its file.
  [[nodiscard]] std::string name_of(const Command& command) const override;
};

}  // namespace lockproof::real
