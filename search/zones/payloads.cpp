// SPDX-License-Identifier: Apache-2.0
#include "search/zones/payloads.hpp"

#include "sim/world/state_encoder.hpp"

namespace lockproof::zones {

Id Payloads::add(const Command& command) {
  sim::StateEncoder encoder;
  encoder.command(command, 0);
  const std::uint64_t tokens = sim::bits_of(encoder.names());
  const auto [id, is_new] = command_bytes_.add(encoder.take());
  if (is_new) commands_.push_back({command, tokens});
  return id;
}

Id Payloads::add(const Reply& reply) {
  sim::StateEncoder encoder;
  encoder.reply(reply, 0);
  const std::uint64_t tokens = sim::bits_of(encoder.names());
  const auto [id, is_new] = reply_bytes_.add(encoder.take());
  if (is_new) replies_.push_back({reply, tokens});
  return id;
}

}  // namespace lockproof::zones
