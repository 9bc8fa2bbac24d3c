// SPDX-License-Identifier: Apache-2.0
// JuteReader and JuteWriter: ZooKeeper's encoding of numbers, texts and lists, which its protocol and its transaction
// log share: big-endian, and a length before whatever has one. A reader of bytes that end too soon, or that announce
// more than there is, reads zeros and empty texts from there on, and says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockproof::real {

class JuteReader {
 public:
  explicit JuteReader(std::string_view bytes) : rest_(bytes) {}

  std::int32_t number() { return static_cast<std::int32_t>(unsigned_number(4)); }
  std::int64_t long_number() { return static_cast<std::int64_t>(unsigned_number(8)); }
  bool truth() { return unsigned_number(1) != 0; }
  /// A text or bytes. A length below zero stands for none, which is read as empty.
  std::string text() {
    const std::int32_t length = number();
    return length < 0 ? std::string() : std::string(take(static_cast<std::size_t>(length)));
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (std::int32_t left = number(); left > 0 && complete_; --left) all.push_back(text());
    if (!complete_) all.clear();
    return all;
  }
  /// Whether all that was read so far was there.
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  std::uint64_t unsigned_number(std::size_t bytes) {
    std::uint64_t n = 0;
    for (const char c : take(bytes)) n = n << 8 | static_cast<unsigned char>(c);
    return n;
  }
  std::string_view take(std::size_t count) {
    complete_ = complete_ && count <= rest_.size();
    if (!complete_) return {};
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
  bool complete_ = true;
};

class JuteWriter {
 public:
  JuteWriter& number(std::int32_t n) { return unsigned_number(static_cast<std::uint32_t>(n), 4); }
  JuteWriter& long_number(std::int64_t n) { return unsigned_number(static_cast<std::uint64_t>(n), 8); }
  JuteWriter& truth(bool yes) { return unsigned_number(yes ? 1 : 0, 1); }
  JuteWriter& text(std::string_view bytes) {
    number(static_cast<std::int32_t>(bytes.size()));
    bytes_ += bytes;
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// A message: what was written, with its length before it.
  [[nodiscard]] std::string message() const { return JuteWriter().text(bytes_).bytes(); }

 private:
  JuteWriter& unsigned_number(std::uint64_t n, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) bytes_ += static_cast<char>(n >> shift & 0xff);
    return *this;
  }
  std::string bytes_;
};

}  // namespace lockproof::real
