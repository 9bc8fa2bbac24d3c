// SPDX-License-Identifier: Apache-2.0
// LineCodec: the protocol between clients and what the lock protects. A request is a line of words with a space between
// them: "WRITE 7 33". A reply is a line as well: ":8" for a number, "-FENCED …" for an error. Bytes of a word that are
// not printable, spaces and % are written as %XX.
#pragma once

#include "real/network/framing.hpp"

namespace lockproof::real {

class LineCodec final : public Codec {
 public:
  [[nodiscard]] std::size_t size(std::string_view bytes) const override;
  [[nodiscard]] Command request(std::string_view bytes) const override;
  [[nodiscard]] std::string encode(const Command& command) const override;
  [[nodiscard]] Reply reply(const Command& to, std::string_view bytes) const override;
  /// The reply as it is sent: a number or an error.
  [[nodiscard]] static std::string encode(const Reply& reply);
};

}  // namespace lockproof::real
