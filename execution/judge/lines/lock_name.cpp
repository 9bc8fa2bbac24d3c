// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/lines/lock_name.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "execution/judge/lines/stamped_line.hpp"

namespace lockproof::execution {
namespace {

/// Between the word lock and its name.
constexpr std::array<std::string_view, 9> connectors{"for",  "on",  "of",  "named",   "called",
                                                     "name", "key", "the", "resource"};
constexpr std::array<std::string_view, 10> deeds{"acquired", "obtained", "got", "released", "held",
                                                 "is",       "was",      "has", "been",     "successfully"};
/// A name ends before them.
constexpr std::array<std::string_view, 16> name_stops{"after",       "in",   "at",    "with", "by",  "from",
                                                      "until",       "when", "then",  "to",   "and", "as",
                                                      "exclusively", "will", "would", "be"};
/// What stands before the word lock, and is not its name.
constexpr std::array<std::string_view, 21> common_words{
    "a",           "an",   "my",   "its",     "our",   "this",  "that",   "get",   "have",   "redis", "exclusive",
    "distributed", "info", "warn", "warning", "debug", "error", "notice", "trace", "global", "leader"};
constexpr std::array<std::string_view, 7> lock_fields{"lock", "lock_name", "lock_key", "lockname",
                                                      "key",  "mutex",     "name"};
/// Of these a value says nothing of the lock.
constexpr std::array<std::string_view, 11> other_fields{"token", "owner",  "took",   "wait", "waited",  "attempt",
                                                        "pid",   "thread", "worker", "host", "duration"};
constexpr std::array<std::string_view, 8> units{"ms", "s", "us", "ns", "min", "sec", "seconds", "milliseconds"};
constexpr std::string_view blanks = " \t", opening = "'\"`([{<", closing = "'\"`)]}>.,;:!=", quotes = "'\"`";

template <class Words>
bool is_one_of(std::string_view word, const Words& words) {
  return std::ranges::find(words, word) != std::end(words);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alphabetic(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

struct Word {
  std::string text;                // without marks around it, in lower case
  std::size_t begin = 0, end = 0;  // of that, in the line
  std::string before, after;       // the marks
  bool is_time = false;
  [[nodiscard]] bool has_before(std::string_view any_of) const {
    return before.find_first_of(any_of) != std::string::npos;
  }
  [[nodiscard]] bool has_after(std::string_view any_of) const {
    return after.find_first_of(any_of) != std::string::npos;
  }
};

std::vector<Word> words_of(std::string_view said) {
  std::vector<Word> words;
  for (std::size_t at = said.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t stop = std::min(said.find_first_of(blanks, at), said.size());
    Word word{.begin = at, .end = stop};
    while (word.begin < word.end && opening.find(said[word.begin]) != std::string_view::npos) {
      word.before += said[word.begin++];
    }
    while (word.begin < word.end && closing.find(said[word.end - 1]) != std::string_view::npos) {
      word.after.insert(0, 1, said[--word.end]);
    }
    const std::string_view own = said.substr(word.begin, word.end - word.begin);
    word.text = lower_case(own);
    word.is_time = stamped_line_from(own).has_value();
    words.push_back(std::move(word));
    at = said.find_first_not_of(blanks, stop);
  }
  return words;
}

bool is_lock_word(const Word& word) {
  return (word.text.ends_with("lock") || word.text.ends_with("locked")) && is_alphabetic(word.text.front());
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// "12ms".
bool is_duration(std::string_view word) {
  const auto end = std::min(word.find_first_not_of("0123456789."), word.size());
  return end > 0 && is_one_of(word.substr(end), units);
}

/// A number that a unit follows.
bool has_unit(const std::vector<Word>& words, std::size_t i) {
  return is_number(words[i].text) && i + 1 < words.size() && is_one_of(words[i + 1].text, units);
}

struct Range {
  std::size_t begin = 0, end = 0;
};

/// "lock=orders", also as JSON's "lock":"orders".
std::optional<Range> field_in(std::string_view said) {
  for (std::size_t at = 0; at < said.size(); ++at) {
    if (!is_alphabetic(said[at])) continue;
    std::size_t end = at;
    while (end < said.size() && (is_alphabetic(said[end]) || is_digit(said[end]) || said[end] == '.')) ++end;
    const std::string field = lower_case(said.substr(at, end - at));
    const bool starts = at == 0 || std::string_view(" \t,;{([\"'").find(said[at - 1]) != std::string_view::npos;
    at = end - 1;
    if (!starts || !is_lock_field(field)) continue;
    const bool is_json = said.substr(end).starts_with("\":");
    if (!is_json && !said.substr(end).starts_with('=')) continue;
    end = std::min(said.find_first_not_of(' ', end + (is_json ? 2 : 1)), said.size());
    const bool quoted = end < said.size() && quotes.find(said[end]) != std::string_view::npos;
    const std::string stops = quoted ? std::string(1, said[end++]) : " \t,;)]}";
    const std::size_t last = std::min(said.find_first_of(stops, end), said.size());
    if (last > end) return Range{end, last};
  }
  return std::nullopt;
}

/// From the word that a quotation begins with.
Range quotation_at(const std::vector<Word>& words, std::size_t first) {
  std::size_t last = first;
  while (last + 1 < words.size() && !words[last].has_after(quotes)) ++last;
  return {words[first].begin, words[last].end};
}

/// What is quoted behind a word that speaks of the lock: "Locked 'orders', lock will be held".
std::optional<Range> quoted_name_in(const std::vector<Word>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Word& before = words[i - 1];
    const bool leads = !before.text.empty() && (is_lock_word(before) || is_one_of(before.text, deeds));
    if (leads && words[i].has_before(quotes) && !words[i].text.empty()) return quotation_at(words, i);
  }
  return std::nullopt;
}

/// The words that follow the word lock, up to one that is no part of a name.
std::optional<Range> name_after(const std::vector<Word>& words, std::size_t lock) {
  if (words[lock].has_after(".,;!)]")) return std::nullopt;
  std::optional<Range> name;
  bool leads = words[lock].has_after(":="), has_deed = false;
  for (std::size_t i = lock + 1; i < words.size(); ++i) {
    const Word& word = words[i];
    if (!name && word.has_before(quotes)) return quotation_at(words, i);
    const bool is_end = is_one_of(word.text, name_stops) || is_duration(word.text) || has_unit(words, i);
    if (is_end || (name && (word.text.empty() || is_one_of(word.text, deeds)))) break;
    if (!name && (word.text.empty() || is_one_of(word.text, deeds) || is_one_of(word.text, connectors))) {
      has_deed |= is_one_of(word.text, deeds);
      leads = word.has_after(":=") || is_one_of(word.text, connectors) || (leads && word.text.empty());
    } else if (!name && has_deed && !leads) {
      break;  // "lock acquired, ready"
    } else {
      name = name ? Range{name->begin, word.end} : Range{word.begin, word.end};
    }
    if (word.has_after(".,;!")) break;
  }
  return name;
}

std::optional<Range> name_in(std::string_view said, const std::vector<Word>& words) {
  if (const auto field = field_in(said)) return field;
  if (const auto quoted = quoted_name_in(words)) return quoted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].text.empty() || !is_lock_word(words[i])) continue;
    if (const auto name = name_after(words, i)) return name;
    if (i == 0) continue;
    const Word& before = words[i - 1];
    const bool is_plain = is_one_of(before.text, connectors) || is_one_of(before.text, deeds) ||
                          is_one_of(before.text, name_stops) || is_one_of(before.text, common_words);
    if (!before.text.empty() && !is_plain && !before.has_before("[(") && !is_number(before.text)) {
      return Range{before.begin, before.end};
    }
  }
  return std::nullopt;
}

std::string wording_of(const std::vector<Word>& words, std::string_view worker) {
  const auto lock =
      std::ranges::find_if(words, [](const Word& word) { return !word.text.empty() && is_lock_word(word); });
  std::string wording;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    const bool comes_before = i < static_cast<std::size_t>(lock - words.begin());
    if (word.text.empty() || is_duration(word.text) || has_unit(words, i)) continue;
    if (comes_before && word.has_before("[(")) continue;
    if (word.is_time) continue;  // until when it is held, at most
    if (!worker.empty() && word.text.find(worker) != std::string::npos) continue;
    const std::size_t equals = word.text.find_first_of("=:");
    const bool is_other = is_one_of(std::string_view(word.text).substr(0, equals), other_fields);
    if (is_other && equals != std::string::npos) continue;
    wording += word.text + " ";
  }
  return wording;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

LockWords lock_words_in(std::string_view said, std::string_view worker) {
  std::vector<Word> words = words_of(said);
  LockWords found;
  if (const auto name = name_in(said, words)) {
    found.name = std::string(said.substr(name->begin, name->end - name->begin));
    std::erase_if(words, [&](const Word& word) { return word.begin >= name->begin && word.end <= name->end; });
    for (Word& word : words) {  // of "lock=orders" the word is longer than the name
      if (word.begin < name->begin && word.end >= name->end) word.text = "lock";
    }
  }
  found.wording = wording_of(words, lower_case(worker));
  return found;
}

bool is_lock_field(std::string_view field) {
  const std::string name = lower_case(field);
  const std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
  const bool is_of_lock =
      last == name || name.find("lock") != std::string::npos || name.find("mutex") != std::string::npos;
  return is_of_lock && name != "name" && is_one_of(last, lock_fields);
}

bool may_be_key(std::string_view name, std::string_view key) {
  const std::string_view part = name.size() < key.size() ? name : key, whole = name.size() < key.size() ? key : name;
  const auto goes_on = [](char c) { return is_alphabetic(c) || is_digit(c) || c == '-'; };
  for (auto at = whole.find(part); at != std::string_view::npos; at = whole.find(part, at + 1)) {
    const auto end = at + part.size();
    if ((at == 0 || !goes_on(whole[at - 1])) && (end == whole.size() || !goes_on(whole[end]))) return true;
  }
  return false;
}

}  // namespace lockproof::execution
