// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real/network/framing.hpp"

namespace lockproof::real {

/// memcached's text protocol, as far as the verbs of sim/services/memcached need it. A value follows its command on a
/// line of its own, and the command says how long it is.
class TextCodec final : public Codec {
 public:
  [[nodiscard]] std::size_t size(std::string_view bytes) const override;
  [[nodiscard]] Command request(std::string_view bytes) const override;
  [[nodiscard]] std::string encode(const Command& command) const override;
  [[nodiscard]] Reply reply(const Command& to, std::string_view bytes) const override;
};

}  // namespace lockproof::real
