// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "execution/judge/lines/lock_name.hpp"
#include "execution/judge/postgres_log.hpp"

namespace lockproof::execution {
namespace {

using Kind = AdvisoryCall::Kind;

struct AdvisoryFunction {
  std::string_view name;
  Kind kind;
  bool of_transaction = false;
};
/// Others, as those of shared locks, are not followed.
constexpr std::array<AdvisoryFunction, 6> functions{{{"pg_advisory_lock", Kind::lock},
                                                     {"pg_try_advisory_lock", Kind::try_lock},
                                                     {"pg_advisory_xact_lock", Kind::lock, true},
                                                     {"pg_try_advisory_xact_lock", Kind::try_lock, true},
                                                     {"pg_advisory_unlock", Kind::unlock},
                                                     {"pg_advisory_unlock_all", Kind::unlock_all}}};

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

/// By their numbers, as they are written: "$1 = '42', $2 = NULL".
std::map<std::string, std::string> values_of(std::string_view parameters) {
  std::map<std::string, std::string> values;
  for (auto at = parameters.find('$'); at != std::string_view::npos; at = parameters.find('$', at)) {
    const auto equals = parameters.find(" = ", at);
    if (equals == std::string_view::npos) break;
    auto end = equals + 3;
    for (bool quoted = false; end < parameters.size() && (quoted || parameters[end] != ','); ++end) {
      if (parameters[end] == '\'') quoted = !quoted;
    }
    values[std::string(parameters.substr(at, equals - at))] =
        std::string(parameters.substr(equals + 3, end - equals - 3));
    at = end;
  }
  return values;
}

/// The text behind a parenthesis, up to the one that closes it; nothing: none does.
std::optional<std::string_view> arguments_in(std::string_view text) {
  int depth = 1;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') quoted = !quoted;
    if (!quoted && text[i] == '(') ++depth;
    if (!quoted && text[i] == ')') depth -= 1;
    if (depth == 0) return text.substr(0, i);
  }
  return std::nullopt;
}

/// The arguments with the parameters' values, in which two writings of one key are one; empty: a column or a variable
/// is among them, or a parameter that is not known.
std::string key_of(std::string_view arguments, const std::map<std::string, std::string>& values) {
  std::string key;
  for (std::size_t i = 0; i < arguments.size();) {
    const char c = arguments[i];
    if (c == '\'') {
      const auto end = arguments.find('\'', i + 1);
      if (end == std::string_view::npos) return "";
      key += arguments.substr(i, end + 1 - i);
      i = end + 1;
    } else if (c == '$') {
      auto end = i + 1;
      while (end < arguments.size() && arguments[end] >= '0' && arguments[end] <= '9') ++end;
      const auto value = values.find(std::string(arguments.substr(i, end - i)));
      if (value == values.end() || value->second == "NULL") return "";
      key += value->second;
      i = end;
    } else if (is_word(lower_case(arguments.substr(i, 1)).front())) {
      auto end = i;
      while (end < arguments.size() && is_word(lower_case(arguments.substr(end, 1)).front())) ++end;
      const std::string word = lower_case(arguments.substr(i, end - i));
      const bool is_number = word.find_first_not_of("0123456789") == std::string::npos;
      const bool is_function = end < arguments.size() && arguments[end] == '(';
      const bool is_type = key.ends_with("::");
      if (!is_number && !is_function && !is_type) return "";
      key = is_type ? key.substr(0, key.size() - 2) : key + word;
      i = end;
    } else {
      if (c != ' ' && c != '\t' && c != '\n') key += c;
      ++i;
    }
  }
  // As a parameter a number is logged in quotes.
  const bool quoted = key.size() > 2 && key.front() == '\'' && key.find('\'', 1) == key.size() - 1;
  const std::string inside = quoted ? key.substr(1, key.size() - 2) : "";
  return !inside.empty() && inside.find_first_not_of("-0123456789") == std::string::npos ? inside : key;
}

}  // namespace

AdvisoryCall advisory_call_in(std::string_view sql, std::string_view parameters) {
  const std::string text = lower_case(sql);
  AdvisoryCall call;
  for (auto at = text.find("pg_"); at != std::string::npos; at = text.find("pg_", at + 1)) {
    auto end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string name = text.substr(at, end - at);
    if (name.find("advisory") == std::string::npos || end == text.size() || text[end] != '(') continue;
    const auto known = std::ranges::find(functions, name, &AdvisoryFunction::name);
    const auto arguments = arguments_in(sql.substr(end + 1));
    if (known == functions.end() || !arguments || call.kind != Kind::none) return {.kind = Kind::unclear};
    call = {known->kind, known->of_transaction, key_of(*arguments, values_of(parameters))};
    if (call.key.empty() && call.kind != Kind::unlock_all) return {.kind = Kind::unclear};
  }
  return call;
}

}  // namespace lockproof::execution
