// SPDX-License-Identifier: Apache-2.0
#include "cli/options/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "cli/options/whole_number.hpp"
#include "execution/fuzz/fuzz_space.hpp"
#include "harness/check/properties.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {
namespace {

std::string complaint(const char* what, const std::string& name, const std::vector<std::string>& known) {
  if (std::ranges::find(known, name) != known.end()) return "";
  return fmt::format("'{}' is no {}{}", name, what, harness::suggestion(name, known));
}

}  // namespace

std::string no_algorithm(const std::string& name) {
  if (harness::is_lock_file(name)) return "";  // whoever reads it says what is wrong
  std::vector<std::string> names;
  for (const Algorithm& algorithm : catalogue()) names.emplace_back(algorithm.name);
  return complaint("algorithm", name, names);
}

std::string no_engine(const std::string& name) {
  return complaint("engine", name, {"auto", "stateful", "reexecution", "zones"});
}

std::string no_property_to_search(const std::string& name) {
  std::vector<std::string> names;
  for (const check::Property& property : check::every_property()) {
    if (property.watch) names.emplace_back(property.name);
  }
  return complaint("property that can be searched for", name, names);
}

std::string no_strategy(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  std::vector<std::string> names{"auto"};
  for (const sim::Strategy strategy : sim::strategies()) names.emplace_back(sim::name(strategy));
  if (const std::string wrong = complaint("strategy", name, names); !wrong.empty()) return wrong;
  if (colon == std::string::npos) return "";
  if (name != sim::name(sim::Strategy::pct)) return fmt::format("'{}' has no number; only pct has, as in pct:3", name);
  return whole_number(1, depth_most)(text.substr(colon + 1));
}

}  // namespace lockproof::cli
