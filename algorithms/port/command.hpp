// SPDX-License-Identifier: Apache-2.0
// Command and Reply: the requests to a server and its answers, as words and values, not as bytes of a protocol.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/port/value.hpp"

namespace lockproof {

/// A Lua script, or a statement in SQL: its file name without the ending, and its text byte for byte.
struct Script {
  std::string_view name;
  std::string_view text;
};

class Command {
 public:
  explicit Command(std::vector<Value> args) : args_(std::move(args)) {}
  /// EVAL of a script, or a statement. In output it is named after its file.
  Command(Script script, std::vector<Value> args) : args_(std::move(args)), script_(script.name) {}

  [[nodiscard]] const std::vector<Value>& args() const { return args_; }
  [[nodiscard]] const std::string& script() const { return script_; }
  /// The name in output: the first word, or the script's name.
  [[nodiscard]] std::string_view verb() const {
    if (!script_.empty()) return script_;
    return args_.empty() ? std::string_view() : std::string_view(args_.front().bytes());
  }
  bool operator==(const Command&) const = default;

 private:
  std::vector<Value> args_;
  std::string script_;
};

class Reply {
 public:
  enum class Kind : std::uint8_t { nil, integer, status, bulk, error, array };

  static Reply nil() { return Reply(Kind::nil, 0, Value(std::string()), {}); }
  static Reply integer(std::int64_t n) { return Reply(Kind::integer, n, Value(std::string()), {}); }
  static Reply status(std::string text) { return Reply(Kind::status, 0, Value(std::move(text)), {}); }
  static Reply bulk(Value value) { return Reply(Kind::bulk, 0, std::move(value), {}); }
  static Reply error(std::string text) { return Reply(Kind::error, 0, Value(std::move(text)), {}); }
  static Reply array(std::vector<Reply> items) { return Reply(Kind::array, 0, Value(std::string()), std::move(items)); }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::int64_t integer() const { return integer_; }
  [[nodiscard]] const Value& value() const { return value_; }  // for a status, bulk or error
  [[nodiscard]] const std::vector<Reply>& items() const { return items_; }
  [[nodiscard]] bool is_nil() const { return kind_ == Kind::nil; }
  [[nodiscard]] bool is_error() const { return kind_ == Kind::error; }
  [[nodiscard]] bool is_integer(std::int64_t n) const { return kind_ == Kind::integer && integer_ == n; }
  bool operator==(const Reply&) const = default;

 private:
  Reply(Kind kind, std::int64_t n, Value value, std::vector<Reply> items)
      : kind_(kind), integer_(n), value_(std::move(value)), items_(std::move(items)) {}
  Kind kind_;
  std::int64_t integer_;
  Value value_;
  std::vector<Reply> items_;
};

}  // namespace lockproof
