// SPDX-License-Identifier: Apache-2.0
#include "cli/options/verb_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options/choices.hpp"
#include "cli/options/scenario_files.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {
namespace {

/// Empty if it is one of them; else what CLI11 is to say.
std::string unknown(const char* what, const std::string& name, const std::vector<std::string>& known) {
  if (std::ranges::find(known, name) != known.end()) return "";
  return fmt::format("'{}' is no {}{}", name, what, harness::suggestion(name, known));
}

std::string no_service(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, file] : first_locks()) names.push_back(known);
  return unknown("service", name, names);
}

std::string no_fault(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, kind] : harness::fault_kinds()) names.emplace_back(known);
  return unknown("kind of fault", name, names);
}

}  // namespace

void add_new(CLI::App& sub, Arguments& arguments) {
  sub.add_option("NAME", arguments.paths,
                 "name of the file, with or without .toml; it must not exist yet. NAME.lua: a lock of your own instead")
      ->required()
      ->expected(1);
  sub.add_option("--algorithm", arguments.algorithm,
                 "the lock: one of lockproof list algorithms, or a file in Lua; a scenario needs one")
      ->check(no_algorithm);
  sub.add_option("--server,--service", arguments.service,
                 "for NAME.lua: what it is to be kept on, as etcd or consul (default: redis)")
      ->check(no_service);
  sub.add_option("--fault", arguments.fault, "the kind of fault: one of lockproof list faults (default: none)")
      ->check(no_fault);
}

}  // namespace lockproof::cli
