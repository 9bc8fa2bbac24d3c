// SPDX-License-Identifier: Apache-2.0
// StateEncoder: a world's state as bytes, free of absolute time, offsets and global names: two worlds with equal bytes
// have the same future. Instants become the time from now, tokens t1, t2, … in order of first sight, message numbers
// the distance from the last one sent. Exact: different bytes mean that something differs, though perhaps nothing that
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

/// The name of a token, for a search that reuses names: "c2.7", the seventh of the second client, is 1 * token_names +
/// 6.
using TokenName = std::uint8_t;
inline constexpr int token_names = 8, token_clients = 8;
[[nodiscard]] constexpr TokenName token_name(int client, int n) {
  return static_cast<TokenName>(client * token_names + n - 1);
}
[[nodiscard]] constexpr std::uint64_t bit_of(TokenName name) { return std::uint64_t{1} << name; }
[[nodiscard]] inline std::uint64_t bits_of(const std::vector<TokenName>& names) {
  std::uint64_t bits = 0;
  for (const TokenName name : names) bits |= bit_of(name);
  return bits;
}
[[nodiscard]] std::string to_text(TokenName name);
/// The tokens in a value.
[[nodiscard]] std::vector<TokenName> tokens_in(std::string_view bytes);
/// Replaces each token by another one.
[[nodiscard]] std::string with_names(std::string_view bytes, const std::function<TokenName(TokenName)>& rename);
/// Names the tokens in the order of first sight: values that differ only in names become equal.
[[nodiscard]] std::string with_plain_names(std::string_view bytes);

class StateEncoder {
 public:
  /// `tokens`: all tokens drawn so far.
  explicit StateEncoder(const std::vector<std::string>& tokens) : drawn_(&tokens) {}
  /// Tokens keep their names: for parts of a world, whose tokens occur in other parts as well.
  StateEncoder() = default;

  void number(std::int64_t n);
  void text(std::string_view text);
  /// A token or a stamp; the stamp is written relative to this wall clock.
  void value(const Value& value, std::int64_t wall_ms);
  void command(const Command& command, std::int64_t wall_ms);
  void reply(const Reply& reply, std::int64_t wall_ms);
  void result(const Result<Reply>& result, std::int64_t wall_ms);
  void duration(std::optional<Duration> d) { number(d ? d->count() * 2 : 1); }
  /// `i` relative to what its host's clocks show now. An instant far beyond any run counts as never.
  void instant(std::optional<Mono> i, const harness::Readings& now);
  void deadline(const Deadline& deadline, const harness::Readings& now);
  void grant(const Grant& grant, const harness::Readings& now);
  /// The part of a client's life that its phase still depends on.
  void life(const harness::Life& life, const harness::Readings& now);
  void others(const harness::Life& life, const harness::Readings& now);
  void lock(const State& state, const harness::Readings& now);
  /// The readings, draws and replies that a step has had.
  void input(const harness::Event& event, const harness::Readings& now);

  /// The tokens that were written, if they keep their names: each once, in the order of first sight.
  [[nodiscard]] const std::vector<TokenName>& names() const { return names_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  const std::vector<std::string>* drawn_ = nullptr;
  std::vector<std::string_view> seen_;  // tokens in order of first sight
  std::vector<TokenName> names_;
  std::string bytes_;
};

}  // namespace lockproof::sim
