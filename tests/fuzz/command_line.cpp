// SPDX-License-Identifier: Apache-2.0
// Any words as a command line, one in each line: it is refused or understood. What it prints goes nowhere.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/arguments.hpp"
#include "cli/options/limits.hpp"
#include "harness/input_error.hpp"
#include "real/external/address.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace cli = lockproof::cli;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words{"lockproof"};
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find('\n'));
    words.emplace_back(word.substr(0, word.find('\0')));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    const cli::Arguments arguments = cli::parse_arguments(static_cast<int>(argv.size()), argv.data());
    if (arguments.exit >= 0) return 0;
    (void)cli::bytes_from(arguments.memory);
    (void)cli::time_from(arguments.time);
    for (const std::string& address : arguments.redis) (void)lockproof::real::external_address_from(address);
  } catch (const lockproof::harness::InputError&) {
  }
  return 0;
}
