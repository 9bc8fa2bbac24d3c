// SPDX-License-Identifier: Apache-2.0
// Patterns are those of the Lua 5.1 manual, §5.4.1.
#include "harness/lua/pattern_cost.hpp"

#include <cctype>
#include <optional>
#include <vector>

namespace lockproof::lua {
namespace {

class StepCount {
 public:
  StepCount(std::string_view subject, std::string_view pattern, std::uint64_t most)
      : subject_(subject), pattern_(pattern.substr(0, pattern.find('\0'))), most_(most) {}

  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] bool is_over() const { return steps_ > most_ || malformed_; }
  /// Where the first match from here on ends; nothing: there is none, or it is over.
  std::optional<std::size_t> match_here(std::size_t at, std::size_t first) {
    captures_.clear();
    return match(at, first);
  }

 private:
  using End = std::optional<std::size_t>;
  struct Capture {
    std::size_t begin;
    std::optional<std::size_t> length;
  };

  bool spend(std::uint64_t steps = 1) {
    steps_ += steps;
    return !is_over();
  }
  End refuse() {
    malformed_ = true;
    return std::nullopt;
  }
  [[nodiscard]] char in_pattern(std::size_t p) const { return p < pattern_.size() ? pattern_[p] : '\0'; }

  /// Behind the single character, class or set that begins at p.
  End behind_single(std::size_t p) {
    const char first = in_pattern(p++);
    if (first == '%') return p < pattern_.size() ? End(p + 1) : refuse();
    if (first != '[') return p;
    if (in_pattern(p) == '^') ++p;
    for (bool is_first = true; is_first || in_pattern(p) != ']'; is_first = false) {
      if (p >= pattern_.size()) return refuse();
      if (pattern_[p++] == '%' && p < pattern_.size()) ++p;
    }
    return p + 1;
  }

  static bool is_of_class(unsigned char c, unsigned char of) {
    bool is = false;
    switch (std::tolower(of)) {
      case 'a': is = std::isalpha(c); break;
      case 'c': is = std::iscntrl(c); break;
      case 'd': is = std::isdigit(c); break;
      case 'l': is = std::islower(c); break;
      case 'p': is = std::ispunct(c); break;
      case 's': is = std::isspace(c); break;
      case 'u': is = std::isupper(c); break;
      case 'w': is = std::isalnum(c); break;
      case 'x': is = std::isxdigit(c); break;
      case 'z': is = c == 0; break;
      default: return of == c;
    }
    return std::islower(of) ? is : !is;
  }

  /// `end`: behind the closing bracket.
  [[nodiscard]] bool is_in_set(unsigned char c, std::size_t p, std::size_t end) const {
    const auto at = [this](std::size_t i) { return static_cast<unsigned char>(in_pattern(i)); };
    const std::size_t last = end - 1;
    const bool excludes = at(p + 1) == '^';
    for (std::size_t i = p + 1 + excludes; i < last; ++i) {
      if (at(i) == '%') {
        if (is_of_class(c, at(++i))) return !excludes;
      } else if (at(i + 1) == '-' && i + 2 < last) {
        if (at(i) <= c && c <= at(i + 2)) return !excludes;
        i += 2;
      } else if (at(i) == c) {
        return !excludes;
      }
    }
    return excludes;
  }

  bool is_single(std::size_t s, std::size_t p, std::size_t end) {
    if (!spend(end - p) || s >= subject_.size()) return false;
    const auto c = static_cast<unsigned char>(subject_[s]);
    switch (in_pattern(p)) {
      case '.': return true;
      case '%': return is_of_class(c, static_cast<unsigned char>(in_pattern(p + 1)));
      case '[': return is_in_set(c, p, end);
      default: return static_cast<unsigned char>(in_pattern(p)) == c;
    }
  }

  End balanced(std::size_t s, std::size_t p) {
    if (p + 1 >= pattern_.size()) return refuse();
    const char opens = pattern_[p], closes = pattern_[p + 1];
    if (s >= subject_.size() || subject_[s] != opens) return std::nullopt;
    for (int depth = 1; ++s < subject_.size() && spend();) {
      if (subject_[s] == closes) {
        depth -= 1;
        if (depth == 0) return s + 1;
      } else if (subject_[s] == opens) {
        ++depth;
      }
    }
    return std::nullopt;
  }

  End most_first(std::size_t s, std::size_t p, std::size_t end) {
    std::size_t n = 0;
    while (is_single(s + n, p, end)) ++n;
    for (;; --n) {
      if (const End found = match(s + n, end + 1); found || is_over()) return found;
      if (n == 0) return std::nullopt;
    }
  }

