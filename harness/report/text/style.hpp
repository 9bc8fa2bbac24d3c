// SPDX-License-Identifier: Apache-2.0
// Style: how text looks where it is shown: in colours or plain, and in lines of which width.
#pragma once

#include <string>
#include <string_view>

#include "harness/report/text/columns.hpp"

namespace lockproof::harness {

class Style {
 public:
  explicit Style(bool colours, std::size_t columns = usual_columns) : colours_(colours), columns_(columns) {}
  [[nodiscard]] std::string bad(std::string_view text) const { return paint("1;31", text); }
  [[nodiscard]] std::string good(std::string_view text) const { return paint("32", text); }
  [[nodiscard]] std::string unsure(std::string_view text) const { return paint("33", text); }
  [[nodiscard]] std::string strong(std::string_view text) const { return paint("1", text); }
  [[nodiscard]] std::string faint(std::string_view text) const { return paint("2", text); }

  [[nodiscard]] std::size_t columns() const { return columns_; }
  /// See columns.hpp.
  [[nodiscard]] std::string wrap(std::string_view text, std::size_t hang) const {
    return wrapped(text, columns_, hang);
  }
  [[nodiscard]] std::string fit(std::string_view text) const { return fitted(text, columns_); }
  [[nodiscard]] std::string command(std::string_view label, std::string_view command) const {
    return command_lines(label, command, columns_);
  }

 private:
  [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const {
    if (!colours_) return std::string(text);
    return std::string("\x1b[").append(code).append("m").append(text).append("\x1b[0m");
  }
  bool colours_;
  std::size_t columns_;
};

}  // namespace lockproof::harness
