// SPDX-License-Identifier: Apache-2.0
#include "harness/report/answers/review_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockproof::harness {
namespace {

using Verdict = ReviewCell::Verdict;

std::string lease_text(const ReviewRow& row) { return row.lease.empty() ? "none" : row.lease; }

/// The columns of the answers: where a line has no room for their heads, "never" stands above the rest of each; where
/// it still has none, the lease stands below each row.
struct AnswerColumns {
  std::size_t lock = 4, lease = 5, answers = 0;
  std::vector<std::size_t> widths;
  bool never_above = false, lease_below = false;

  AnswerColumns(const ReviewReport& r, const std::vector<ReviewRow>& rows, std::size_t room) {
    for (const ReviewRow& row : rows) {
      lock = std::max(lock, row.lock.size());
      lease = std::max(lease, lease_text(row).size());
    }
    lay_out(r);
    never_above = 2 + lock + answers + 2 + lease > room;
    if (never_above) lay_out(r);
    lease_below = 2 + lock + answers + 2 + lease > room;
    if (lease_below && !widths.empty()) widths.back() = 0;
  }
  [[nodiscard]] std::string head(Concern concern) const {
    return never_above ? std::string(name(concern)) : requirement(concern);
  }

 private:
  void lay_out(const ReviewReport& r) {
    widths.clear();
    answers = 0;
    for (const Concern concern : r.asked) {
      widths.push_back(std::max(head(concern).size(), word(Verdict::unknown).size()));
      answers += 2 + widths.back();
    }
  }
};

}  // namespace

const ReviewCell& cell_of(const std::map<Concern, ReviewCell>& cells, Concern concern) {
  static const ReviewCell none;
  const auto found = cells.find(concern);
  return found == cells.end() ? none : found->second;
}

std::string answer_word(const ReviewCell& cell) {
  switch (cell.verdict) {
    case Verdict::held: return "yes";
    case Verdict::broken: return "NO";
    case Verdict::unknown: return "unknown";
    case Verdict::not_asked: return "-";
  }
  return "";
}

std::string requirement(Concern concern) { return fmt::format("never {}", name(concern)); }

std::string answers_table(const ReviewReport& r, const std::vector<ReviewRow>& rows, const Style& style) {
  const AnswerColumns columns(r, rows, style.columns());
  std::string above = fmt::format("  {:<{}}", "", columns.lock), heads = fmt::format("  {:<{}}", "lock", columns.lock);
  for (std::size_t i = 0; i < r.asked.size(); ++i) {
    above += fmt::format("  {:<{}}", "never", i + 1 < r.asked.size() ? columns.widths[i] : 0);
    heads += fmt::format("  {:<{}}", columns.head(r.asked[i]), columns.widths[i]);
  }
  std::string text = (columns.never_above ? above + "\n" : "") + heads + (columns.lease_below ? "\n" : "  lease\n");
  for (const ReviewRow& row : rows) {
    text += fmt::format("  {:<{}}", row.lock, columns.lock);
    for (std::size_t i = 0; i < r.asked.size(); ++i) {
      const ReviewCell& cell = cell_of(row.cells, r.asked[i]);
      const std::string word = fmt::format("{:<{}}", answer_word(cell), columns.widths[i]);
      text += "  " + (cell.verdict == Verdict::held     ? style.good(word)
                      : cell.verdict == Verdict::broken ? style.bad(word)
                                                        : style.unsure(word));
    }
    text += fmt::format("{}{}\n", columns.lease_below ? "\n      lease: " : "  ", lease_text(row));
  }
  return text;
}

}  // namespace lockproof::harness
