// SPDX-License-Identifier: Apache-2.0
// Any text as a scenario: it is refused with one message, or what is written of it reads the same again.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/write.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace harness = lockproof::harness;

namespace {

std::string written_again(const std::string& text) {
  try {
    return harness::to_toml(harness::parse_scenario("written.toml", text));
  } catch (const harness::InputError& e) {
    return e.what();
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  harness::Scenario scenario;
  try {
    scenario = harness::parse_scenario("fuzzed.toml", std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const harness::InputError&) {
    return 0;
  }
  const std::string written = harness::to_toml(scenario), again = written_again(written);
  if (again == written) return 0;
  std::fprintf(stderr, "written:\n%s\nread and written again:\n%s\n", written.c_str(), again.c_str());
  std::abort();
}
