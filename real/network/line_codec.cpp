// SPDX-License-Identifier: Apache-2.0
#include "real/network/line_codec.hpp"

#include <fmt/format.h>

#include <charconv>

namespace lockproof::real {
namespace {

std::string escaped(std::string_view word, bool spaces_too) {
  std::string text;
  for (const char c : word) {
    const bool plain = c > ' ' && c <= '~' && c != '%';
    if (plain || (c == ' ' && !spaces_too)) {
      text += c;
    } else {
      text += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text;
}

std::string unescaped_line(std::string_view text) {
  std::string word;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int byte = 0;
    const bool code = text[i] == '%' && i + 2 < text.size();
    if (code && std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
      word += static_cast<char>(byte);
      i += 2;
    } else {
      word += text[i];
    }
  }
  return word;
}

std::string_view without_end(std::string_view line) {
  return line.ends_with('\n') ? line.substr(0, line.size() - 1) : line;
}

}  // namespace

std::size_t LineCodec::size(std::string_view bytes) const {
  const std::size_t end = bytes.find('\n');
  return end == std::string_view::npos ? 0 : end + 1;
}

Command LineCodec::request(std::string_view bytes) const {
  std::vector<Value> words;
  std::string_view rest = without_end(bytes);
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    words.emplace_back(unescaped_line(word));
  }
  return Command(std::move(words));
}

std::string LineCodec::encode(const Command& command) const {
  std::string line;
  for (const Value& word : command.args()) line += (line.empty() ? "" : " ") + escaped(word.bytes(), true);
  return line + "\n";
}

Reply LineCodec::reply(const Command&, std::string_view bytes) const {
  const std::string_view line = without_end(bytes);
  if (line.starts_with('-')) return Reply::error(unescaped_line(line.substr(1)));
  std::int64_t number = 0;
  const bool named = line.starts_with(':');
  const auto [end, failed] = std::from_chars(line.data() + (named ? 1 : 0), line.data() + line.size(), number);
  if (!named || failed != std::errc() || end != line.data() + line.size()) {
    return Reply::error(fmt::format("what came is no reply: {}", escaped(line, false)));
  }
  return Reply::integer(number);
}

std::string LineCodec::encode(const Reply& reply) {
  if (reply.kind() == Reply::Kind::integer) return fmt::format(":{}\n", reply.integer());
  return fmt::format("-{}\n", escaped(reply.value().bytes(), false));
}

}  // namespace lockproof::real
