// SPDX-License-Identifier: Apache-2.0
// The picture of a review: its table, with a colour for each verdict, as SVG that needs nothing else.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/report/answers/reviewed.hpp"
#include "harness/report/text/xml_text.hpp"

namespace lockproof::harness {
namespace {

constexpr int row_height = 30, head_height = 84, lock_width = 210, cell_width = 190, cost_width = 290, border = 16,
              line_height = 20;

/// Light enough for black letters, and told apart by lightness too.
const char* colour(ReviewCell::Verdict verdict) {
  switch (verdict) {
    case ReviewCell::Verdict::held: return "#d7ecd9";
    case ReviewCell::Verdict::broken: return "#f2b8b0";
    case ReviewCell::Verdict::unknown: return "#f6e7b4";
    case ReviewCell::Verdict::not_asked: return "#eeeeee";
  }
  return "#ffffff";
}

std::string text_at(int x, int y, std::string_view text, const char* more = "") {
  return fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", x, y, more, xml_text(text));
}

std::string row_of(const ReviewReport& r, const ReviewRow& row, int y) {
  std::string text = text_at(border, y + 20, row.lock, " font-weight=\"600\"");
  int x = border + lock_width;
  for (const Concern concern : r.asked) {
    const auto found = row.cells.find(concern);
    const ReviewCell cell = found == row.cells.end() ? ReviewCell{} : found->second;
    const bool broken = cell.verdict == ReviewCell::Verdict::broken;
    const std::string said = broken ? "broken: " + cell.causes.front().label : std::string(word(cell.verdict));
    text +=
        fmt::format("<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"{}\"/>\n",
                    xml_text(broken ? cell.causes.front().words : cell.why), x, y + 2, cell_width - 6, row_height - 4,
                    colour(cell.verdict));
    text += text_at(x + 8, y + 20, said) + "</g>\n";
    x += cell_width;
  }
  return text + text_at(x, y + 20, row.cost);
}

/// On what the cells of all locks rest.
std::string common_measures_text(const ReviewReport& r) {
  std::vector<std::string> common = r.rows.empty() ? std::vector<std::string>{} : r.rows.front().measures;
  for (const ReviewRow& row : r.rows) {
    std::erase_if(common,
                  [&](const std::string& one) { return std::ranges::find(row.measures, one) == row.measures.end(); });
  }
  return common.empty() ? "" : fmt::format("searched with {}", fmt::join(common, "; "));
}

}  // namespace

std::string review_svg(const ReviewReport& r) {
  const int picture_width = 2 * border + lock_width + cell_width * static_cast<int>(r.asked.size()) + cost_width;
  const std::string measures = common_measures_text(r);
  const int table_height = head_height + row_height * static_cast<int>(r.rows.size());
  const int picture_height = table_height + (measures.empty() ? 0 : line_height) + border;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "font-family=\"sans-serif\" font-size=\"13\" fill=\"#1a1a1a\">\n<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      picture_width, picture_height, xml_text(r.title));
  text += text_at(border, 26, r.title, " font-size=\"17\" font-weight=\"600\"") + text_at(border, 47, r.question);
  int x = border + lock_width;
  for (const Concern concern : r.asked) {
    text += text_at(x, head_height - 10, name(concern), " font-weight=\"600\"");
    x += cell_width;
  }
  text += text_at(x, head_height - 10, "cost", " font-weight=\"600\"");
  int y = head_height;
  for (const ReviewRow& row : r.rows) {
    text += row_of(r, row, y);
    y += row_height;
  }
  if (!measures.empty()) text += text_at(border, y + line_height, measures);
  return text + "</svg>\n";
}

}  // namespace lockproof::harness
