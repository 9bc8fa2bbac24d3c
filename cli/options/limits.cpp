// SPDX-License-Identifier: Apache-2.0
#include "cli/options/limits.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "harness/input_error.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {

std::uint64_t bytes_from(const std::string& text) {
  std::uint64_t n = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const int shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (failed != std::errc() || shift < 0 || n == 0 || n > (std::uint64_t{1} << 30)) {
    throw harness::InputError("--memory", 0, fmt::format("'{}' is no amount of memory: write 512M or 4G", text));
  }
  return n << shift;
}

std::string text_of_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t megabyte = 1 << 20;
  return bytes % megabyte == 0 ? fmt::format("{}M", bytes / megabyte) : fmt::format("{}K", bytes >> 10);
}

std::optional<Duration> time_from(const std::string& text, const char* option) {
  if (text.empty()) return std::nullopt;
  const auto time = harness::duration_from(text);
  if (!time) throw harness::InputError(option, 0, fmt::format("'{}' is no duration: write 60s or 10min", text));
  return time;
}

}  // namespace lockproof::cli
