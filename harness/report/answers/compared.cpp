// SPDX-License-Identifier: Apache-2.0
#include "harness/report/answers/compared.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/text/headed.hpp"
#include "harness/report/text/plural.hpp"
#include "harness/report/text/printable.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;
using Side = ComparedRow::Side;

std::size_t rows_of(const ComparedReport& r, Side side) {
  return static_cast<std::size_t>(std::ranges::count(r.rows, side, &ComparedRow::side));
}

std::string fault_text(const ComparedRow& row) { return row.faults.empty() ? "no fault" : row.faults; }

std::string cause_text(const ComparedRow& row) {
  std::string text = fault_text(row);
  if (!row.amounts.empty()) text += fmt::format(" {}", fmt::join(row.amounts, ", "));
  if (!row.place.empty()) text += ", " + row.place;
  return row.world.empty() ? text : fmt::format("{} ({})", text, row.world);
}

std::string witness_text(std::string_view side, const std::optional<ComparedWitness>& witness) {
  if (!witness) return "";
  const std::string events =
      witness->events > 0 ? ", " + plural(static_cast<std::uint64_t>(witness->events), "event") : "";
  std::string text = fmt::format("      {}: {}{}\n", side, printable(witness->with), events);
  return witness->file.empty() ? text : text + fmt::format("         lockproof run {}\n", printable(witness->file));
}

/// Rows of one fault, wherever it strikes; that break the same, if they are not told briefly.
struct RowGroup {
  const ComparedRow* first;
  std::vector<std::string> breaks, amounts, places;
};

void add_missing(const std::vector<std::string>& from, std::vector<std::string>& into) {
  for (const std::string& text : from) {
    if (!text.empty() && std::ranges::find(into, text) == into.end()) into.push_back(text);
  }
}

bool is_brief(Side side) { return side == Side::both || side == Side::unpreventable; }

std::vector<RowGroup> groups_of(const ComparedReport& r, Side side) {
  std::vector<RowGroup> groups;
  for (const ComparedRow& row : r.rows) {
    if (row.side != side) continue;
    auto group = std::ranges::find_if(groups, [&](const RowGroup& one) {
      return one.first->world == row.world && one.first->faults == row.faults &&
             (is_brief(side) || one.breaks == row.breaks);
    });
    if (group == groups.end()) group = groups.insert(groups.end(), RowGroup{&row, row.breaks, {}, {}});
    add_missing(row.breaks, group->breaks);
    add_missing(row.amounts, group->amounts);
    add_missing({row.place}, group->places);
  }
  return groups;
}

std::string group_text(const RowGroup& group) {
  std::string text = "  " + fault_text(*group.first);
  if (!group.amounts.empty()) text += fmt::format(" {}", fmt::join(group.amounts, ", "));
  if (!group.first->world.empty()) text += fmt::format(" ({})", group.first->world);
  text += fmt::format(": {}\n", fmt::join(group.breaks, ", "));
  if (is_brief(group.first->side)) return text;
  if (!group.places.empty()) text += fmt::format("      {}\n", fmt::join(group.places, "; "));
  return text + witness_text("A", group.first->a) + witness_text("B", group.first->b);
}

std::string section_text(const ComparedReport& r, Side side, const std::string& head, const Style& style) {
  const std::vector<RowGroup> groups = groups_of(r, side);
  if (groups.empty()) return side == Side::only_a || side == Side::only_b ? head + ": nothing\n" : "";
  std::string text;
  for (const RowGroup& group : groups) text += group_text(group);
  const std::string lines = style.fit(text);
  if (side != Side::unpreventable) return head + "\n" + lines;
  return style.faint(fmt::format("{}\n{}", head, lines.substr(0, lines.size() - 1))) + "\n";
}

std::string gap_text(const ComparedGap& gap) {
  std::string text = fmt::format("  {}: {}", gap.why, fmt::join(gap.faults, ", "));
  if (!gap.properties.empty()) text += fmt::format("; {}", fmt::join(gap.properties, ", "));
  return text + "\n";
}

std::string gaps_text(const ComparedReport& r, bool decisive, const std::string& head) {
  std::string text;
  for (const ComparedGap& gap : r.gaps) {
    if (gap.decisive == decisive) text += gap_text(gap);
  }
  return text.empty() ? "" : head + "\n" + text;
}

/// The worst row of one side: with the fewest faults, as they stand.
const ComparedRow* first_of(const ComparedReport& r, Side side) {
  const auto row = std::ranges::find(r.rows, side, &ComparedRow::side);
  return row == r.rows.end() ? nullptr : &*row;
}

std::string head_of(Side side, const ComparedReport& r) {
  switch (side) {
    case Side::only_a: return "broken only by A";
    case Side::only_b: return "broken only by B";
    case Side::both: return "broken by both";
    case Side::unpreventable:
      return r.service.empty() ? "what no lock on its service can prevent"
                               : fmt::format("what no lock on {} can prevent", r.service);
    case Side::open_of_a: return "broken by B, and not decided of A";
    case Side::open_of_b: return "broken by A, and not decided of B";
  }
  return "";
}

constexpr Side every_side[] = {Side::only_b,    Side::open_of_a, Side::only_a,
                               Side::open_of_b, Side::both,      Side::unpreventable};

std::string in_a_cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

Json to_json(const std::optional<ComparedWitness>& witness) {
  if (!witness) return nullptr;
  return {
      {"with", witness->with}, {"events", witness->events}, {"file", witness->file}, {"scenario", witness->scenario}};
}

}  // namespace

