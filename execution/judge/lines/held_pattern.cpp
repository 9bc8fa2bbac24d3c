// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/lines/held_pattern.hpp"

#include <fmt/format.h>

#include "harness/input_error.hpp"

namespace lockproof::execution {
namespace {

constexpr std::size_t line_most = 4096;  // the library's stack grows with the line

[[noreturn]] void refuse(const std::string& why) { throw harness::InputError("--held", 0, why); }

/// The pattern without its groups' names, which the library does not know, and the numbers of those groups.
std::pair<std::string, std::map<std::string, std::size_t>> unnamed(const std::string& pattern) {
  std::string plain;
  std::map<std::string, std::size_t> groups;
  std::size_t count = 0;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    plain += c;
    if (c == '\\' && i + 1 < pattern.size()) plain += pattern[++i];
    if (c == '[' || c == ']') in_class = c == '[';
    if (c != '(' || in_class) continue;
    const std::string_view rest = std::string_view(pattern).substr(i + 1);
    const std::size_t begin = rest.starts_with("?P<") ? 3 : rest.starts_with("?<") ? 2 : 0;
    if (begin == 0) {
      if (!rest.starts_with('?')) ++count;
      continue;
    }
    const std::size_t end = rest.find('>');
    const std::string name(rest.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (name != "time" && name != "worker" && name != "event" && name != "lock") {
      refuse(fmt::format("its groups are time, worker, event and lock; there is none that is called {}", name));
    }
    if (!groups.emplace(name, ++count).second) refuse(fmt::format("it has the group {} twice", name));
    i += end + 1;
  }
  return {plain, groups};
}

}  // namespace

HeldPattern::HeldPattern(const std::string& pattern) {
  auto [plain, groups] = unnamed(pattern);
  groups_ = std::move(groups);
  try {
    expression_ = std::regex(plain, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& problem) {
    refuse(fmt::format("this is no regular expression: {}", problem.what()));
  }
}

std::optional<HeldLine> HeldPattern::match(std::string_view line) const {
  std::match_results<std::string_view::const_iterator> found;
  if (line.size() > line_most || !std::regex_search(line.begin(), line.end(), found, expression_)) return std::nullopt;
  const auto text_of = [&](const char* group) {
    const auto number = groups_.find(group);
    return number == groups_.end() ? std::string() : found[number->second].str();
  };
  return HeldLine{text_of("time"), text_of("worker"), text_of("event"), text_of("lock")};
}

}  // namespace lockproof::execution
