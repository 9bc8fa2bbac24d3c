// SPDX-License-Identifier: Apache-2.0
#include "harness/report/answers/bounded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/text/headed.hpp"
#include "harness/report/text/xml_text.hpp"

namespace lockproof::harness {
namespace {

using Answer = BoundaryPoint::Answer;

/// Points beside each other with one answer.
struct Stretch {
  const BoundaryPoint *first, *last;
};

std::vector<Stretch> stretches(const BoundaryReport& r) {
  std::vector<Stretch> all;
  for (const BoundaryPoint& point : r.points) {
    if (all.empty() || all.back().last->answer != point.answer) all.push_back({&point, &point});
    all.back().last = &point;
  }
  return all;
}

bool is_edge(const BoundaryPoint& a, const BoundaryPoint& b) {
  return a.answer != b.answer && a.answer != Answer::unknown && b.answer != Answer::unknown;
}

/// "0 s ──── holds ──── 10.041 s ┃ 10.042 s ──── breaks ──── 44 s"
std::string diagram(const BoundaryReport& r) {
  std::string text;
  const std::vector<Stretch> all = stretches(r);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [first, last] = all[i];
    if (i > 0) text += is_edge(*all[i - 1].last, *first) ? " ┃ " : " … ";
    const std::string line = first->answer == Answer::breaks  ? "━━━━"
                             : first->answer == Answer::holds ? "────"
                                                              : "····";
    text += first == last ? fmt::format("{0} {1} {2} {0}", line, first->text, name(first->answer))
                          : fmt::format("{0} {1} {2} {1} {3}", first->text, line, name(first->answer), last->text);
  }
  return text;
}

std::string edge_text(const BoundaryPoint& below, const BoundaryPoint& above, const BoundaryReport& r) {
  return fmt::format("edge: {} {}, and {} {} (both searched, in every schedule; grid {})", below.text,
                     name(below.answer), above.text, name(above.answer), r.grid);
}

std::string monotone_text(const BoundaryReport& r) {
  const std::size_t count = edges(r).size();
  if (count > 1) return "it is not monotone: the verdict changes more than once";
  if (count == 0) return "no edge in this range: wherever it was searched the verdict is the same, or not known";
  return "on each side of the edge every value that was searched has the same verdict; those between them were not "
         "searched";
}

std::string derived_text(const DerivedEdge& d) {
  if (d.above.empty()) return fmt::format("on paper: no edge in this range, as {} ({})", d.formula, d.record);
  return fmt::format("on paper: between {} and {}, as {} ({}){}", d.below, d.above, d.formula, d.record,
                     d.agrees ? ": the same" : ": NOT what was searched");
}

// -- the picture

constexpr int width = 900, height = 190, margin = 40, line_at = 92;

const char* colour(Answer answer) {
  switch (answer) {
    case Answer::holds: return "#2f7d46";
    case Answer::breaks: return "#b3261e";
    case Answer::unknown: return "#9a7b1a";
  }
  return "";
}

std::string label(int x, int y, std::string_view text, const char* anchor, const char* more = "") {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more, xml_text(text));
}

}  // namespace

std::string_view name(Answer answer) {
  switch (answer) {
    case Answer::holds: return "holds";
    case Answer::breaks: return "breaks";
    case Answer::unknown: return "not known";
  }
  return "";
}

std::vector<std::size_t> edges(const BoundaryReport& r) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i + 1 < r.points.size(); ++i) {
    if (is_edge(r.points[i], r.points[i + 1])) all.push_back(i);
  }
  return all;
}

std::string boundary_text(const BoundaryReport& r) {
  std::string text = fmt::format("{} over {} ({}, here {})\n\n", r.property, r.what, r.key, r.now);
  text += "  " + diagram(r) + "\n\n";
  for (const std::size_t i : edges(r)) text += edge_text(r.points[i], r.points[i + 1], r) + "\n";
  text += monotone_text(r) + "\n";
  if (r.derived) text += derived_text(*r.derived) + "\n";
  std::uint64_t states = 0;
  for (const BoundaryPoint& point : r.points) states += point.states;
  text += fmt::format("searched: {} values from {} to {}, {} states\n", r.points.size(), r.points.front().text,
                      r.points.back().text, states);
  if (!r.out.empty()) text += fmt::format("written: {0}/boundary.svg, {0}/boundary.json\n", r.out);
  return text;
}

std::string boundary_json(const BoundaryReport& r) {
  using Json = nlohmann::ordered_json;
  Json points = Json::array(), found = Json::array();
  for (const BoundaryPoint& point : r.points) {
    points.push_back({{"value", point.text}, {"answer", std::string(name(point.answer))}, {"states", point.states}});
  }
  for (const std::size_t i : edges(r)) {
    const BoundaryPoint &below = r.points[i], &above = r.points[i + 1];
    found.push_back({{"below", below.text}, {"above", above.text}, {"above_it", std::string(name(above.answer))}});
  }
  Json whole{{"file", r.file}, {"title", r.title}, {"property", r.property}, {"key", r.key},    {"what", r.what},
             {"now", r.now},   {"grid", r.grid},   {"edges", found},         {"points", points}};
  if (r.derived) {
    const DerivedEdge& d = *r.derived;
    whole["derived"] = {
        {"formula", d.formula}, {"record", d.record}, {"below", d.below}, {"above", d.above}, {"agrees", d.agrees}};
  }
  whole["reproduce"] = r.reproduce;
  return document(whole);
}

/// Each stretch is as long as another one, for the values lie far apart; the axis says what they are.
std::string boundary_svg(const BoundaryReport& r) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "font-family=\"sans-serif\" font-size=\"13\" fill=\"#1a1a1a\">\n<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height, xml_text(fmt::format("{} over {}", r.property, r.what)));
  text += label(margin, 30, fmt::format("{} over {}", r.property, r.what), "start",
                " font-size=\"16\" font-weight=\"600\"");
  text += label(margin, 50, fmt::format("{}; the scenario has {}", r.title, r.now), "start");
  const std::vector<Stretch> all = stretches(r);
  const int each = (width - 2 * margin) / static_cast<int>(std::max<std::size_t>(all.size(), 1));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [first, last] = all[i];
    const int x = margin + each * static_cast<int>(i);
    text += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"14\" fill=\"{}\"/>\n", x + 1, line_at, each - 2,
                        colour(first->answer));
    text += label(x + each / 2, line_at - 9, name(first->answer), "middle", " font-weight=\"600\"");
    text += label(x + 4, line_at + 32, first->text, "start");
    if (first != last) text += label(x + each - 4, line_at + 32, last->text, "end");
  }
  text += label(margin, line_at + 56, monotone_text(r), "start");
  if (!r.derived) return text + "</svg>\n";
  const DerivedEdge& d = *r.derived;
  const std::string where =
      d.above.empty() ? "no edge in this range" : fmt::format("between {} and {}", d.below, d.above);
  const std::string agrees = d.above.empty() ? "" : d.agrees ? ", the same" : ", NOT what was searched";
  text += label(margin, line_at + 74, fmt::format("on paper: {}{} ({})", where, agrees, d.record), "start");
  text += label(margin, line_at + 90, d.formula, "start", " font-size=\"11\"");
  return text + "</svg>\n";
}

}  // namespace lockproof::harness
