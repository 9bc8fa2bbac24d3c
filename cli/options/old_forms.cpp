// SPDX-License-Identifier: Apache-2.0
#include "cli/options/old_forms.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>
#include <string_view>

#include "cli/options/complaints.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/retired.hpp"

namespace lockproof::cli {
namespace {

using Words = std::vector<std::string>;

struct OldOption {
  std::string name;   // "--find"
  std::string value;  // "first", or a placeholder; empty: it takes none
};

/// One side of a row of the table.
struct Form {
  std::string verb;  // empty: of every command that has the new option
  std::vector<OldOption> options;
  std::string redirect;  // a placeholder; empty: none
};

bool is_placeholder(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isupper(c) != 0; });
}

Form form_from(std::string_view text) {
  Form form;
  bool redirects = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string word(text.substr(at, text.find(' ', at) - at));
    at += word.size() + 1;
    if (word == ">") {
      redirects = true;
    } else if (redirects) {
      form.redirect = word;
    } else if (word.starts_with("--")) {
      form.options.push_back({word, ""});
    } else if (!form.options.empty()) {
      form.options.back().value = word;
    } else if (!is_placeholder(word)) {
      form.verb = word;
    }
  }
  return form;
}

/// Where a word begins in a list as in pause,crash.
std::optional<std::size_t> place_in_list(std::string_view list, std::string_view word) {
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (list.substr(at, end - at) == word) return at;
    at = end + 1;
  }
  return std::nullopt;
}

/// Where an option stands in a command, and its value.
struct Place {
  std::size_t at = 0, count = 1;
  std::string value;
};

std::optional<Place> place_of(const Words& words, const OldOption& option) {
  for (std::size_t i = 2; i < words.size() && words[i] != "--"; ++i) {
    const bool joined = words[i].starts_with(option.name + "=");
    if (words[i] != option.name && !joined) continue;
    if (option.value.empty()) return joined ? std::nullopt : std::optional(Place{i, 1, ""});
    if (!joined && i + 1 == words.size()) return std::nullopt;
    const std::string value = joined ? words[i].substr(option.name.size() + 1) : words[i + 1];
    if (!is_placeholder(option.value) && !place_in_list(value, option.value)) continue;
    return Place{i, joined ? 1U : 2U, value};
  }
  return std::nullopt;
}

/// The template with the value at the place of its placeholder, as "redis=PATH"; or the list that had the old word.
std::string filled(std::string text, const Form& old, const std::vector<Place>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string& placeholder = old.options[i].value;
    const std::string& value = places[i].value;
    if (!is_placeholder(placeholder) && value != placeholder) {
      const std::optional<std::size_t> at = place_in_list(value, placeholder);
      if (at) return std::string(value).replace(*at, placeholder.size(), text);
    }
    if (!is_placeholder(placeholder) || !text.ends_with(placeholder)) continue;
    const std::string before = text.substr(0, text.size() - placeholder.size());
    if (before.empty() || before.ends_with('=') || before.ends_with(':')) return before + value;
  }
  return text;
}

/// Whether the command has that form; then it is written in the new one, again for an option that stands there twice.
bool rewrite(const CLI::App& app, const harness::RetiredWord& row, CommandForm& command) {
  const Form old = form_from(row.old), now = form_from(row.now);
  Words& words = command.words;
  if (!old.verb.empty() && words[1] != old.verb) return false;
  const CLI::App* const verb = verb_of(app, now.verb.empty() ? words[1] : now.verb);
  if (!verb) return false;
  for (const OldOption& option : now.options) {
    if (!verb->get_option_no_throw(option.name)) return false;
  }
  std::vector<Place> places;
  for (const OldOption& option : old.options) {
    const auto place = place_of(words, option);
    if (!place) return false;
    places.push_back(*place);
  }
  Words added;
  for (const OldOption& option : now.options) {
    added.push_back(option.name);
    if (!option.value.empty()) added.push_back(filled(option.value, old, places));
  }
  if (!now.redirect.empty()) command.redirect = filled(now.redirect, old, places);
  std::size_t at = words.size();
  std::ranges::sort(places, std::greater(), &Place::at);
  for (const Place& place : places) {
    const auto from = words.begin() + static_cast<std::ptrdiff_t>(place.at);
    words.erase(from, from + static_cast<std::ptrdiff_t>(place.count));
    at = place.at;
  }
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), added.begin(), added.end());
  if (!now.verb.empty()) words[1] = now.verb;
  command.was_old = true;
  return true;
}

}  // namespace

CommandForm current_form(const CLI::App& app, Words words) {
  CommandForm command{std::move(words), "", false};
  if (command.words.size() < 3) return command;
  for (const harness::RetiredWord& row : harness::retired_words()) {
    if (row.read != harness::StillRead::as_command) continue;
    while (rewrite(app, row, command)) {
    }
  }
  return command;
}

std::string hint_on_old_form(const CommandForm& now) {
  std::string line = "lockproof";
  for (std::size_t i = 1; i < now.words.size(); ++i) line += " " + harness::shell_word(now.words[i]);
  if (!now.redirect.empty()) line += " > " + harness::shell_word(now.redirect);
  return fmt::format("this is now written: {}; this version still takes the old form, the next one will not", line);
}

}  // namespace lockproof::cli
