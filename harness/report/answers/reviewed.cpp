// SPDX-License-Identifier: Apache-2.0
#include "harness/report/answers/reviewed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/report/answers/review_table.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/shell_word.hpp"

namespace lockproof::harness {
namespace {

using Verdict = ReviewCell::Verdict;

/// "held", "unknown", or by what it is broken at the least.
std::string short_text(const ReviewCell& cell) {
  return cell.verdict == Verdict::broken ? cell.causes.front().label : std::string(word(cell.verdict));
}

std::string painted(const ReviewCell& cell, std::size_t width, const Style& style) {
  const std::string text = fmt::format("{:<{}}", short_text(cell), width);
  switch (cell.verdict) {
    case Verdict::held: return style.good(text);
    case Verdict::broken: return style.bad(text);
    case Verdict::unknown: return style.unsure(text);
    case Verdict::not_asked: return style.faint(text);
  }
  return text;
}

std::string table_text(const ReviewReport& r, const std::vector<ReviewRow>& rows, const Style& style) {
  std::size_t longest_name = 4;
  std::map<Concern, std::size_t> widths;
  for (const Concern concern : r.asked) widths[concern] = name(concern).size();
  for (const ReviewRow& row : rows) {
    longest_name = std::max(longest_name, row.lock.size());
    for (const Concern concern : r.asked) {
      widths[concern] = std::max(widths[concern], short_text(cell_of(row.cells, concern)).size());
    }
  }
  std::size_t wide = 2 + longest_name, longest_cost = 4;
  for (const Concern concern : r.asked) wide += 2 + widths[concern];
  for (const ReviewRow& row : rows) longest_cost = std::max(longest_cost, row.cost.size());
  const bool has_room = wide + 2 + longest_cost <= style.columns();
  std::string text = fmt::format("  {:<{}}", "lock", longest_name);
  for (const Concern concern : r.asked) text += fmt::format("  {:<{}}", name(concern), widths[concern]);
  text += has_room ? "  cost\n" : "\n";
  for (const ReviewRow& row : rows) {
    text += fmt::format("  {:<{}}", row.lock, longest_name);
    for (const Concern concern : r.asked) {
      text += "  " + painted(cell_of(row.cells, concern), widths[concern], style);
    }
    text += has_room ? "  " + row.cost + "\n" : "\n      cost: " + row.cost + "\n";
  }
  return text;
}

/// "by redis-1 loses its power …; also by crash, failover".
std::string broken_text(const ReviewCell& cell) {
  std::string text = "broken: " + cell.causes.front().words;
  std::vector<std::string> more;
  for (std::size_t i = 1; i < cell.causes.size(); ++i) more.push_back(cell.causes[i].label);
  if (!more.empty()) text += fmt::format("; also by {}", fmt::join(more, ", "));
  return text;
}

std::string verdict_sentence(const ReviewCell& cell) {
  if (cell.verdict == Verdict::broken) return broken_text(cell);
  return cell.verdict == Verdict::unknown ? "unknown: " + cell.why : std::string(word(cell.verdict));
}

std::string replay_text(const std::string& file, std::size_t indent, const Style& style) {
  const std::string begin(indent, ' '), word = shell_word(file);
  return style.command(begin, "lockproof run " + word) + "\n" + style.command(begin, "lockproof replay " + word) + "\n";
}

std::string measures_text(const ReviewRow& row) { return fmt::format("{}", fmt::join(row.measures, "; ")); }

/// Each verdict of one lock, with the smallest cause of what is broken, the boundaries, and what they rest on.
std::string details_text(const ReviewReport& r, const ReviewRow& row, const Style& style) {
  std::string text = fmt::format("{}{}\n", style.strong(row.lock), row.lease.empty() ? "" : ", lease " + row.lease);
  constexpr std::size_t before = 20;
  const auto add = [&](std::string_view what, const std::string& found) {
    text += style.wrap(fmt::format("  {:<17} {}", what, found), before) + "\n";
  };
  for (const Concern concern : r.asked) {
    const ReviewCell& cell = cell_of(row.cells, concern);
    add(name(concern), verdict_sentence(cell));
    if (cell.verdict == Verdict::broken && !cell.causes.front().file.empty()) {
      text += replay_text(cell.causes.front().file, before, style);
    }
  }
  for (const std::string& boundary : row.boundaries) add("boundary", boundary);
  if (!row.measures.empty()) add("searched with", measures_text(row));
  return text;
}

std::vector<ReviewRow> first_rows(const ReviewReport& r) {
  std::vector<ReviewRow> rows;
  for (const std::size_t i : rows_of_page(r)) rows.push_back(r.rows[i]);
  return rows;
}

/// What is not kept, or not known, in one sentence each.
struct PageLine {
  Concern concern{};
  std::string sentence;
  std::vector<std::string> picture;
};

std::vector<PageLine> page_lines(const ReviewReport& r, const ReviewRow& row) {
  std::vector<PageLine> lines;
  for (const Concern concern : r.asked) {
    const ReviewCell& cell = cell_of(row.cells, concern);
    if (cell.verdict == Verdict::broken)
      lines.push_back({concern, cell.causes.front().words, cell.causes.front().picture});
    if (cell.verdict == Verdict::unknown) lines.push_back({concern, "unknown: " + cell.why, {}});
  }
  return lines;
}

/// `is_first`: of the best one, and the reviewer's own, also the boundaries, and what all of it rests on.
std::string page_details(const ReviewReport& r, const ReviewRow& row, bool is_first, const Style& style) {
  constexpr std::size_t before = 16;
  std::string text;
  for (const PageLine& line : page_lines(r, row)) {
    text += style.wrap(fmt::format("  {:<13} {}", name(line.concern), line.sentence), before) + "\n";
    for (const std::string& lane : line.picture) text += std::string(before, ' ') + lane + "\n";
  }
  if (is_first || row.own) {
    for (const std::string& boundary : row.boundaries) text += style.wrap("  " + boundary, 4) + "\n";
    if (!row.measures.empty()) text += style.wrap("  searched with " + measures_text(row), 4) + "\n";
  }
  return text.empty() ? "" : "\n" + style.strong(row.lock) + "\n" + text;
}

std::string ending(const ReviewReport& r, const Style& style) {
  const std::string files =
      r.out.empty() ? "--out DIR saves each cause as a scenario\n"
                    : fmt::format("written: {0}/review.md, review.json, review.svg and the scenarios\n", r.out);
  return fmt::format("{}{:.1f} s\n{}\n", style.fit(files), r.seconds, style.command("reproduce: ", r.reproduce));
}

std::string list_text(const char* heading, const std::vector<std::string>& lines, const Style& style) {
  if (lines.empty()) return "";
  std::string text = "\n" + style.strong(heading) + "\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

std::string remedy_text(const ReviewRemedy& remedy) {
  std::vector<std::string> still;
  for (const auto& [concern, cell] : remedy.cells) {
    if (cell.verdict == Verdict::broken)
      still.push_back(fmt::format("{} by {}", name(concern), cell.causes.front().label));
    if (cell.verdict == Verdict::unknown) still.push_back(fmt::format("{}: unknown", name(concern)));
  }
  std::string text = remedy.mends.empty() ? "mends nothing" : fmt::format("mends {}", fmt::join(remedy.mends, ", "));
  if (remedy.all_hold) return text + "; everything holds";
  return still.empty() ? text : text + fmt::format("; still broken: {}", fmt::join(still, ", "));
}

std::vector<std::string> misfits(const ReviewReport& r) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& [lock, why] : r.misfits) by_reason[why].push_back(lock);
  std::vector<std::string> lines;
  for (const auto& [why, locks] : by_reason) lines.push_back(fmt::format("{}: {}", fmt::join(locks, ", "), why));
  return lines;
}

/// Of each lock of the page the remedy that mends the most; of equal ones the first.
std::vector<std::string> best_remedies_of(const ReviewReport& r) {
  std::vector<std::string> lines;
  for (const std::size_t i : rows_of_page(r)) {
    const ReviewRemedy* best = nullptr;
    for (const ReviewRemedy& one : r.remedies) {
      if (one.lock != r.rows[i].lock || one.mends.empty()) continue;
      if (!best || one.mends.size() > best->mends.size()) best = &one;
    }
    if (best) lines.push_back(fmt::format("{}: {}: {}", best->lock, best->what, remedy_text(*best)));
  }
  return lines;
}

std::vector<std::string> remedies_of(const ReviewReport& r) {
  std::vector<std::string> lines;
  std::map<std::string, std::vector<std::string>> in_vain;
  for (const ReviewRemedy& one : r.remedies) {
    const bool open =
        std::ranges::any_of(one.cells, [](const auto& of) { return of.second.verdict == Verdict::unknown; });
    if (one.mends.empty() && !open) {
      in_vain[one.lock].push_back(one.what);
      continue;
    }
    lines.push_back(fmt::format("{}: {}", one.lock, one.what));
    lines.push_back("    " + remedy_text(one));
  }
  for (const auto& [lock, what] : in_vain) {
    lines.push_back(fmt::format("{}: by themselves these mend nothing", lock));
    for (const std::string& one : what) lines.push_back("    " + one);
  }
  return lines;
}

/// What a cell of a table in Markdown must not have.
std::string in_a_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
  return text;
}

