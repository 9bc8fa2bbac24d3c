// SPDX-License-Identifier: Apache-2.0
// Any text as a history: it is refused, or what is written of it reads the same again.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/history/jsonl.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace harness = lockproof::harness;

namespace {

std::string written_again(const std::string& text) {
  try {
    return harness::to_jsonl(harness::from_jsonl(text));
  } catch (const harness::BadHistory& e) {
    return e.what();
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  harness::History history;
  try {
    history = harness::from_jsonl(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const harness::BadHistory&) {
    return 0;
  }
  const std::string written = harness::to_jsonl(history), again = written_again(written);
  if (again == written) return 0;
  std::fprintf(stderr, "written:\n%s\nread and written again:\n%s\n", written.c_str(), again.c_str());
  std::abort();
}
