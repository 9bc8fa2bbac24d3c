// SPDX-License-Identifier: Apache-2.0
// Identity: a world's state as bytes, free of absolute time, offsets and global names: two worlds with equal bytes have
// the same future. Instants become the time from now, tokens t1, t2, … in order of first sight, message numbers the
// distance from the last one sent. Exact: different bytes mean that something differs, though perhaps nothing that
// matters.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/instant.hpp"
#include "algorithms/port/lock.hpp"
#include "harness/history/event.hpp"
#include "harness/workload/life.hpp"

namespace lockproof::sim {

/// The names of tokens ("c2.7": of client 2 the seventh) that stand in a value, a bit each.
inline constexpr int token_names = 16, token_clients = 4;
[[nodiscard]] std::uint64_t token_bits(std::string_view bytes);
/// With each name of a token given to `client(its own)` instead, a client from 0 to 8.
[[nodiscard]] std::string with_owners(std::string_view bytes, const std::function<int(int client)>& client);
[[nodiscard]] constexpr std::uint64_t token_bit(int client, int n) {
  return std::uint64_t{1} << (client * token_names + n - 1);
}

class Identity {
 public:
  /// `tokens`: all that were drawn so far.
  explicit Identity(const std::vector<std::string>& tokens) : drawn_(&tokens) {}
  /// Tokens keep their names: for parts of a world, whose names others use as well.
  Identity() = default;

  void number(std::int64_t n);
  void text(std::string_view text);
  /// Token or stamp; a stamp relative to this wall clock.
  void value(const Value& value, std::int64_t wall_ms);
  void command(const Command& command, std::int64_t wall_ms);
  void reply(const Reply& reply, std::int64_t wall_ms);
  void result(const Result<Reply>& result, std::int64_t wall_ms);
  void duration(std::optional<Duration> d) { number(d ? d->count() * 2 : 1); }
  /// `i` relative to what its host's clocks show now. Far beyond any run counts as never.
  void instant(std::optional<Mono> i, const harness::Readings& now);
  void deadline(const Deadline& deadline, const harness::Readings& now);
  void grant(const Grant& grant, const harness::Readings& now);
  /// What of a life its phase still looks at.
  void life(const harness::Life& life, const harness::Readings& now);
  void lock(const State& state, const harness::Readings& now);
  /// What a step has read, drawn and been answered.
  void input(const harness::Event& event, const harness::Readings& now);

  /// Names of tokens that were written, given that they keep them.
  [[nodiscard]] std::uint64_t names() const { return names_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  const std::vector<std::string>* drawn_ = nullptr;
  std::vector<std::string_view> seen_;  // tokens in order of first sight
  std::uint64_t names_ = 0;
  std::string bytes_;
};

}  // namespace lockproof::sim