std::string bullets(const char* heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = fmt::format("\n## {}\n\n", heading);
  for (const std::string& line : lines)
    text += (line.starts_with("    ") ? "  - " + line.substr(4) : "- " + line) + "\n";
  return text;
}

std::string markdown_head(const ReviewReport& r) {
  std::string text = fmt::format("# {}\n\n{}.\n\n", printable(r.title), r.question);
  for (const std::string& sentence : r.answer) text += "**" + sentence + "**\n\n";
  return text;
}

}  // namespace

std::string_view name(Concern concern) {
  switch (concern) {
    case Concern::two_at_once: return "two at once";
    case Concern::runs_twice: return "runs twice";
    case Concern::stuck: return "stuck";
    case Concern::data_lost: return "data lost";
  }
  return "";
}

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::held: return "held";
    case Verdict::broken: return "broken";
    case Verdict::unknown: return "unknown";
    case Verdict::not_asked: return "-";
  }
  return "";
}

std::vector<std::size_t> rows_of_page(const ReviewReport& r) {
  constexpr std::size_t shown_most = 3;
  std::vector<std::size_t> rows;
  std::size_t of_the_catalogue = 0;
  for (const std::size_t i : r.best) {
    if (r.rows[i].own || of_the_catalogue++ < shown_most) rows.push_back(i);
  }
  return rows;
}

