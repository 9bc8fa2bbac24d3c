// SPDX-License-Identifier: Apache-2.0
#include "cli/options/fuzz_options.hpp"
#include "cli/options/scenario_files.hpp"

#include <fmt/format.h>

#include <charconv>
#include <thread>

#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {
namespace {

using harness::InputError;

constexpr std::uint64_t without_end = std::uint64_t{1} << 60;  // runs, where only the time limits them
constexpr int depth_by_default = 3;
constexpr sim::Strategy fuzzes_by_itself = sim::Strategy::guided;  // of auto; tests/data/strategies.md compares

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t n = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  return failed == std::errc() && end == text.data() + text.size() ? std::optional(n) : std::nullopt;
}

sim::Shard shard_from(const std::string& text, std::uint64_t runs) {
  const std::size_t slash = text.find('/');
  const auto part = number(std::string_view(text).substr(0, slash));
  const auto of = slash == std::string::npos ? std::nullopt : number(std::string_view(text).substr(slash + 1));
  if (!part || !of || *of == 0) {
    throw InputError("--shard", 0, fmt::format("'{}' is no shard: write 3/16 for the third of sixteen", text));
  }
  if (*part < 1 || *part > *of) {
    throw InputError(
        "--shard", 0,
        fmt::format("there is no shard {}: of {} the first is 1/{} and the last {}/{}", text, *of, *of, *of, *of));
  }
  if (runs < *of) {
    throw InputError(
        "--shard", 0,
        fmt::format("{} shards of {} runs leave some with nothing to do; --runs is of all shards together", *of, runs));
  }
  return {*part, *of};
}

/// "pct" of "pct:3".
std::string_view name_in(std::string_view text) { return text.substr(0, text.find(':')); }

/// 3 of "pct:3".
int depth_from(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto given = colon == std::string_view::npos ? std::nullopt : number(text.substr(colon + 1));
  return given ? static_cast<int>(*given) : depth_by_default;
}

sim::Strategy strategy_from(std::string_view text) {
  for (const sim::Strategy strategy : sim::strategies()) {
    if (name_in(text) == name(strategy)) return strategy;
  }
  return text.empty() ? sim::Strategy::random : fuzzes_by_itself;
}

void check_combination(const Arguments& a) {
  const bool automatic = a.strategy == "auto";
  if (automatic && !a.shard.empty()) {
    throw InputError("--shard", 0,
                     "with --strategy auto it is not known before whether there will be runs to share; run it once, "
                     "then shard the strategy that it chose");
  }
  if (!a.shard.empty() && !a.runs) {
    throw InputError("--shard", 0, "it needs --runs N, the number of runs of all shards together");
  }
  if (!a.shard.empty() && !a.find.empty()) {
    throw InputError(
        "--find", 0,
        "shards do not know what the others find, so their sum would not be the answer; leave --shard out");
  }
}

}  // namespace

bool asks_for_many(const Arguments& a) {
  if (a.verb != "run") return false;
  if (a.runs) return true;
  if (!a.time.empty()) return true;
  const char* option = !a.strategy.empty() ? "--strategy"
                       : !a.shard.empty()  ? "--shard"
                       : !a.budget.empty() ? "--budget"
                       : a.max_faults      ? "--max-faults"
                       : !a.find.empty()   ? "--find"
                       : a.workers > 0     ? "--workers"
                                           : nullptr;
  if (option) throw InputError(option, 0, "it is about many runs: add --runs N, or --time as in --time 60s");
  return false;
}

void read_options(const Arguments& a, FuzzOptions& into) {
  check_combination(a);
  const std::uint64_t runs = a.runs.value_or(without_end);
  into.automatic = a.strategy == "auto";
  into.order.strategy = strategy_from(a.strategy);
  into.order.runs = runs;
  if (!a.shard.empty()) into.order.shard = shard_from(a.shard, runs);
  into.order.depth = depth_from(a.strategy);
  into.order.workers = a.workers ? a.workers : std::max(1u, std::thread::hardware_concurrency());
  if (!a.time.empty()) {
    into.time = harness::duration_from(a.time);
    if (!into.time) throw InputError("--time", 0, fmt::format("'{}' is no duration: write 60s or 10min", a.time));
  }
  into.scenario = scenario_of(a);
  into.another_lock = !a.algorithm.empty();
  into.order.seed = a.seed.value_or(into.scenario.seed);
  if (!a.budget.empty()) {
    into.bounds = harness::load_budget(a.budget, into.scenario);
    into.budget = a.budget;
    into.alone = true;
  } else if (!a.strategy.empty() && into.scenario.explore) {
    into.bounds = into.scenario.explore;
    into.budget = "[explore]";
  }
  if (a.max_faults && !into.bounds) {
    throw InputError("--max-faults", 0, "there is no budget of faults: add --budget FILE, as in scenarios/budgets");
  }
  if (a.max_faults) into.bounds->max_faults = *a.max_faults;
  into.apply_bounds();
}

std::string command_of(const Arguments& a, const FuzzOptions& options) {
  std::string text =
      fmt::format("lockproof run {}{}", harness::shell_word(options.scenario.called), algorithm_words(a));
  const bool plain = options.order.strategy == sim::Strategy::random && !options.bounds;
  if (!a.strategy.empty() && !plain)
    text += fmt::format(" --strategy {}",
                        a.strategy == "auto" ? name(options.order.strategy) : std::string_view(a.strategy));
  if (!a.budget.empty()) text += " --budget " + harness::shell_word(a.budget);
  if (a.max_faults) text += fmt::format(" --max-faults {}", *a.max_faults);
  return text;
}

}  // namespace lockproof::cli
