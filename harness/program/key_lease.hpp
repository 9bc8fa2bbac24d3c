// SPDX-License-Identifier: Apache-2.0
// KeyLease: until when a client may count on its lock, if the program does not say it: by what the client's own
// commands did to the lock's key, counted from when each of them was sent. One rule for both worlds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "algorithms/port/instant.hpp"
#include "harness/history/event.hpp"

namespace lockproof::harness {

/// What one command has done to the lock's key on one server.
struct KeyChange {
  bool takes = false;     // it made or changed it
  bool sets_end = false;  // … and when it ends: after `ttl`, or never
  bool removes = false;
  std::optional<milliseconds> ttl{};
  bool operator==(const KeyChange&) const = default;
  /// All but `ttl`, below 16.
  [[nodiscard]] int flags() const { return takes + 2 * sets_end + 4 * removes + 8 * ttl.has_value(); }
};
/// Nothing: the command has not changed that key.
[[nodiscard]] std::optional<KeyChange> change_of_key(const std::vector<Effect>& effects, std::string_view key);

class KeyLease {
 public:
  /// The client is another one from now on.
  void forget() { places_.clear(); }
  /// A command that the client has sent then has done this. `server`: any number that tells servers apart.
  void apply(int server, const KeyChange& change, Duration sent);
  /// Until when the client may count on it, by the clock of `sent`: on a majority of so many servers its commands have
  /// given it the key for so long. Nothing: without an end. Where they have not given it the key, the program's word is
  /// all that there is, and has no end either.
  [[nodiscard]] std::optional<Duration> until(std::size_t servers) const;
  /// All that decides what it will answer.
  [[nodiscard]] std::vector<std::int64_t> numbers() const;

 private:
  std::map<int, std::optional<Duration>> places_;  // where it has the key, and until when
};

}  // namespace lockproof::harness