std::string review_so_far(const ReviewReport& r, const Style& style) { return answers_table(r, first_rows(r), style); }

std::string review_text(const ReviewReport& r, const Style& style) {
  std::string text = style.strong(printable(r.title)) + "\n" + r.question + "\n\n";
  for (const std::string& sentence : r.answer) text += sentence + "\n";
  const std::vector<ReviewRow> rows = first_rows(r);
  text += "\n" + answers_table(r, rows, style);
  for (const ReviewRow& row : rows) text += page_details(r, row, &row == rows.data(), style);
  text += list_text("what helps, searched", best_remedies_of(r), style);
  if (!r.stopped.empty()) text += "\n" + style.unsure("not everything was searched: " + r.stopped) + "\n";
  text += "\nat most one fault in a run; --all has the rest\n";
  return style.fit(text) + ending(r, style);
}

std::string review_details(const ReviewReport& r, const Style& style) {
  std::string text = style.strong(printable(r.title)) + "\n" + r.question + "\n\n";
  for (const std::string& sentence : r.answer) text += sentence + "\n";
  text += "\n" + table_text(r, r.rows, style);
  for (const ReviewRow& row : r.rows) text += "\n" + details_text(r, row, style);
  text += list_text("what would make it safe, each of it searched", remedies_of(r), style);
  text += list_text("searched", r.searched, style) + list_text("not searched", r.not_searched, style);
  text += list_text("these do not fit", misfits(r), style);
  if (!r.stopped.empty()) text += "\n" + style.unsure("not everything was searched: " + r.stopped) + "\n";
  return style.fit(text) + ending(r, style);
}

