// SPDX-License-Identifier: Apache-2.0
#include "real/services/etcd/http.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace lockproof::real {
namespace {

constexpr std::string_view http_line_end = "\r\n", http_head_end = "\r\n\r\n";
constexpr std::size_t http_body_most = std::size_t{1} << 20;

std::optional<std::size_t> http_number(std::string_view digits, int base) {
  std::size_t n = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), n, base);
  const bool whole = failed == std::errc() && end == digits.data() + digits.size();
  return whole && n <= http_body_most ? std::optional(n) : std::nullopt;
}

/// A chunk at the beginning of these bytes: how long its mark and its data are. The last one has no data, and behind it
/// are lines of a head.
struct HttpChunk {
  std::size_t mark, data, whole;
};
std::optional<HttpChunk> http_chunk_in(std::string_view bytes) {
  const std::size_t end = bytes.find(http_line_end);
  if (end == std::string_view::npos) return std::nullopt;
  const auto size = http_number(bytes.substr(0, end), 16);
  if (!size) return std::nullopt;
  const std::size_t mark = end + http_line_end.size();
  if (*size > 0) {
    const std::size_t whole = mark + *size + http_line_end.size();
    return bytes.size() < whole ? std::nullopt : std::optional(HttpChunk{mark, *size, whole});
  }
  if (bytes.substr(mark).starts_with(http_line_end)) return HttpChunk{mark, 0, mark + http_line_end.size()};
  const std::size_t trailer = bytes.find(http_head_end, mark);
  if (trailer == std::string_view::npos) return std::nullopt;
  return HttpChunk{mark, 0, trailer + http_head_end.size()};
}

/// A field of a head, by its name with the colon behind it; empty: it is not there.
std::string_view head_field(std::string_view head, std::string_view name) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  for (std::size_t at = head.find(http_line_end); at != std::string_view::npos; at = head.find(http_line_end, at)) {
    at += http_line_end.size();
    const std::string_view line = head.substr(at, head.find(http_line_end, at) - at);
    if (line.size() < name.size() || !std::ranges::equal(line.substr(0, name.size()), name, same)) continue;
    const std::size_t begins = line.find_first_not_of(' ', name.size());
    return begins == std::string_view::npos ? std::string_view() : line.substr(begins);
  }
  return {};
}

struct HttpMessage {
  std::string_view head;  // with the empty line behind it; empty: it is not complete
  bool chunked = false;
  std::size_t length = 0;  // of the body, if it does not come in chunks
};
std::optional<HttpMessage> http_message_in(std::string_view bytes) {
  const std::size_t end = bytes.find(http_head_end);
  if (end == std::string_view::npos) return std::nullopt;
  HttpMessage message{.head = bytes.substr(0, end + http_head_end.size())};
  message.chunked = head_field(message.head, "transfer-encoding:") == "chunked";
  if (message.chunked) return message;
  const std::string_view length = head_field(message.head, "content-length:");
  const auto n = length.empty() ? std::optional<std::size_t>(0) : http_number(length, 10);
  if (!n) return std::nullopt;
  message.length = *n;
  return message;
}

}  // namespace

bool is_http_chunk(std::string_view message) {
  return !message.empty() && std::isxdigit(static_cast<unsigned char>(message.front())) != 0;
}

std::size_t http_size(std::string_view bytes, bool (*endless)(std::string_view chunk)) {
  if (is_http_chunk(bytes)) {
    const auto chunk = http_chunk_in(bytes);
    return chunk ? chunk->whole : 0;
  }
  const auto message = http_message_in(bytes);
  if (!message) return 0;
  std::size_t size = message->head.size();
  if (!message->chunked) return bytes.size() < size + message->length ? 0 : size + message->length;
  for (bool first = true;; first = false) {
    const auto chunk = http_chunk_in(bytes.substr(size));
    if (!chunk) return 0;
    const bool has_no_end = first && endless(bytes.substr(size + chunk->mark, chunk->data));
    size += chunk->whole;
    if (chunk->data == 0 || has_no_end) return size;
  }
}

std::string_view http_target(std::string_view message) {
  const std::string_view line = message.substr(0, message.find(http_line_end));
  const std::size_t first = line.find(' ');
  if (first == std::string_view::npos) return {};
  return line.substr(first + 1, line.find(' ', first + 1) - first - 1);
}

std::string http_body(std::string_view message) {
  std::string_view rest = message;
  if (!is_http_chunk(message)) {
    const auto whole = http_message_in(message);
    if (!whole) return {};
    rest.remove_prefix(whole->head.size());
    if (!whole->chunked) return std::string(rest.substr(0, whole->length));
  }
  std::string body;
  while (const auto chunk = http_chunk_in(rest)) {
    body += rest.substr(chunk->mark, chunk->data);
    rest.remove_prefix(chunk->whole);
  }
  return body;
}

std::string http_post(std::string_view path, std::string_view body) {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", path,
      body.size(), body);
}

}  // namespace lockproof::real
