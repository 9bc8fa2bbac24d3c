// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/lines/line_kind.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>

#include "execution/judge/lines/lock_name.hpp"

namespace lockproof::execution {
namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view one) { return text.find(one) != std::string_view::npos; });
}

bool is_word_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

bool has_word(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const auto end = at + word.size();
      if ((at == 0 || !is_word_character(text[at - 1])) && (end == text.size() || !is_word_character(text[end])))
        return true;
    }
    return false;
  });
}

/// A line that speaks of a lock that was not got must never count as an entry.
bool denies(std::string_view text) {
  return has_any(text, {"n't", "fail", "another", "wait", "retry", "trying", "timeout", "timed out", "lost", "error",
                        "unable", "already", "expired"}) ||
         has_word(text, {"not", "no", "never", "nobody", "could", "will", "cannot"});
}

/// Empty: several may be meant, or one without a name.
std::string lock_that_ends(const std::map<std::string, bool>& inside, LineKind kind) {
  std::vector<std::string> possible;
  for (const auto& [lock, is_inside] : inside) {
    if (is_inside || kind == LineKind::released) possible.push_back(lock);
  }
  return possible.size() == 1 ? possible.front() : "";
}

}  // namespace

bool tells_release(std::string_view said) {
  const std::string text = lower_case(said);
  return has_word(text, {"released"}) || has_any(text, {"release failed"});
}

LineKind kind_of(std::string_view said, const LinePatterns& patterns) {
  const std::string text = lower_case(said);
  const bool enters = patterns.enters.empty()
                          ? !denies(text) && has_word(text, {"got", "acquired", "obtained"}) && has_any(text, {"lock"})
                          : said.find(patterns.enters) != std::string_view::npos;
  if (enters) return LineKind::enters;
  const bool leaves = patterns.leaves.empty()
                          ? !denies(text) && has_word(text, {"done", "finished", "completed", "releasing"})
                          : said.find(patterns.leaves) != std::string_view::npos;
  if (leaves) return LineKind::leaves;
  return tells_release(said) ? LineKind::released : LineKind::nothing;
}

LineKind kind_of_event(std::string_view event, const LinePatterns& patterns) {
  const LineKind kind = kind_of(std::string(event) + " lock", patterns);
  const std::string text = lower_case(event);
  if (kind != LineKind::nothing || denies(text)) return kind;
  if (patterns.enters.empty() && has_word(text, {"held", "enter", "enters", "entered"})) return LineKind::enters;
  if (patterns.leaves.empty() && has_word(text, {"exit", "exits", "exited", "leaves", "left"})) return LineKind::leaves;
  return LineKind::nothing;
}

void name_lock(WorkerLine& line, std::string_view said, std::string_view worker) {
  LockWords words = lock_words_in(said, worker);
  line.lock = std::move(words.name);
  line.wording = std::move(words.wording);
}

void order_lines(std::vector<WorkerLine>& lines) {
  std::ranges::stable_sort(lines, {}, &WorkerLine::at_us);
  std::set<std::string> entered;
  for (const WorkerLine& line : lines) {
    if (line.kind == LineKind::enters) entered.insert(line.lock);
  }
  std::map<std::string, bool> inside;  // false: its work has ended, and it is not released
  for (WorkerLine& line : lines) {
    if (line.kind == LineKind::nothing) continue;
    if (line.kind == LineKind::enters) {
      inside[line.lock] = true;
      continue;
    }
    if (!entered.contains(line.lock)) line.lock.clear();  // it is no lock's name
    if (line.lock.empty()) line.lock = lock_that_ends(inside, line.kind);
    const bool is_known = inside.contains(line.lock);
    if (inside.empty() || (!is_known && !line.lock.empty())) {
      line.kind = LineKind::nothing;
    } else if (is_known && (line.kind == LineKind::released || line.also_released)) {
      inside.erase(line.lock);
    } else if (is_known) {
      inside[line.lock] = false;
    }
  }
}

WorkerLog& log_of(std::vector<WorkerLog>& logs, const std::string& name) {
  const auto known = std::ranges::find(logs, name, &WorkerLog::name);
  return known != logs.end() ? *known : logs.emplace_back(WorkerLog{.name = name, .lines = {}});
}

}  // namespace lockproof::execution
