// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/line_kind.hpp"

#include <algorithm>
#include <initializer_list>

namespace lockproof::execution {
namespace {

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

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

}  // namespace

LineKind kind_of(std::string_view said, const LinePatterns& patterns) {
  const std::string text = lower(said);
  const bool enters = patterns.enters.empty()
                          ? !denies(text) && has_word(text, {"got", "acquired", "obtained"}) && has_any(text, {"lock"})
                          : said.find(patterns.enters) != std::string_view::npos;
  if (enters) return LineKind::enters;
  const bool leaves = patterns.leaves.empty()
                          ? !denies(text) && has_word(text, {"done", "finished", "completed", "releasing"})
                          : said.find(patterns.leaves) != std::string_view::npos;
  if (leaves) return LineKind::leaves;
  return has_word(text, {"released"}) || has_any(text, {"release failed"}) ? LineKind::released : LineKind::nothing;
}

LineKind kind_of_event(std::string_view event, const LinePatterns& patterns) {
  const LineKind kind = kind_of(std::string(event) + " lock", patterns);
  const std::string text = lower(event);
  if (kind != LineKind::nothing || denies(text)) return kind;
  if (patterns.enters.empty() && has_word(text, {"held", "enter", "enters", "entered"})) return LineKind::enters;
  if (patterns.leaves.empty() && has_word(text, {"exit", "exits", "exited", "leaves", "left"})) return LineKind::leaves;
  return LineKind::nothing;
}

void order_lines(std::vector<WorkerLine>& lines) {
  std::ranges::stable_sort(lines, {}, &WorkerLine::at_us);
  bool inside = false;
  for (WorkerLine& line : lines) {
    if (line.kind == LineKind::enters) inside = true;
    if (!inside) line.kind = LineKind::nothing;
    if (line.kind == LineKind::released) inside = false;
  }
}

WorkerLog& log_of(std::vector<WorkerLog>& logs, const std::string& name) {
  const auto known = std::ranges::find(logs, name, &WorkerLog::name);
  return known != logs.end() ? *known : logs.emplace_back(WorkerLog{name, {}});
}

}  // namespace lockproof::execution
