// SPDX-License-Identifier: Apache-2.0
#include "harness/report/swept.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "harness/report/junit.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/shell_word.hpp"

namespace lockproof::harness {
namespace {

using Strike = SweptReport::Strike;
using Group = SweptReport::Group;

/// Faults that take keys away: what breaks after them is the servers' doing.
bool takes_keys(const std::string& fault) {
  constexpr std::string_view kinds[] = {"flush", "evict", "restart", "power-cut", "failover", "clock-jump"};
  return std::ranges::any_of(kinds, [&](std::string_view kind) { return fault.starts_with(kind); });
}

/// What is worth knowing comes first.
int rank(const Group& g) {
  if (g.fault.empty()) return 0;
  if (g.flushed) return 5;
  if (g.way.kind == "double-grant") return 1;
  if (g.way.property == "owner-release") return 2;
  const bool stood = g.fault == "pause" || g.fault == "delay";
  const bool by_pause =
      g.way.kind == "outlived" || g.way.property == "resource-safety" || (stood && g.way.property == "grant-is-valid");
  return by_pause ? 6 : g.way.property == "loss-notification" ? 4 : 3;
}

std::string name_of(const SweptViolation& way) {
  return way.kind.empty() ? way.property : fmt::format("{}: {}", way.property, way.kind);
}

std::string by(const Group& g) {
  if (g.fault.empty()) return "without any fault";
  std::string text = fmt::format("{} at {}", g.fault, g.events.front());
  if (!g.second.empty()) text += " and " + g.second;
  return text;
}

bool is_undecided(const Strike& strike) {
  return strike.struck > 0 && strike.found.empty() && strike.late >= strike.runs;
}

char mark(const Strike* strike) {
  if (!strike) return '-';
  if (strike->struck == 0) return '0';
  if (is_undecided(*strike)) return '?';
  if (strike->found.empty()) return '.';
  const auto always = [&](const auto& found) { return found.second >= strike->struck; };
  return std::ranges::any_of(strike->found, always) ? 'X' : '~';
}

std::string legend(const SweptReport& r) {
  std::string text = fmt::format("  X violated   ~ in some repetitions   . no violation\n  0 did not happen   - {}\n",
                                 r.left_out > 0 ? "does not apply, or no time was left for it" : "does not apply");
  const auto undecided = std::ranges::count_if(r.strikes, is_undecided);
  if (undecided == 0) return text;
  return text + fmt::format(
                    "  ? no violation, and what depends on time is undecided: the machine was late each time "
                    "({} strikes)\n",
                    undecided);
}

/// In a long table, events at which nothing violates anything are counted.
std::string table(const SweptReport& r) {
  constexpr std::size_t long_table = 20;
  std::map<std::pair<std::string, std::string>, const Strike*> cells;
  for (const Strike& strike : r.strikes) {
    if (strike.second.empty()) cells[{strike.event, strike.fault}] = &strike;
  }
  std::size_t width = 0, harmless = 0, left_out = 0;
  for (const std::string& event : r.events) width = std::max(width, columns_of(printable(event)));
  std::string text = fmt::format("  {:<{}}", "", width);
  for (const std::string& kind : r.kinds) text += "  " + kind;
  text += "\n";
  for (const std::string& event : r.events) {
    std::string line = fmt::format("  {:<{}}", printable(event), width), marks;
    for (const std::string& kind : r.kinds) {
      const auto found = cells.find({event, kind});
      marks += mark(found == cells.end() ? nullptr : found->second);
      line += fmt::format("  {:^{}}", marks.back(), kind.size());
    }
    line.erase(line.find_last_not_of(' ') + 1);
    if (r.events.size() > long_table && marks.find_first_not_of(".-") == std::string::npos) {
      ++(r.left_out > 0 && marks.find('.') == std::string::npos ? left_out : harmless);
    } else {
      text += line + "\n";
    }
  }
  if (harmless > 0) {
    text += fmt::format("  at {} other events nothing is violated by {}\n", harmless,
                        r.left_out > 0 ? "the faults that there was time for" : "any fault");
  }
  if (left_out > 0) text += fmt::format("  at {} other events nothing struck: no time was left\n", left_out);
  return text;
}

/// "finding-01.toml  3 of 3  pause at client-1 enters, and 2 more"
std::string line_of(const Group& g, const Style& style) {
  constexpr std::size_t indent = 6;
  const std::string name = g.file.empty() ? "" : printable(g.file.substr(g.file.rfind('/') + 1)) + "  ";
  const std::string more = g.events.size() > 1 ? fmt::format(", and at {} more", g.events.size() - 1) : "";
  const std::string begin = fmt::format("{:{}}{}{} of {}  ", "", indent, name, g.found, g.runs);
  return style.wrap(begin + printable(by(g)) + more, columns_of(begin)) + "\n";
}

/// What was violated, each way once, and by which faults.
std::string findings_text(const SweptReport& r, const Style& style) {
  std::vector<const Group*> firsts;
  for (const Group& g : r.groups) {
    const auto same = [&](const Group* first) { return first->way == g.way; };
    if (std::ranges::none_of(firsts, same)) firsts.push_back(&g);
  }
  std::string text;
  for (const Group* first : firsts) {
    text += fmt::format("  {}  {}\n", style.bad("violated"), style.strong(name_of(first->way)));
    text += style.wrap("      " + printable(first->sentence), 6) + "\n";
    if (first->way.kind == "outlived") text += "      a lock with a lease cannot prevent this by itself\n";
    for (const Group& g : r.groups) {
      if (g.way == first->way) text += line_of(g, style);
    }
  }
  const auto saved = std::ranges::find_if(r.groups, [](const Group& g) { return !g.file.empty(); });
  if (saved == r.groups.end()) return text;
  const std::string folder = saved->file.substr(0, saved->file.rfind('/') + 1);
  return text + fmt::format("\n  the files are in {}; the first one again:\n{}\n", printable(folder),
                            style.command("  ", "lockproof real " + shell_word(saved->file) +
                                                    (r.traced ? " --server traced" : "")));
}

}  // namespace

void group(SweptReport& r) {
  using Key = std::tuple<SweptViolation, std::string, std::string, std::string>;
  std::map<Key, std::size_t> known;
  for (const Strike& strike : r.strikes) {
    for (const auto& [way, times] : strike.found) {
      const Key key{way, strike.fault, strike.place, strike.second};
      const auto [at, is_new] = known.try_emplace(key, r.groups.size());
      if (is_new) {
        Group made{way, strike.fault, strike.second, {}, strike.sentences.at(way), strike.runs, times, false, {}};
        made.flushed = takes_keys(strike.fault) || takes_keys(strike.second);
        r.groups.push_back(std::move(made));
      }
      r.groups[at->second].events.push_back(strike.event);
    }
  }
  std::ranges::stable_sort(r.groups, {}, rank);
}

std::string swept_text(const SweptReport& r, const Style& style) {
  std::string text = r.references == 1 ? fmt::format("a run without faults: {} events", r.events.size())
                                       : fmt::format("{} runs without faults: {} events in all of them", r.references,
                                                     r.events.size());
  if (!r.not_in_every.empty()) {
    text += fmt::format(", {} in some only, where nothing strikes:\n    {}", r.not_in_every.size(),
                        printable_lines(listed(r.not_in_every, style.columns(), 4)));
  }
  const auto made = std::ranges::count_if(r.strikes, [](const Strike& s) { return !s.fault.empty(); });
  const auto happened =
      std::ranges::count_if(r.strikes, [](const Strike& s) { return !s.fault.empty() && s.struck > 0; });
  text += fmt::format("\n{} of {} strikes happened; {} runs", happened, made, r.runs);
  if (r.traced)
    text += fmt::format(" in virtual time, whose digest is {}\n", r.digest);
  else
    text += fmt::format(" in {:.1f} s, {:.1f} a second, {} at once\n", r.seconds,
                        r.seconds > 0 ? static_cast<double>(r.runs) / r.seconds : 0.0, r.jobs);
  text += printable(key_sentence(r.key)) + "\n";
  if (!r.followed.empty()) {
    text +=
        fmt::format("after its last round a struck program was followed for {}; lockproof real follows it for longer\n",
                    r.followed);
  }
  if (r.left_out > 0) text += fmt::format("no time was left for {} strikes\n", r.left_out);
  if (made > 0) text += "\n" + legend(r) + "\n" + table(r);
  return text + "\n" + (r.groups.empty() ? "nothing was violated\n" : findings_text(r, style));
}

/// One suite, with a case for each fault at each event.
std::string swept_junit(const SweptReport& r) {
  RunReport suite;
  suite.scenario = r.scenario;
  suite.file = r.file;
  suite.title = r.title;
  suite.algorithm = r.algorithm;
  suite.world = "swept";
  suite.reproduce = r.reproduce;
  suite.seconds = r.seconds;
  for (const Strike& s : r.strikes) {
    check::Finding finding;
    finding.property = s.fault.empty() ? "without faults" : fmt::format("{} at {}", s.fault, s.event);
    if (!s.second.empty()) finding.property += " and " + s.second;
    std::vector<std::string> ways;
    for (const auto& [way, times] : s.found) {
      ways.push_back(fmt::format("{} in {} of {} runs: {}", name_of(way), times, s.runs, s.sentences.at(way)));
    }
    finding.what = ways.empty() ? "the fault did not happen" : fmt::format("{}", fmt::join(ways, "; "));
    finding.judged = s.struck > 0 || s.fault.empty();
    finding.verdict = ways.empty() ? check::Verdict::not_found : check::Verdict::violated;
    suite.properties.push_back({finding, std::string(name(check::Verdict::not_found)),
                                ways.empty() ? check::Agreement::yes : check::Agreement::no});
  }
  return junit({suite});
}

int exit_code_of(const SweptReport& r) {
  if (r.strikes.empty()) return 2;
  if (r.groups.empty()) return r.left_out > 0 ? 2 : 0;
  const auto always = [](const Group& g) { return g.found >= g.runs; };
  return std::ranges::any_of(r.groups, always) ? 1 : 3;
}

}  // namespace lockproof::harness
