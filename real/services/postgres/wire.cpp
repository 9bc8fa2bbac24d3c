// SPDX-License-Identifier: Apache-2.0
#include "real/services/postgres/wire.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/statements.hpp"

namespace lockproof::real {
namespace {

/// Reads numbers, texts and bytes one after the other; what is missing is zero or empty.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  std::uint32_t number(std::size_t bytes) {
    std::uint32_t n = 0;
    for (const char c : take(bytes)) n = n << 8 | static_cast<unsigned char>(c);
    return n;
  }
  std::string_view take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view text() {
    const std::string_view found = rest_.substr(0, rest_.find('\0'));
    rest_.remove_prefix(std::min(rest_.size(), found.size() + 1));
    return found;
  }
  /// A value with its length before it; nothing: NULL.
  std::optional<std::string> value() {
    const std::uint32_t length = number(4);
    if (length == UINT32_MAX) return std::nullopt;
    return std::string(take(length));
  }

 private:
  std::string_view rest_;
};

struct Part {
  char type = 0;  // 0: the message with which a connection begins
  std::string_view body;
  std::size_t size = 0;
};

/// The first message in these bytes; nothing: it is not complete.
std::optional<Part> first_part(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  const std::size_t tag = bytes[0] == 0 ? 0 : 1;
  if (bytes.size() < tag + 4) return std::nullopt;
  const std::size_t length = Cursor(bytes.substr(tag)).number(4);
  if (length < 4 || bytes.size() < tag + length) return std::nullopt;
  return Part{tag == 0 ? '\0' : bytes[0], bytes.substr(tag + 4, length - 4), tag + length};
}

bool ends_request(const Part& part) {
  constexpr std::string_view last("\0pQXSH", 6);
  return last.find(part.type) != std::string_view::npos;
}

/// A field of an error: 'C' is its SQLSTATE, 'V' how severe it is.
std::string error_field(std::string_view body, char which) {
  Cursor fields(body);
  while (!fields.at_end()) {
    const std::string_view field = fields.text();
    if (field.starts_with(which)) return std::string(field.substr(1));
  }
  return {};
}

bool ends_reply(const Part& part) {
  if (part.type != 'E') return part.type == 'Z';
  const std::string severity = error_field(part.body, 'V');
  return severity == "FATAL" || severity == "PANIC";
}

/// One in binary is a number, if it is as long as one and no text.
std::string readable(const std::string& value, bool binary) {
  const bool is_text = std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
  if (!binary || is_text || (value.size() != 2 && value.size() != 4 && value.size() != 8)) return value;
  std::uint64_t number = 0;
  for (const char byte : value) number = number << 8 | static_cast<unsigned char>(byte);
  if (value.size() == 2) return std::to_string(static_cast<std::int16_t>(number));
  return std::to_string(value.size() == 4 ? static_cast<std::int32_t>(number) : static_cast<std::int64_t>(number));
}

struct BindMessage {
  std::string statement;  // its name
  std::vector<std::string> parameters;
};

BindMessage bound_by(std::string_view bind) {
  BindMessage bound;
  Cursor body(bind);
  body.text();
  bound.statement = body.text();
  std::vector<bool> binary;
  for (std::uint32_t formats = body.number(2); formats > 0; --formats) binary.push_back(body.number(2) == 1);
  const std::uint32_t count = body.number(2);
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool as_all = binary.size() == 1;
    bound.parameters.push_back(
        readable(body.value().value_or(""),
                 !binary.empty() && binary.at(as_all ? 0 : std::min<std::size_t>(i, binary.size() - 1))));
  }
  return bound;
}

/// "COMMIT", and not "SELECT 1": how many rows there were does not matter.
std::string tag_word(std::string_view tag) { return std::string(tag.substr(0, tag.find(' '))); }

}  // namespace

std::size_t PostgresFraming::size(std::string_view bytes) const {
  std::size_t size = 0;
  while (const auto part = first_part(bytes.substr(size))) {
    size += part->size;
    if (ends_request(*part)) return size;
  }
  return 0;
}

/// What belongs to the connection is answered by whatever comes: whether the server takes TLS by one byte, without a
/// length, and a Flush by nothing that says where it ends.
std::size_t PostgresFraming::reply_size(std::string_view bytes, const Command* to) const {
  const bool of_connection = to && to->args().empty();
  if (of_connection && (bytes.starts_with('N') || bytes.starts_with('S'))) return 1;
  std::size_t size = 0;
  while (const auto part = first_part(bytes.substr(size))) {
    size += part->size;
    if (!to || ends_reply(*part) || (size == part->size && part->type == 'A')) return size;
  }
  return of_connection ? size : 0;
}

Command statement_with(std::string_view text, const std::vector<std::string>& parameters) {
  std::vector<Value> words;
  words.emplace_back("SQL");
  words.emplace_back(std::string(text));
  words.push_back(Value::number(static_cast<std::int64_t>(parameters.size())));
  for (const std::string& parameter : parameters) words.emplace_back(parameter);
  const auto known = std::ranges::find(statements::all, text, &Script::text);
  return known == std::end(statements::all) ? Command(std::move(words)) : Command(*known, std::move(words));
}

Command PostgresFraming::request(std::string_view bytes) const {
  std::string text;
  std::vector<std::string> parameters;
  bool runs = false;
  while (const auto part = first_part(bytes)) {
    bytes.remove_prefix(part->size);
    Cursor body(part->body);
    runs |= part->type == 'Q' || part->type == 'E';
    if (part->type == 'Q') {
      text = body.text();
    } else if (part->type == 'P') {
      const std::string_view name = body.text();
      text = body.text();
      prepared_.insert_or_assign(std::string(name), text);
    } else if (part->type == 'B') {
      BindMessage bound = bound_by(part->body);
      const auto prepared = prepared_.find(bound.statement);
      if (prepared != prepared_.end()) text = prepared->second;
      parameters = std::move(bound.parameters);
    } else if (part->type == 'H') {
      return Command(std::vector<Value>{});
    }
  }
  return runs ? statement_with(text, parameters) : Command(std::vector<Value>{});
}

Reply reply_in(std::string_view bytes) {
  std::optional<Reply> row;
  std::string tag;
  bool rows = false;
  while (const auto part = first_part(bytes)) {
    bytes.remove_prefix(part->size);
    Cursor body(part->body);
    if (part->type == 'E') return Reply::error(error_field(part->body, 'C'));
    if (part->type == 'T') rows = true;
    if (part->type == 'C') tag = tag_word(body.text());
    if (part->type != 'D' || row) continue;
    std::vector<Reply> values;
    for (std::uint32_t count = body.number(2); count > 0; --count) {
      const auto value = body.value();
      values.push_back(value ? Reply::bulk(Value(*value)) : Reply::nil());
    }
    row = Reply::array(std::move(values));
  }
  if (row) return *std::move(row);
  return rows ? Reply::nil() : Reply::status(tag);
}

}  // namespace lockproof::real
