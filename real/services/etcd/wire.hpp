// SPDX-License-Identifier: Apache-2.0
// etcd's JSON gateway, as far as the requests of algorithms/etcd need it. Keys are in base64, numbers are texts, and
// what is zero, false or empty is left out. A watch is an answer that has no end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "real/network/framing.hpp"

namespace lockproof::real {

class EtcdCodec final : public Codec {
 public:
  [[nodiscard]] std::size_t size(std::string_view bytes) const override;
  /// The command's verb and the key or the lease that it names.
  [[nodiscard]] Command request(std::string_view bytes) const override;
  /// What a watch tells, behind the answer to it.
  [[nodiscard]] bool is_news(std::string_view bytes) const override;
  [[nodiscard]] std::string encode(const Command& command) const override;
  [[nodiscard]] Reply reply(const Command& to, std::string_view bytes) const override;
};

/// The server's revision when it answered; 0: the answer has none.
[[nodiscard]] std::int64_t revision_in(std::string_view answer);

/// A change of a key, as a watch tells it.
struct KeyChange {
  std::string key;
  bool deleted = false;
  std::int64_t revision = 0;
  std::int64_t lease = 0;  // of a key that was put
  bool operator==(const KeyChange&) const = default;
};
/// The changes that one message of a watch tells.
[[nodiscard]] std::vector<KeyChange> changes_in(std::string_view news);
/// Watches all keys from this revision on.
[[nodiscard]] std::string watch_of_all_keys(std::int64_t from);

}  // namespace lockproof::real
