// SPDX-License-Identifier: Apache-2.0
#include "cli/output/output.hpp"

#include <unistd.h>

#include <cstdlib>

namespace lockproof::cli {

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

bool obeys_escapes(int file) {
  const char* const kind = std::getenv("TERM");
  return isatty(file) != 0 && !(kind && std::string_view(kind) == "dumb");
}

harness::Style style_of_stdout() { return harness::Style(obeys_escapes(STDOUT_FILENO) && !std::getenv("NO_COLOR")); }

}  // namespace lockproof::cli