  End least_first(std::size_t s, std::size_t p, std::size_t end) {
    for (;; ++s) {
      if (const End found = match(s, end + 1); found || is_over()) return found;
      if (!is_single(s, p, end)) return std::nullopt;
    }
  }

  End open_capture(std::size_t s, std::size_t p) {
    constexpr std::size_t captures_most = 32;
    if (captures_.size() >= captures_most) return refuse();
    const bool is_position = in_pattern(p) == ')';
    captures_.push_back({s, is_position ? std::optional<std::size_t>(0) : std::nullopt});
    const End found = match(s, p + is_position);
    if (!found && !captures_.empty()) captures_.pop_back();
    return found;
  }

  End close_capture(std::size_t s, std::size_t p) {
    std::size_t i = captures_.size();
    while (i > 0 && captures_[i - 1].length) --i;
    if (i == 0) return refuse();
    captures_[i - 1].length = s - captures_[i - 1].begin;
    const End found = match(s, p);
    if (!found) captures_[i - 1].length.reset();
    return found;
  }

  End same_again(std::size_t s, char digit) {
    const auto i = static_cast<std::size_t>(digit - '1');
    if (digit == '0' || i >= captures_.size() || !captures_[i].length) return refuse();
    const std::size_t length = *captures_[i].length;
    if (!spend(length) || subject_.size() - s < length) return std::nullopt;
    return subject_.substr(captures_[i].begin, length) == subject_.substr(s, length) ? End(s + length) : std::nullopt;
  }

  /// %b, %f and %1, which are no single characters. `p`: behind them, if they match.
  End special(std::size_t s, std::size_t& p) {
    const char kind = in_pattern(p + 1);
    if (kind == 'b') {
      const std::size_t pair = p + 2;
      p += 4;
      return balanced(s, pair);
    }
    if (kind != 'f') {
      p += 2;
      return same_again(s, kind);
    }
    if (in_pattern(p + 2) != '[') return refuse();
    const End end = behind_single(p + 2);
    if (!end || !spend(2 * (*end - p))) return std::nullopt;
    const auto at = [this](std::size_t i) { return static_cast<unsigned char>(i < subject_.size() ? subject_[i] : 0); };
    const bool before = is_in_set(s == 0 ? 0 : at(s - 1), p + 2, *end), now = is_in_set(at(s), p + 2, *end);
    p = *end;
    return !before && now ? End(s) : std::nullopt;
  }

  /// As deep as the pattern is long.
  End match(std::size_t s, std::size_t p) {
    while (spend()) {
      const char first = in_pattern(p), second = in_pattern(p + 1);
      if (p >= pattern_.size()) return s;
      if (first == '(') return open_capture(s, p + 1);
      if (first == ')') return close_capture(s, p + 1);
      if (first == '%' && (second == 'b' || second == 'f' || std::isdigit(static_cast<unsigned char>(second)))) {
        const End next = special(s, p);
        if (!next) return std::nullopt;
        s = *next;
        continue;
      }
      if (first == '$' && p + 1 == pattern_.size()) return s == subject_.size() ? End(s) : std::nullopt;
      const End end = behind_single(p);
      if (!end) return std::nullopt;
      const bool one = is_single(s, p, *end);
      switch (in_pattern(*end)) {
        case '?':
          if (one) {
            if (const End found = match(s + 1, *end + 1); found || is_over()) return found;
          }
          p = *end + 1;
          continue;
        case '*': return most_first(s, p, *end);
        case '+': return one ? most_first(s + 1, p, *end) : std::nullopt;
        case '-': return least_first(s, p, *end);
        default: break;
      }
      if (!one) return std::nullopt;
      ++s;
      p = *end;
    }
    return std::nullopt;
  }

  const std::string_view subject_, pattern_;
  const std::uint64_t most_;
  std::uint64_t steps_ = 0;
  bool malformed_ = false;
  std::vector<Capture> captures_;
};

}  // namespace

std::uint64_t pattern_cost(std::string_view subject, std::string_view pattern, std::size_t from, std::uint64_t matches,
                           bool anchors, std::uint64_t most) {
  StepCount count(subject, pattern, most);
  const bool is_anchored = anchors && pattern.starts_with('^');
  std::size_t at = from;
  for (std::uint64_t found = 0; at <= subject.size() && found < matches;) {
    const std::optional<std::size_t> end = count.match_here(at, is_anchored);
    if (count.is_over() || is_anchored) break;
    found += end.has_value();
    at = end && *end > at ? *end : at + 1;
  }
  return count.steps();
}

}  // namespace lockproof::lua
