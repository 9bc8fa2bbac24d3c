// SPDX-License-Identifier: Apache-2.0
// A word counts wherever it may be the global `client`, so it may count once too often, and never once too seldom.
#include <cctype>

#include "harness/lua/lua_lock.hpp"

namespace lockproof::lua {
namespace {

/// The words and signs of a text in Lua, one after the other, without its comments and strings.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  /// Empty: there are no more.
  std::string_view next() {
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      const char c = text_[at_];
      if (is_of_word(c)) {
        while (at_ < text_.size() && is_of_word(text_[at_])) ++at_;
        return text_.substr(begin, at_ - begin);
      }
      if (starts("--")) {
        at_ += 2;
        if (!skip_long()) skip_until("\n");
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else if (c == '[' && skip_long()) {
        continue;
      } else if (starts("..") || starts("==")) {
        at_ += 2;
        return text_.substr(begin, 2);
      } else {
        ++at_;
        if (!std::isspace(static_cast<unsigned char>(c))) return text_.substr(begin, 1);
      }
    }
    return {};
  }

 private:
  static bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  [[nodiscard]] bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }
  void skip_until(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }
  void skip_string(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) at_ += text_[at_] == '\\';
    ++at_;
  }
  /// Skips [[ … ]] or [=[ … ]=]. False: no such thing begins here.
  bool skip_long() {
    std::size_t open = at_ + 1;
    if (!starts("[")) return false;
    while (open < text_.size() && text_[open] == '=') ++open;
    if (open >= text_.size() || text_[open] != '[') return false;
    skip_until("]" + std::string(open - at_ - 1, '=') + "]");
    return true;
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

ClientUse client_use(std::string_view text) {
  ClientUse use;
  Words words(text);
  std::string_view before, word = words.next();
  while (!word.empty()) {
    std::string_view after = words.next();
    if (word == "client" && before != "." && before != ":" && after != "=") {
      const bool is_field = after == ".";
      if (is_field) after = words.next();
      use.name |= !is_field || after == "name";
      use.round |= !is_field || after == "round";
      use.attempt |= !is_field || after == "attempt";
    }
    before = word;
    word = after;
  }
  return use;
}

}  // namespace lockproof::lua
