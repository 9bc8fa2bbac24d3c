// SPDX-License-Identifier: Apache-2.0
#include "execution/compare/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "execution/compare/not_in.hpp"
#include "execution/compare/side_search.hpp"
#include "execution/explore/scope_text.hpp"
#include "harness/scenario/file/write.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::execution {
namespace {

using harness::ComparedGap;
using harness::ComparedRow;
using harness::ComparedWitness;
using Side = ComparedRow::Side;

/// One fault, or a pair of them, as both sides have it.
struct PairPart {
  std::string text;
  std::optional<harness::Bounds> a{}, b{};
  std::optional<SideAnswer> of_a{}, of_b{};
};

/// Both sides in one world, once they are searched.
struct World {
  const QuestionPair& question;
  std::vector<PairPart> parts;
  std::vector<SideCause> causes_a{}, causes_b{};
  std::vector<StruckFault> apart_a{}, apart_b{};
};

World world_of(const QuestionPair& question) {
  World world{question, {}};
  for (NamedPart& part : parts_of(question.a)) world.parts.push_back({part.text, std::move(part.bounds)});
  for (NamedPart& part : parts_of(question.b)) {
    auto known = std::ranges::find(world.parts, part.text, &PairPart::text);
    if (known == world.parts.end()) known = world.parts.insert(known, PairPart{part.text});
    known->b = std::move(part.bounds);
  }
  return world;
}

void collect(const std::optional<SideAnswer>& said, std::vector<SideCause>& causes, std::vector<StruckFault>& apart) {
  if (!said) return;
  causes.insert(causes.end(), said->causes.begin(), said->causes.end());
  apart.insert(apart.end(), said->parts.begin(), said->parts.end());
}

bool is_decided(const std::optional<SideAnswer>& said, const std::string& property) {
  return said && (said->never || !said->open.contains(property));
}

class Comparison {
 public:
  Comparison(std::vector<World>& worlds, const CompareOrder& order) : worlds_(worlds), order_(order) {}

  void report(harness::ComparedReport& into) {
    for (World& world : worlds_) {
      for (const PairPart& part : world.parts) {
        collect(part.of_a, world.causes_a, world.apart_a);
        collect(part.of_b, world.causes_b, world.apart_b);
      }
      for (const PairPart& part : world.parts) {
        add_rows(world, part, true);
        add_rows(world, part, false);
        add_gaps(part);
      }
    }
    for (Row& row : rows_) into.rows.push_back(std::move(row.row));
    into.rows = with_amounts(std::move(into.rows));
    into.gaps = std::move(gaps_);
  }

 private:
  struct Row {
    ComparedRow row;
    std::string text;  // of its faults, with their amounts
  };

  [[nodiscard]] Side side_of(const World& world, const PairPart& part, const SideCause& cause, bool is_a,
                             bool shared) const {
    if (cause.cause.unpreventable) return Side::unpreventable;
    if (shared) return Side::both;
    const std::string& property = cause.cause.violation.first;
    bool decided = is_decided(is_a ? part.of_b : part.of_a, property);
    if (cause.faults.empty()) {
      decided |= std::ranges::any_of(
          world.parts, [&](const PairPart& one) { return is_decided(is_a ? one.of_b : one.of_a, property); });
    }
    if (!decided) return is_a ? Side::open_of_b : Side::open_of_a;
    return is_a ? Side::only_a : Side::only_b;
  }

  /// A place that neither search tells apart by itself is looked for in the other one's schedules.
  [[nodiscard]] const SideCause* cause_elsewhere(const World& world, const SideCause& cause, bool is_a) const {
    const bool is_elsewhere = std::ranges::any_of(
        cause.faults, [](const StruckFault& fault) { return !fault.spot && !fault.elsewhere.empty(); });
    if (!is_elsewhere) return nullptr;
    harness::NotInCause placed;
    decide_fate(is_a ? world.question.b : world.question.a, cause.cause, order_.limits, placed);
    using Fate = harness::NotInCause::Fate;
    if (placed.fate != Fate::in_b && placed.fate != Fate::not_comparable) return nullptr;
    for (const SideCause& known : is_a ? world.causes_b : world.causes_a) {
      const bool same = known.cause.violation == cause.cause.violation &&
                        std::ranges::equal(known.faults, cause.faults, {}, &StruckFault::text, &StruckFault::text);
      if (same) return &known;
    }
    return placed.fate == Fate::in_b ? &cause : nullptr;
  }

  /// The same one, if no schedule of the other side's searches stands for it.
  [[nodiscard]] const SideCause* other_cause(const World& world, const SideCause& cause, bool is_a) const {
    const SideCause* const known =
        is_a ? same_cause(cause, world.causes_b, world.apart_b) : same_cause(cause, world.causes_a, world.apart_a);
    return known ? known : cause_elsewhere(world, cause, is_a);
  }

  void add_rows(const World& world, const PairPart& part, bool is_a) {
    const std::optional<SideAnswer>& said = is_a ? part.of_a : part.of_b;
    const std::optional<SideAnswer>& others = is_a ? part.of_b : part.of_a;
    if (!said) return;
    for (const SideCause& cause : said->causes) {
      const std::string& property = cause.cause.violation.first;
      if (others && others->unjudged.contains(property)) {
        add_gap(fmt::format("{} is not judged by it, {}", is_a ? "B" : "A", others->unjudged.at(property)), part.text,
                property, false);
        continue;
      }
      const SideCause* const other = other_cause(world, cause, is_a);
      Row& row = row_of(world, cause, side_of(world, part, cause, is_a, other != nullptr));
      const std::string& kind = cause.cause.violation.second;
      const std::string what = kind.empty() ? property : fmt::format("{} ({})", property, kind);
      if (std::ranges::find(row.row.breaks, what) == row.row.breaks.end()) row.row.breaks.push_back(what);
      std::optional<ComparedWitness>& own = is_a ? row.row.a : row.row.b;
      std::optional<ComparedWitness>& its = is_a ? row.row.b : row.row.a;
      if (!own) own = witness_of(cause);
      if (!its && other && other != &cause) its = witness_of(*other);
    }
  }

