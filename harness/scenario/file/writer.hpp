// SPDX-License-Identifier: Apache-2.0
// Writer: writes tables of TOML, key by key, for to_toml.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/scenario/names.hpp"
#include "harness/scenario/window.hpp"

namespace lockproof::harness {

[[nodiscard]] inline std::string signed_text(Duration d) {
  return (d < Duration{} ? "-" : "+") + to_text(d < Duration{} ? -d : d);
}

template <class E>
[[nodiscard]] std::string word(E value, Choices<E> choices) {
  return std::string(std::ranges::find(choices, value, &std::pair<std::string_view, E>::second)->first);
}

/// A table under way: its heading is written with its first entry.
class Writer {
 public:
  explicit Writer(std::string& text) : text_(text) {}
  void begin(std::string heading, bool always = false) {
    heading_ = std::move(heading);
    if (always) open();
  }
  void raw(std::string_view key, const std::string& value) {
    open();
    text_ += std::string(key) + " = " + value + "\n";
  }
  void put(std::string_view key, std::string_view value) { raw(key, in_quotes(value)); }
  void put(std::string_view key, Duration d) { put(key, to_text(d)); }
  void put(std::string_view key, const Window& w) {
    w.is_range ? put(key, range_text(w.least, w.most)) : w.least == w.most ? put(key, w.least) : put_bounds(key, w);
  }
  void put_bounds(std::string_view key, const Window& w) { put(key, std::vector{to_text(w.least), to_text(w.most)}); }
  void put(std::string_view key, std::int64_t n) { raw(key, std::to_string(n)); }
  void put(std::string_view key, const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& w : words) list += (list.empty() ? "" : ", ") + in_quotes(w);
    raw(key, "[" + list + "]");
  }

 private:
  void open() {
    if (!heading_.empty()) text_ += (text_.empty() ? "" : "\n") + heading_ + "\n";
    heading_.clear();
  }
  std::string& text_;
  std::string heading_;
};

}  // namespace lockproof::harness
