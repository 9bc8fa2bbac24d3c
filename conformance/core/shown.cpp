// SPDX-License-Identifier: Apache-2.0
#include "conformance/core/shown.hpp"

#include <fmt/format.h>

namespace lockproof::conformance {
namespace {

std::string quoted(const std::string& bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    if (c == '"' || c == '\\') {
      text += fmt::format("\\{}", c);
    } else if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text + "\"";
}

bool plain(const std::string& bytes) {
  if (bytes.empty()) return false;
  for (const char c : bytes) {
    if (c <= ' ' || c > '~' || c == '"' || c == '\\') return false;
  }
  return true;
}

}  // namespace

std::string shown(const Reply& reply) {
  switch (reply.kind()) {
    case Reply::Kind::nil: return "nil";
    case Reply::Kind::integer: return fmt::format("{}", reply.integer());
    case Reply::Kind::status: return fmt::format("+{}", reply.value().bytes());
    case Reply::Kind::bulk: return quoted(reply.value().bytes());
    case Reply::Kind::error: return fmt::format("-{}", reply.value().bytes());
    case Reply::Kind::array: break;
  }
  std::string all;
  for (const Reply& item : reply.items()) all += (all.empty() ? "" : ", ") + shown(item);
  return fmt::format("[{}]", all);
}

std::string shown(const std::vector<Value>& words) {
  std::string line;
  for (const Value& word : words) {
    line += (line.empty() ? "" : " ") + (plain(word.bytes()) ? word.bytes() : quoted(word.bytes()));
  }
  return line;
}

}  // namespace lockproof::conformance