std::string review_markdown(const ReviewReport& r) {
  std::string text = markdown_head(r) + "| lock |";
  for (const Concern concern : r.asked) text += fmt::format(" {} |", requirement(concern));
  text += " lease |\n|---|";
  for (std::size_t i = 0; i < r.asked.size(); ++i) text += "---|";
  text += "---|\n";
  const std::vector<ReviewRow> rows = first_rows(r);
  for (const ReviewRow& row : rows) {
    text += fmt::format("| `{}` |", row.lock);
    for (const Concern concern : r.asked) text += fmt::format(" {} |", answer_word(cell_of(row.cells, concern)));
    text += fmt::format(" {} |\n", row.lease.empty() ? "none" : row.lease);
  }
  for (const ReviewRow& row : rows) {
    const std::vector<PageLine> lines = page_lines(r, row);
    const bool has_more = (&row == rows.data() || row.own) && !row.measures.empty();
    if (!lines.empty() || has_more) text += fmt::format("\n`{}`:\n\n", row.lock);
    for (const PageLine& line : lines) {
      text += fmt::format("- {}: {}\n", name(line.concern), line.sentence);
      if (line.picture.empty()) continue;
      text += fmt::format("\n  ```\n  {}\n  ```\n\n", fmt::join(line.picture, "\n  "));
    }
    if (!has_more) continue;
    for (const std::string& boundary : row.boundaries) text += fmt::format("- {}\n", boundary);
    text += fmt::format("- searched with {}\n", measures_text(row));
  }
  text += bullets("What helps, searched", best_remedies_of(r));
  if (!r.stopped.empty()) text += fmt::format("\nNot everything was searched: {}.\n", r.stopped);
  return text + fmt::format("\nAt most one fault in a run. Made by `{}`; with `--all` it has the rest.\n", r.reproduce);
}

std::string review_markdown_details(const ReviewReport& r) {
  std::string text = markdown_head(r);
  text += "| lock | lease |";
  for (const Concern concern : r.asked) text += fmt::format(" {} |", name(concern));
  text += " cost |\n|---|---|";
  for (std::size_t i = 0; i < r.asked.size(); ++i) text += "---|";
  text += "---|\n";
  for (const ReviewRow& row : r.rows) {
    text += fmt::format("| `{}` | {} |", row.lock, row.lease);
    for (const Concern concern : r.asked) {
      text += fmt::format(" {} |", in_a_cell(verdict_sentence(cell_of(row.cells, concern))));
    }
    text += fmt::format(" {} |\n", row.cost);
  }
  text += "\n## Boundaries\n\n";
  for (const ReviewRow& row : r.rows) {
    for (const std::string& boundary : row.boundaries) text += fmt::format("- `{}`: {}\n", row.lock, boundary);
  }
  text += bullets("What would make it safe, each of it searched", remedies_of(r));
  text += bullets("Searched", r.searched) + bullets("Not searched", r.not_searched);
  text += bullets("These do not fit", misfits(r));
  if (!r.stopped.empty()) text += fmt::format("\nNot everything was searched: {}.\n", r.stopped);
  return text + fmt::format("\nMade by `{}`.\n", r.reproduce);
}

}  // namespace lockproof::harness
