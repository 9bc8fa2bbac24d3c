// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real/network/framing.hpp"

namespace lockproof::real {

/// Redis's protocol, RESP2; of RESP3, where messages end and which answer no request.
class RespFraming final : public Framing {
 public:
  /// Commands without words have no answer: they are part of the next one.
  [[nodiscard]] std::size_t size(std::string_view bytes) const override;
  [[nodiscard]] std::size_t reply_size(std::string_view bytes, const Command* to) const override;
  /// A whole reply; one that only RESP3 has is a status of its first characters.
  [[nodiscard]] Reply reply(std::string_view bytes) const;
  /// The command without the name of its script.
  [[nodiscard]] Command request(std::string_view bytes) const override;
  [[nodiscard]] bool is_news(std::string_view bytes) const override { return bytes.starts_with('>'); }
  /// Names a script by its file.
  [[nodiscard]] std::string name_of(const Command& command) const override;
};

}  // namespace lockproof::real
