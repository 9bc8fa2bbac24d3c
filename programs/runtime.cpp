// SPDX-License-Identifier: Apache-2.0
#include "programs/runtime.hpp"

#include <poll.h>
#include <unistd.h>

#include <filesystem>

#include "real/program/keeper.hpp"

namespace lockproof::programs {
namespace {

constexpr int answers_ms_most = 5'000;  // of the machine

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

bool is_node(const std::string& path) { return name_of(path) == "node" || name_of(path) == "nodejs"; }

bool is_java(const std::string& path) { return name_of(path) == "java"; }

/// The first line that it prints.
std::string first_line_of(const std::string& path, const std::string& word) {
  real::KeeperEnds kept = real::keep({path, {path, word}, {"LANG=C.UTF-8", "PATH=/usr/bin:/bin"}, "/", {}, false});
  std::string text;
  pollfd readable{kept.output.get(), POLLIN, 0};
  while (text.find('\n') == std::string::npos && ::poll(&readable, 1, answers_ms_most) > 0) {
    char bytes[256];
    const auto count = ::read(kept.output.get(), bytes, sizeof bytes);
    if (count <= 0) break;
    text.append(bytes, static_cast<std::size_t>(count));
  }
  real::end_all(kept);
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::vector<std::string> flags_for(const std::string& path) {
  if (is_node(path)) return {"--single-threaded", "--no-memory-reducer", "--min-semi-space-size=64"};
  if (is_java(path)) {
    return {"-Xint",
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:GuaranteedSafepointInterval=0",
            "-XX:AsyncDeflationInterval=0"};
  }
  return {};
}

std::string version_of(const std::string& path) {
  const std::string name = name_of(path);
  if (is_node(path)) return "node " + first_line_of(path, "--version");
  if (name.starts_with("python") || name.starts_with("ruby") || is_java(path)) return first_line_of(path, "--version");
  return "";
}

}  // namespace lockproof::programs
