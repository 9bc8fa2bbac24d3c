// SPDX-License-Identifier: Apache-2.0
#include "real/services/memcached/text_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>

#include "real/services/memcached/number_in.hpp"

namespace lockproof::real {
namespace {

constexpr std::string_view end_of_line = "\r\n";
constexpr std::string_view end_of_values = "END\r\n";

/// The words of a request, "add key 0 30 5", or of a reply, "VALUE key 0 5 17".
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::string_view line_of(std::string_view bytes) { return bytes.substr(0, bytes.find(end_of_line)); }

/// Commands with a value: add, set and cas.
bool stores(std::string_view verb) { return verb == "add" || verb == "set" || verb == "cas"; }

/// The bytes of the value that follows this line; nothing: none does.
std::optional<std::size_t> value_behind(const std::vector<std::string_view>& words) {
  const bool request = words.size() >= 5 && stores(words[0]);
  const bool reply = words.size() >= 4 && words[0] == "VALUE";
  if (!request && !reply) return std::nullopt;
  const auto bytes = number_in<std::size_t>(words[request ? 4 : 3]);
  constexpr std::size_t longest = std::numeric_limits<std::int32_t>::max();
  return bytes && *bytes <= longest ? bytes : std::nullopt;
}

Reply malformed(std::string_view bytes) {
  return Reply::error(fmt::format("what came is no reply: {}", line_of(bytes)));
}

}  // namespace

/// A reply to gets is all its values and the END behind them.
std::size_t TextCodec::size(std::string_view bytes) const {
  std::size_t size = 0;
  for (;;) {
    const std::string_view rest = bytes.substr(size);
    const std::size_t line = rest.find(end_of_line);
    if (line == std::string_view::npos) return 0;
    const auto words = fields_of(rest.substr(0, line));
    size += line + end_of_line.size();
    const auto value = value_behind(words);
    if (!value) return size;
    size += *value + end_of_line.size();
    if (size > bytes.size()) return 0;
    if (words[0] != "VALUE") return size;
  }
}

Command TextCodec::request(std::string_view bytes) const {
  const auto words = fields_of(line_of(bytes));
  std::vector<Value> named;
  if (words.empty() || size(bytes) != bytes.size()) return Command(std::move(named));
  const auto value = value_behind(words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (value && i == 2) named.emplace_back(std::string(bytes.substr(line_of(bytes).size() + 2, *value)));
    if (value && (i == 2 || i == 4)) continue;  // flags, which are 0, and the length
    named.emplace_back(std::string(words[i]));
  }
  return Command(std::move(named));
}

/// A command that is none leaves as it is, and the server refuses it.
std::string TextCodec::encode(const Command& command) const {
  const std::vector<Value>& words = command.args();
  const bool has_value = stores(command.verb()) && words.size() >= 4;
  std::string line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (has_value && i == 2) {
      line += " 0";
    } else {
      line += (line.empty() ? "" : " ") + words[i].bytes();
    }
    if (has_value && i == 3) line += fmt::format(" {}", words[2].bytes().size());
  }
  line += end_of_line;
  return has_value ? line + words[2].bytes() + std::string(end_of_line) : line;
}

Reply TextCodec::reply(const Command& /*to*/, std::string_view bytes) const {
  if (bytes == end_of_values) return Reply::nil();
  const std::string_view line = line_of(bytes);
  if (line == "ERROR" || line.starts_with("CLIENT_ERROR") || line.starts_with("SERVER_ERROR")) {
    return Reply::error(std::string(line));
  }
  if (!line.starts_with("VALUE ")) return Reply::status(std::string(line));
  const auto words = fields_of(line);
  const auto value = value_behind(words);
  const auto unique = words.size() == 5 ? number_in<std::int64_t>(words[4]) : std::nullopt;
  if (!value || !unique || size(bytes) != bytes.size()) return malformed(bytes);
  return Reply::array(
      {Reply::bulk(Value(std::string(bytes.substr(line.size() + 2, *value)))), Reply::integer(*unique)});
}

}  // namespace lockproof::real