  Row& row_of(const World& world, const SideCause& cause, Side side) {
    std::vector<std::string> labels, texts, amounts, places;
    for (std::size_t i = 0; i < cause.faults.size(); ++i) {
      const StruckFault& fault = cause.faults[i];
      labels.push_back(fault.label);
      texts.push_back(fault.text);
      if (!fault.amount.empty()) amounts.push_back(fault.amount);
      if (!cause.cause.places[i].empty()) places.push_back(cause.cause.places[i]);
    }
    if (labels.size() > 1) labels = texts, amounts.clear();
    const std::string text = fmt::to_string(fmt::join(texts, " + "));
    const std::string place = fmt::to_string(fmt::join(places, "; "));
    const auto known = std::ranges::find_if(rows_, [&](const Row& one) {
      return one.row.side == side && one.row.world == world.question.world && one.text == text &&
             one.row.place == place;
    });
    if (known != rows_.end()) return *known;
    ComparedRow row{side, world.question.world, fmt::to_string(fmt::join(labels, " + ")), amounts, place, {}, {}, {}};
    return rows_.emplace_back(Row{std::move(row), text});
  }

  [[nodiscard]] ComparedWitness witness_of(const SideCause& cause) const {
    Cause own = cause.cause;
    if (!order_.folder || !own.witness.algorithm) return {own.with, own.events, "", ""};
    make_readable(own, order_.limits.stop_telling);
    return {own.with, own.events, harness::to_toml(own.witness, *order_.folder), ""};
  }

  void add_gaps(const PairPart& part) {
    if (!part.a || !part.b)
      return add_gap(part.a ? "not asked of B, which cannot have it" : "not asked of A, which cannot have it",
                     part.text, "", false);
    const bool never_a = part.of_a->never, never_b = part.of_b->never;
    if (never_a || never_b) {
      add_gap(fmt::format("no schedule of {} has it", never_a ? never_b ? "either" : "A" : "B"), part.text, "", false);
    }
    if (never_b) return;
    for (const auto& [property, why] : part.of_b->open) {
      if (part.of_b->unpreventable.at(property)) continue;
      add_gap(why.empty() ? "not decided" : why, part.text, property, true);
    }
  }

  void add_gap(const std::string& why, const std::string& fault, const std::string& property, bool decisive) {
    auto gap =
        std::ranges::find_if(gaps_, [&](const ComparedGap& one) { return one.why == why && one.decisive == decisive; });
    if (gap == gaps_.end()) gap = gaps_.insert(gaps_.end(), ComparedGap{why, {}, {}, decisive});
    const auto add = [](std::vector<std::string>& into, const std::string& text) {
      if (!text.empty() && std::ranges::find(into, text) == into.end()) into.push_back(text);
    };
    add(gap->faults, fault);
    add(gap->properties, property);
  }

  /// Amounts that do the same are one row.
  static std::vector<ComparedRow> with_amounts(std::vector<ComparedRow> rows) {
    std::vector<ComparedRow> merged;
    const auto key = [](const ComparedRow& row) {
      return std::tie(row.side, row.world, row.faults, row.place, row.breaks);
    };
    for (ComparedRow& row : rows) {
      const auto known = std::ranges::find_if(merged, [&](const ComparedRow& one) { return key(one) == key(row); });
      if (known == merged.end()) {
        merged.push_back(std::move(row));
      } else {
        known->amounts.insert(known->amounts.end(), row.amounts.begin(), row.amounts.end());
      }
    }
    std::ranges::stable_sort(merged, {}, [](const ComparedRow& row) { return !row.faults.empty(); });
    return merged;
  }

  std::vector<World>& worlds_;
  const CompareOrder& order_;
  std::vector<Row> rows_;
  std::vector<ComparedGap> gaps_;
};

/// Both sides of a fault, one after the other, so that a limit leaves little of one side alone.
void search_all(std::vector<World>& worlds, const CompareOrder& order, harness::ComparedReport& into) {
  std::vector<SideTask> tasks;
  for (World& world : worlds) {
    for (PairPart& part : world.parts) {
      if (part.a) tasks.push_back({world.question.a, *part.a, part.of_a.emplace()});
      if (part.b) tasks.push_back({world.question.b, *part.b, part.of_b.emplace()});
    }
  }
  search_sides(tasks, order.limits, order.workers, order.tell);
  into.searches = tasks.size();
  for (const SideTask& task : tasks) into.states += task.said.states;
}

}  // namespace

harness::ComparedReport compare(const std::vector<QuestionPair>& questions, const CompareOrder& order) {
  std::vector<World> worlds;
  for (const QuestionPair& question : questions) worlds.push_back(world_of(question));
  const ComparedSide &a = questions.front().a, &b = questions.front().b;
  harness::ComparedReport report;
  report.a = a.called;
  report.b = b.called;
  report.lock_a = a.scenario.algorithm->name;
  report.lock_b = b.scenario.algorithm->name;
  const Service service = a.scenario.algorithm->service;
  if (service == b.scenario.algorithm->service) report.service = harness::row_of(service).name;
  report.bounds_of = questions.front().bounds_of;
  report.scope = scope_text(sim::bounded(a.scenario, a.bounds, a.alone), a.bounds);
  search_all(worlds, order, report);
  Comparison(worlds, order).report(report);
  return report;
}

}  // namespace lockproof::execution
