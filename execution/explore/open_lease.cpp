// SPDX-License-Identifier: Apache-2.0
#include "execution/explore/open_lease.hpp"

#include <algorithm>
#include <stdexcept>

#include "harness/input_error.hpp"
#include "harness/scenario/file/document.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::execution {
namespace {

using harness::Node;

const Node* find(const Node* in, std::string_view key) {
  const auto* const table = in ? std::get_if<harness::Table>(&in->value) : nullptr;
  if (!table) return nullptr;
  const auto found = std::ranges::find(*table, key, &harness::Entry::key);
  return found == table->end() ? nullptr : &found->value;
}

/// The line of the open lease; 0: there is none.
int line_of_lease(const std::string& file, std::string_view text) {
  const Node document = harness::parse_toml(file, text);
  const Node* const lease = find(find(&document, "workload"), "lease");
  const auto* const word = lease ? std::get_if<std::string>(&lease->value) : nullptr;
  return word && *word == "?" ? lease->line : 0;
}

}  // namespace

bool asks_for_lease(const std::string& file, std::string_view text) {
  try {
    return line_of_lease(file, text) != 0;
  } catch (const harness::InputError&) {
    return false;
  }
}

harness::Scenario parse_with_lease(const std::string& file, const std::string& text,
                                   const harness::AlgorithmRef& algorithm, Duration lease) {
  std::size_t at = 0;
  for (int line = line_of_lease(file, text); line > 1; --line) at = text.find('\n', at) + 1;
  at = text.find('?', text.find("lease", at));
  if (at == std::string::npos) throw std::logic_error("a scenario that does not ask for its lease");
  std::string with = text;
  with.replace(at, 1, harness::to_text(lease));
  return harness::parse_scenario(file, with, algorithm);
}

}  // namespace lockproof::execution
