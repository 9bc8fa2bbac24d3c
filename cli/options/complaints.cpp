// SPDX-License-Identifier: Apache-2.0
#include "cli/options/complaints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "cli/options/shared_options.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {
namespace {

std::vector<std::string> names_of_options(const CLI::App& sub, bool with_hidden) {
  std::vector<std::string> names;
  for (const CLI::Option* option : sub.get_options()) {
    if (option->get_group() == hidden && !with_hidden) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The nearest of all, but a list of those only that the help has.
std::string suggestion_among(const std::string& wrong, const std::vector<std::string>& all,
                             const std::vector<std::string>& listed) {
  const std::string near = harness::suggestion(wrong, all);
  return near.starts_with("; one of") ? harness::suggestion(wrong, listed) : near;
}

bool has_short(const CLI::App& sub, char name) {
  return std::ranges::any_of(sub.get_options(), [&](const CLI::Option* option) {
    return std::ranges::find(option->get_snames(), std::string(1, name)) != option->get_snames().end();
  });
}

/// Where it is given a value, CLI11 complains of one file too many.
std::optional<std::string> wrong_option(const CLI::App& sub, const CommandLine& words) {
  const std::vector<std::string> known = names_of_options(sub, true);
  for (std::size_t i = 2; i < words.size() && words[i] != "--"; ++i) {
    const std::string word = words[i].substr(0, words[i].find('='));
    const bool is_long = word.starts_with("--");
    const bool is_short =
        !is_long && word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0;
    if (is_long ? std::ranges::find(known, word) != known.end() : !is_short || has_short(sub, word[1])) continue;
    if (is_short) return fmt::format("lockproof {} has no option '{}'", words[1], word.substr(0, 2));
    return fmt::format("lockproof {} has no option '{}'{}", words[1], word,
                       suggestion_among(word, known, names_of_options(sub, false)));
  }
  return std::nullopt;
}

/// A file too many, an option twice, or one without its value.
std::optional<std::string> wrong_count(const CLI::App& sub, const CommandLine& words) {
  for (const CLI::Option* option : sub.get_options()) {
    const std::vector<std::string>& given = option->results();
    const std::string name = option->get_name();
    if (option->get_positional() && given.size() > static_cast<std::size_t>(option->get_items_expected_max())) {
      return fmt::format("lockproof {} takes one {}, and got {}: '{}'", words[1], name, given.size(),
                         fmt::join(given, "', '"));
    }
    const bool is_flag = option->get_items_expected_max() == 0;
    if (!option->get_positional() && !is_flag && option->get_expected_max() == 1 && given.size() > 1) {
      return fmt::format("{} is given {} times, and can have one value: '{}'", name, given.size(),
                         fmt::join(given, "', '"));
    }
  }
  return std::nullopt;
}

/// What commands of the version before are now.
constexpr std::pair<std::string_view, const char*> moved_commands[] = {
    {"conformance",
     "it is now a program for developers, lockproof-conformance, which is built from the source and not installed"},
    {"merge", "lockproof plan makes tasks of a command, lockproof work answers them, and lockproof join is the sum"},
};

}  // namespace

const CLI::App* verb_of(const CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) names.push_back(sub->get_name());
  }
  return names;
}

std::optional<std::string> wrong_verb(const CLI::App& app, const CommandLine& words) {
  if (words.size() < 2 || words[1].starts_with('-') || verb_of(app, words[1])) return std::nullopt;
  for (const auto& [name, now] : moved_commands) {
    if (words[1] == name) return fmt::format("lockproof has no command '{}'; {}", words[1], now);
  }
  std::vector<std::string> all;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) all.push_back(sub->get_name());
  return fmt::format("lockproof has no command '{}'{}", words[1],
                     suggestion_among(words[1], all, names_of_commands(app)));
}

std::string complaint_of(const CLI::App& app, const CommandLine& words, const CLI::ParseError& error) {
  const CLI::App* const sub = words.size() > 1 ? verb_of(app, words[1]) : nullptr;
  if (!sub) return error.what();
  if (const auto wrong = wrong_option(*sub, words)) return *wrong;
  if (const auto wrong = wrong_count(*sub, words)) return *wrong;
  const std::string said = error.what();
  if (error.get_name() == "ArgumentMismatch" && said.ends_with("missing")) {
    return fmt::format("{} needs a value", said.substr(0, said.find(':')));
  }
  return said;
}

}  // namespace lockproof::cli
