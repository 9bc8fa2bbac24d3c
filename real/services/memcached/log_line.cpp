// SPDX-License-Identifier: Apache-2.0
#include "real/services/memcached/log_line.hpp"

#include <algorithm>

#include "real/services/memcached/number_in.hpp"

namespace lockproof::real {
namespace {

/// "1795397331.214193". What is behind the point are microseconds as a number, without zeros in front.
std::optional<std::int64_t> stamp_in(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const auto whole = number_in<std::int64_t>(text.substr(0, point)),
             part = number_in<std::int64_t>(text.substr(point + 1));
  if (!whole || !part) return std::nullopt;
  return *whole * 1'000'000 + *part;
}

}  // namespace

/// Keys are written with their special bytes escaped, so a space ends a field.
std::optional<LogLine> log_line_from(std::string_view text) {
  LogLine line;
  bool stamped = false;
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(field.size() + 1, text.size()));
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view name = field.substr(0, equals), value = field.substr(equals + 1);
    if (name == "ts") {
      const auto us = stamp_in(value);
      if (!us) return std::nullopt;
      line.stamp_us = *us;
      stamped = true;
    }
    if (name == "type") line.type = value;
    if (name == "key") line.key = value;
    if (name == "status") line.status = value;
    if (name == "cfd") line.connection = number_in<int>(value).value_or(-1);
    if (name == "rport") line.port = number_in<int>(value).value_or(0);
  }
  if (!stamped || line.type.empty()) return std::nullopt;
  return line;
}

}  // namespace lockproof::real
