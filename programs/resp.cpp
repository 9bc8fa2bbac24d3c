// SPDX-License-Identifier: Apache-2.0
#include "programs/resp.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/program/event_name.hpp"
#include "harness/program/said.hpp"
#include "programs/refusal.hpp"

namespace lockproof::programs {
namespace {

/// Reads along the bytes; every function answers nothing where they end too early.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  /// The number in a line that begins so.
  std::optional<std::size_t> number(char type) {
    const std::size_t end = bytes_.find("\r\n", at_);
    if (end == std::string_view::npos) return std::nullopt;
    std::size_t value = 0;
    const char* const last = bytes_.data() + end;
    const bool typed = bytes_[at_] == type;
    const auto [stop, failed] = std::from_chars(bytes_.data() + at_ + 1, last, value);
    if (!typed || failed != std::errc() || stop != last) {
      throw Refusal(fmt::format("the program sends its server something that is no command of Redis's protocol: {}",
                                harness::shown(bytes_, 60)));
    }
    at_ = end + 2;
    return value;
  }
  std::optional<std::string> text(std::size_t length) {
    if (bytes_.size() - at_ < length + 2) return std::nullopt;
    at_ += length + 2;
    return std::string(bytes_.substr(at_ - length - 2, length));
  }
  [[nodiscard]] std::size_t position() const { return at_; }

 private:
  const std::string_view bytes_;
  std::size_t at_ = 0;
};

/// Its first word in capitals; a script also has a name.
Command named(std::vector<Value> words) {
  const std::string verb = harness::event_verb(Command(words));
  const bool is_script = verb.find(':') != std::string::npos;
  if (is_script) return Command(Script{verb, {}}, std::move(words));
  words.front() = Value(verb);
  return Command(std::move(words));
}

}  // namespace

std::optional<Command> take_command(std::string& bytes) {
  if (bytes.empty()) return std::nullopt;
  Reader reader(bytes);
  const auto count = reader.number('*');
  if (!count) return std::nullopt;
  std::vector<Value> words;
  for (std::size_t left = *count; left > 0; --left) {
    const auto length = reader.number('$');
    if (!length) return std::nullopt;
    auto word = reader.text(*length);
    if (!word) return std::nullopt;
    words.emplace_back(*std::move(word));
  }
  bytes.erase(0, reader.position());
  return words.empty() ? take_command(bytes) : named(std::move(words));
}

Shape shape_of_answer(const Command& command) {
  const std::string_view verb = command.verb();
  if (verb == "HELLO" || verb == "HGETALL") return Shape::pairs;
  return verb == "SUBSCRIBE" || verb == "UNSUBSCRIBE" ? Shape::push : Shape::list;
}

int version_after(const Command& command, int before) {
  if (command.verb() == "RESET") return 2;
  if (command.verb() != "HELLO" || command.args().size() < 2) return before;
  const std::string& version = command.args()[1].bytes();
  return version == "3" ? 3 : version == "2" ? 2 : before;
}

namespace {

/// As TIME has it, of a stamp in milliseconds: seconds, and microseconds of them.
Reply time_of(const Value& stamp) {
  const std::int64_t ms = std::stoll(stamp.bytes());
  return Reply::array(
      {Reply::bulk(Value(std::to_string(ms / 1000))), Reply::bulk(Value(std::to_string(ms % 1000 * 1000)))});
}

}  // namespace

std::string to_resp(const Reply& reply, int version, Shape shape) {
  const std::string& text = reply.value().bytes();
  switch (reply.kind()) {
    case Reply::Kind::nil: return version == 3 ? "_\r\n" : "$-1\r\n";
    case Reply::Kind::integer: return fmt::format(":{}\r\n", reply.integer());
    case Reply::Kind::status: return fmt::format("+{}\r\n", text);
    case Reply::Kind::bulk: return fmt::format("${}\r\n{}\r\n", text.size(), text);
    case Reply::Kind::error: return fmt::format("-{}\r\n", text);
    case Reply::Kind::array: break;
  }
  const bool is_time = reply.items().size() == 1 && reply.items().front().value().mark() == Value::Mark::stamp;
  if (is_time) return to_resp(time_of(reply.items().front().value()), version);
  const std::size_t count = reply.items().size();
  const Shape told = version == 3 ? shape : Shape::list;
  std::string all = told == Shape::pairs  ? fmt::format("%{}\r\n", count / 2)
                    : told == Shape::push ? fmt::format(">{}\r\n", count)
                                          : fmt::format("*{}\r\n", count);
  for (const Reply& item : reply.items()) all += to_resp(item, version);
  return all;
}

}  // namespace lockproof::programs
