// SPDX-License-Identifier: Apache-2.0
#include "execution/fuzz/fuzz_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "harness/check/expectation.hpp"
#include "harness/report/text/printable.hpp"

namespace lockproof::execution {
namespace {

using check::Finding;
using check::Verdict;
using harness::FuzzReport;
using harness::FuzzViolation;

/// With 95 %, of runs that are drawn alike and independently: the rule of three.
double rule_of_three(std::uint64_t runs) { return std::min(1.0, 3.0 / static_cast<double>(runs)); }

/// What it means that none of the runs found it.
std::string worth(const FuzzReport& r) {
  const std::string none = fmt::format("no finding in {} runs", r.run.runs);
  if (r.run.runs == 0) return "no run was made";
  if (r.strategy == "guided") {
    return fmt::format("{}, which build on each other; of the {} drawn afresh: p < {:.2g} at 95 % under this sampler",
                       none, r.fresh, r.fresh ? rule_of_three(r.fresh) : 1.0);
  }
  if (!r.bounded) return fmt::format("{}: p < {:.2g} at 95 % under this sampler", none, rule_of_three(r.run.runs));
  const double p = 1.0 / (static_cast<double>(r.threads) * std::pow(static_cast<double>(r.k), r.depth - 1));
  const double missed = std::exp(static_cast<double>(r.run.runs) * std::log1p(-std::min(p, 1.0 - 1e-12)));
  return fmt::format("{}: one of depth {} would have been missed with p <= {:.2g} (PCT: 1/(n k^(d-1)) = {:.2g} a run)",
                     none, r.depth, missed, p);
}

/// Run number 3 of seed 10 is that of seed 13; where runs build on each other a seed alone does not make one.
std::string which(const FuzzReport& r, const FuzzViolation& way) {
  if (r.strategy == "guided") return fmt::format("first in run {}", way.first + 1);
  return fmt::format("first with seed {}", r.run.seed + way.first);
}

Finding violated(const FuzzReport& r, std::string_view property) {
  Finding finding{std::string(property), Verdict::violated, "", "", {}};
  for (const FuzzViolation& way : r.violated) {
    if (way.property != property) continue;
    if (finding.what.empty()) {
      finding.kind = way.kind;
      finding.events = way.events;
      finding.what = fmt::format("{} of {} runs, {}: {}", way.runs, r.run.runs, which(r, way), way.what);
    } else {
      finding.what += fmt::format("; {} in {} runs, {}", way.kind, way.runs, which(r, way));
    }
  }
  return finding;
}

/// Whether one vacuous run is a finding.
bool vacuous_counts(const FuzzReport& r) { return r.budget.empty() && r.strategy == "random"; }

Finding finding_of(const FuzzReport& r, std::string_view property, bool judged) {
  if (r.run.runs == 0) return {std::string(property), Verdict::unknown, "", "no run was made", {}};
  const auto of_it = [&](const FuzzViolation& way) { return way.property == property; };
  const auto broken = std::ranges::find_if(r.violated, of_it);
  // A fault of the budget may end a run before anybody contends, or priorities keep them apart: that is said of the
  // runs together.
  const bool vacuous_now_and_then = property == "exercised" && !vacuous_counts(r);
  if (broken != r.violated.end() && !(vacuous_now_and_then && broken->runs < r.run.runs)) return violated(r, property);
  const auto undecided = std::ranges::find_if(r.unknown, of_it);
  const bool some_tell = undecided != r.unknown.end() && !vacuous_counts(r) && undecided->runs < r.run.runs &&
                         !undecided->what.starts_with("the checker failed");
  if (undecided != r.unknown.end() && !some_tell) {
    return {std::string(property),
            Verdict::unknown,
            "",
            fmt::format("{} of {} runs, {}: {}", undecided->runs, r.run.runs, which(r, *undecided), undecided->what),
            {}};
  }
  if (some_tell) {
    const std::string what = fmt::format("no finding in the {} runs that could tell; in the others, {}: {}",
                                         r.run.runs - undecided->runs, which(r, *undecided), undecided->what);
    return {std::string(property), Verdict::not_found, "", what, {}};
  }
  Finding finding{std::string(property), Verdict::not_found, "", "", {}, judged};
  if (judged && !vacuous_now_and_then) finding.what = worth(r);
  if (vacuous_now_and_then && broken != r.violated.end()) {
    finding.what = fmt::format("{} of {} runs were vacuous: {}", broken->runs, r.run.runs, broken->what);
  }
  return finding;
}

/// The same sentence for each property that was not found broken is said once.
harness::RunReport briefly(const FuzzReport& r) {
  harness::RunReport run = r.run;
  for (check::ComparedFinding& compared : run.properties) {
    if (compared.finding.what == worth(r)) compared.finding.what.clear();
  }
  return run;
}

bool found_all(const FuzzReport& r) {
  return std::ranges::none_of(r.run.properties, [&](const auto& c) { return c.finding.what == worth(r); });
}

std::string pct_text(const FuzzReport& r) {
  if (r.strategy != "pct" || r.run.runs == 0) return "";
  if (r.bounded)
    return fmt::format("PCT's bound holds: n = {} threads, k = {} events, nothing but order is open\n", r.threads, r.k);
  return fmt::format("PCT's bound does not hold here: {}\n", fmt::join(r.unbounded, "; "));
}

std::string runs_text(const FuzzReport& r) {
  const std::uint64_t share = r.asked < r.part ? 0 : (r.asked - r.part) / r.of + 1;
  std::string text = fmt::format("{} {} run{}", r.run.runs, r.strategy, r.run.runs == 1 ? "" : "s");
  if (r.strategy == "pct") text += fmt::format(" of depth {}", r.depth);
  if (r.of > 1) text += fmt::format(" of shard {}/{} of {}", r.part, r.of, r.asked);
  text += fmt::format(" from seed {}", r.run.seed);
  if (r.run.runs < share) text += fmt::format(", of {} asked for", share);
  if (r.merged > 0) text += fmt::format(", in {} shards, each guided by what it met itself", r.merged);
  return text;
}

}  // namespace

const FuzzViolation* worst(const FuzzReport& r) {
  for (const check::Property& property : check::every_property()) {
    if (property.name == "exercised" && !vacuous_counts(r)) continue;
    const auto way = std::ranges::find(r.violated, property.name, &FuzzViolation::property);
    if (way != r.violated.end()) return &*way;
  }
  return nullptr;
}

std::string reproduce_text(const FuzzReport& r) {
  const FuzzViolation* shown = worst(r);
  if (shown && r.strategy != "guided") {
    const bool many = !r.budget.empty() || r.strategy != "random";
    return fmt::format("{}{} --seed {}", r.command, many ? " --runs 1" : "", r.run.seed + shown->first);
  }
  const std::string shard = r.merged > 0 ? fmt::format(" --shard I/{}, for each I", r.merged)
                            : r.of > 1   ? fmt::format(" --shard {}/{}", r.part, r.of)
                                         : "";
  return fmt::format("{} --runs {} --seed {}{}", r.command, r.asked, r.run.seed, shard);
}

void judge(FuzzReport& r, const std::optional<harness::Expectations>& expected) {
  std::vector<Finding> findings;
  for (const check::Property& property : check::every_property()) {
    const bool is_asked_for = std::ranges::find(r.asked_for, property.name) != r.asked_for.end();
    if (check::is_asked_for(property) ? !is_asked_for : check::is_of_programs(property) && !r.of_program) continue;
    const bool judged = std::ranges::find(r.not_judged, property.name) == r.not_judged.end();
    const bool claimed = std::ranges::find(r.not_claimed, property.name) == r.not_claimed.end();
    findings.push_back(claimed ? finding_of(r, property.name, judged) : check::not_claimed());
    findings.back().property = property.name;
  }
  r.run.properties = check::compare(std::move(findings), expected);
  r.run.violated.clear();
  for (const FuzzViolation& way : r.violated) r.run.violated[way.property] += way.runs;
}

std::string fuzz_text(const FuzzReport& r, const harness::Style& style) {
  std::string text =
      fmt::format("{}\n{}, {}\n", harness::heading(r.run.title, r.run.scenario), r.run.algorithm, runs_text(r));
  if (!r.chosen_by_auto.empty()) text += r.chosen_by_auto + "\n";
  text += "\n" + verdict_text(briefly(r), style);
  if (!found_all(r)) text += fmt::format("no violation means: {}\n", worth(r));
  if (!r.within.empty()) text += fmt::format("drawn from: {}\n", r.within);
  if (!r.never_struck.empty()) {
    text += fmt::format("in none of the runs, so nothing is known of it: {}\n", fmt::join(r.never_struck, ", "));
  }
  if (r.strategy == "guided") {
    text += fmt::format("met {} combinations of lock situation, faults and phases\n", r.met.size());
  }
  text += pct_text(r);
  if (!r.happened.empty()) text += fmt::format("what happened: {}\n", r.happened);
  return style.fit(text) + style.command("reproduce: ", r.run.reproduce) + "\n";
}

}  // namespace lockproof::execution
