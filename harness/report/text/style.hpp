// SPDX-License-Identifier: Apache-2.0
// Style: how text looks on a terminal, or that it is plain.
#pragma once

#include <string>
#include <string_view>

namespace lockproof::harness {

class Style {
 public:
  explicit Style(bool colours) : colours_(colours) {}
  [[nodiscard]] std::string bad(std::string_view text) const { return paint("1;31", text); }
  [[nodiscard]] std::string good(std::string_view text) const { return paint("32", text); }
  [[nodiscard]] std::string unsure(std::string_view text) const { return paint("33", text); }
  [[nodiscard]] std::string strong(std::string_view text) const { return paint("1", text); }
  [[nodiscard]] std::string faint(std::string_view text) const { return paint("2", text); }

 private:
  [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const {
    if (!colours_) return std::string(text);
    return std::string("\x1b[").append(code).append("m").append(text).append("\x1b[0m");
  }
  bool colours_;
};

}  // namespace lockproof::harness
