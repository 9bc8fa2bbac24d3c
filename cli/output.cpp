// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace lockproof::cli {

void write_file(const std::string& path, std::string_view text) {
  const std::filesystem::path target(path);
  std::error_code failed;
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), failed);
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (!file) throw OutputError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    std::remove(temporary.c_str());
    throw OutputError(fmt::format("cannot write {}: {}", path, why));
  }
}

bool obeys_escapes(int file) {
  const char* const kind = std::getenv("TERM");
  return isatty(file) != 0 && !(kind && std::string_view(kind) == "dumb");
}

harness::Style style_of_stdout() { return harness::Style(obeys_escapes(STDOUT_FILENO) && !std::getenv("NO_COLOR")); }

}  // namespace lockproof::cli