std::string_view name(Side side) {
  switch (side) {
    case Side::only_a: return "only-a";
    case Side::only_b: return "only-b";
    case Side::both: return "both";
    case Side::unpreventable: return "unpreventable";
    case Side::open_of_a: return "open-of-a";
    case Side::open_of_b: return "open-of-b";
  }
  return "";
}

std::optional<bool> ComparedReport::is_no_worse() const {
  if (rows_of(*this, Side::only_b) > 0) return false;
  const bool open = rows_of(*this, Side::open_of_a) > 0 || std::ranges::any_of(gaps, &ComparedGap::decisive);
  return open ? std::nullopt : std::optional(true);
}

std::string compared_answer(const ComparedReport& r) {
  const auto no_worse = r.is_no_worse();
  if (no_worse == false) {
    const ComparedRow& row = *first_of(r, Side::only_b);
    const std::size_t more = groups_of(r, Side::only_b).size() - 1;
    return fmt::format("B breaks where A does not: {}, {}{}", fmt::join(row.breaks, ", "),
                       row.faults.empty() ? "without a fault" : "by " + row.faults,
                       more == 0 ? "" : fmt::format(", and in {} more way{}", more, more == 1 ? "" : "s"));
  }
  const std::size_t mended = rows_of(r, Side::only_a);
  const std::string withstands =
      fmt::format("withstands {} that break{} A", plural(mended, "cause"), mended == 1 ? "s" : "");
  if (!no_worse) {
    return fmt::format("It cannot be told whether B breaks where A does not{}", mended > 0 ? "; it " + withstands : "");
  }
  if (mended > 0) return fmt::format("B breaks nowhere where A does not, and {}", withstands);
  return rows_of(r, Side::both) > 0 ? "B breaks where A breaks, and nowhere else" : "Nothing breaks A or B";
}

std::string compared_text(const ComparedReport& r, const Style& style) {
  const auto no_worse = r.is_no_worse();
  const std::string answer = style.wrap(compared_answer(r) + ".", 0);
  std::string text = (no_worse ? *no_worse ? style.good(answer) : style.bad(answer) : style.unsure(answer)) + "\n";
  text += style.fit(fmt::format("  A  {} ({})\n  B  {} ({})\n\n", printable(r.a), printable(r.lock_a), printable(r.b),
                                printable(r.lock_b)));
  for (const Side side : every_side) {
    const std::string section = section_text(r, side, head_of(side, r), style);
    text += section.empty() ? "" : section + "\n";
  }
  const std::string open = gaps_text(r, true, "not decided of B, so that the answer may be another");
  const std::string others = gaps_text(r, false, "not compared");
  text += style.fit(open + (open.empty() ? "" : "\n") + others + (others.empty() ? "" : "\n"));
  text += style.fit(fmt::format("asked of both: {}; {}\n  {}, {}, {:.1f} s\n", r.bounds_of, r.scope,
                                r.searches == 1 ? "1 search" : fmt::format("{} searches", r.searches),
                                plural(r.states, "state"), r.seconds));
  if (!r.stopped.empty()) text += style.fit("  " + r.stopped + "\n");
  return text + style.command("reproduce: ", r.reproduce) + "\n";
}

std::string compared_markdown(const ComparedReport& r) {
  std::string text = fmt::format("**{}.**\n\nA is `{}` ({}), B is `{}` ({}).\n\n", compared_answer(r), printable(r.a),
                                 printable(r.lock_a), printable(r.b), printable(r.lock_b));
  if (!r.rows.empty()) text += "| | cause | breaks | A | B |\n|---|---|---|---|---|\n";
  for (const Side side : every_side) {
    for (const ComparedRow& row : r.rows) {
      if (row.side != side) continue;
      const auto cell = [](const std::optional<ComparedWitness>& witness) {
        return witness ? in_a_cell(printable(witness->with)) : "-";
      };
      text += fmt::format("| {} | {} | {} | {} | {} |\n", head_of(side, r), in_a_cell(cause_text(row)),
                          fmt::join(row.breaks, ", "), cell(row.a), cell(row.b));
    }
  }
  if (!r.gaps.empty()) text += "\n";
  for (const ComparedGap& gap : r.gaps) {
    text += fmt::format("- {}: {}", gap.decisive ? "not decided of B" : "not compared", gap_text(gap).substr(2));
  }
  return text + fmt::format("\nAsked of both: {}; {}. `{}`\n", r.bounds_of, r.scope, r.reproduce);
}

std::string compared_json(const ComparedReport& r) {
  Json rows = Json::array(), gaps = Json::array();
  for (const ComparedRow& row : r.rows) {
    rows.push_back({{"side", name(row.side)},
                    {"world", row.world},
                    {"faults", row.faults},
                    {"amounts", row.amounts},
                    {"place", row.place},
                    {"breaks", row.breaks},
                    {"a", to_json(row.a)},
                    {"b", to_json(row.b)}});
  }
  for (const ComparedGap& gap : r.gaps) {
    gaps.push_back(
        {{"why", gap.why}, {"faults", gap.faults}, {"properties", gap.properties}, {"decisive", gap.decisive}});
  }
  const auto no_worse = r.is_no_worse();
  return document({{"answer", compared_answer(r)},
                   {"no_worse", no_worse ? Json(*no_worse) : Json(nullptr)},
                   {"a", r.a},
                   {"b", r.b},
                   {"lock_a", r.lock_a},
                   {"lock_b", r.lock_b},
                   {"rows", rows},
                   {"gaps", gaps},
                   {"bounds_of", r.bounds_of},
                   {"scope", r.scope},
                   {"searches", r.searches},
                   {"states", r.states},
                   {"stopped", r.stopped},
                   {"seconds", r.seconds},
                   {"reproduce", r.reproduce}});
}

}  // namespace lockproof::harness
