// SPDX-License-Identifier: Apache-2.0
#include "harness/program/event_name.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "harness/sha1.hpp"

namespace lockproof::harness {
namespace {

constexpr std::size_t digits = 4;
constexpr std::size_t verb_most = 40;
constexpr std::size_t before_parameters = 3;  // of a statement: SQL, its text, how many there are

std::string in_capitals(std::string_view word) {
  std::string capitals(word);
  for (char& c : capitals) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return capitals;
}

bool is_of_a_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

std::string_view word_at(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_of_a_word);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// Where the statement begins, behind its comments.
std::string_view without_comments(std::string_view sql) {
  for (;;) {
    const auto first = sql.find_first_not_of(" \t\r\n(;");
    sql.remove_prefix(first == std::string_view::npos ? sql.size() : first);
    const bool line = sql.starts_with("--");
    if (!line && !sql.starts_with("/*")) return sql;
    const auto end = line ? sql.find('\n') : sql.find("*/", 2);
    sql.remove_prefix(end == std::string_view::npos ? sql.size() : end + (line ? 1 : 2));
  }
}

/// PostgreSQL's functions of advisory locks, all of which a statement calls by SELECT.
std::string statement_verb(std::string_view sql) {
  const std::string capitals = in_capitals(sql);
  for (const char* const begins : {"PG_ADVISORY_", "PG_TRY_ADVISORY_"}) {
    if (const auto at = capitals.find(begins); at != std::string::npos)
      return std::string(word_at(std::string_view(capitals).substr(at)));
  }
  const std::string_view word = word_at(without_comments(capitals));
  return word.empty() ? "SQL" : std::string(word);
}

bool is_statement(const Command& command) {
  return command.args().size() > 2 && command.args().front() == Value("SQL");
}

/// A statement that is not named by its first word is shown whole.
std::string behind_verb(const std::string& sql, const std::string& verb) {
  if (in_capitals(word_at(sql)) != verb) return sql;
  return sql.substr(std::min(sql.size(), verb.size() + 1));
}

/// On one line.
std::string flat(std::string_view sql) {
  std::string line;
  for (const char c : sql) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

std::string event_verb(const Command& command) {
  if (command.args().empty()) return "?";
  if (is_statement(command)) return statement_verb(command.args()[1].bytes()).substr(0, verb_most);
  std::string verb = in_capitals(command.args().front().bytes());
  std::ranges::replace_if(
      verb, [](char c) { return c <= ' ' || c > '~'; }, '?');
  if (verb.size() > verb_most) verb.resize(verb_most);
  if (command.args().size() < 2) return verb;
  const std::string& script = command.args()[1].bytes();
  if (verb == "EVALSHA") return verb + ":" + script.substr(0, digits);
  if (verb == "EVAL") return verb + ":" + sha1_hex(script).substr(0, digits);
  return verb;
}

Command recorded(const Command& command) {
  std::vector<Value> words{Value(event_verb(command))};
  if (is_statement(command)) {
    const std::string rest = behind_verb(flat(command.args()[1].bytes()), words.front().bytes());
    if (!rest.empty()) words.emplace_back(rest);
    words.insert(words.end(), command.args().begin() + before_parameters, command.args().end());
    return Command(std::move(words));
  }
  const bool is_script = command.args().size() > 1 && words.front().bytes().starts_with("EVAL");
  for (std::size_t i = is_script ? 2 : 1; i < command.args().size(); ++i) words.push_back(command.args()[i]);
  return Command(std::move(words));
}

bool waits_in_server(std::string_view verb) {
  constexpr std::string_view verbs[] = {"BLPOP",     "BRPOP",      "BLMOVE",     "BLMPOP",     "BRPOPLPUSH", "BZPOPMIN",
                                        "BZPOPMAX",  "BZMPOP",     "XREAD",      "XREADGROUP", "WAIT",       "WAITAOF",
                                        "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "MONITOR"};
  return std::ranges::find(verbs, verb) != std::end(verbs);
}

}  // namespace lockproof::harness
