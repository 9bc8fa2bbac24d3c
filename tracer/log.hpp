// SPDX-License-Identifier: Apache-2.0
// Log: everything that happened in a traced world, in order, and the digest by which two runs are compared.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace lockproof::tracer {

/// FNV-1a of 64 bits.
[[nodiscard]] std::uint64_t digest_of(std::string_view bytes);

class Log {
 public:
  /// A line of the log, without its end. It is in the digest.
  void add(std::string_view line);
  /// Numbers that are in the digest alone.
  void count(std::initializer_list<std::uint64_t> numbers);
  [[nodiscard]] std::string digest() const;
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void mix(std::string_view bytes);
  std::string text_;
  std::uint64_t digest_ = 14695981039346656037U;
};

}  // namespace lockproof::tracer
