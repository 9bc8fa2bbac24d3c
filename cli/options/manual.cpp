// SPDX-License-Identifier: Apache-2.0
#include "cli/options/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "cli/options/described.hpp"
#include "harness/version.hpp"

namespace lockproof::cli {
namespace {

/// Text that roff takes for nothing but text.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
  }
  if (safe.starts_with('.') || safe.starts_with('\'')) safe.insert(0, "\\&");
  return safe;
}

std::string synopsis(const DescribedCommand& command) {
  std::string words;
  for (const DescribedOption& option : command.options) {
    if (!option.by_position) continue;
    words += option.required ? " " + with_value(option) : " [" + with_value(option) + "]";
  }
  return fmt::format("lockproof {}{} [OPTION]...", command.name, words);
}

/// Between single quotes of a shell.
std::string in_quotes(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return safe;
}

/// A description for zsh's _arguments, in which brackets enclose the meaning and colons separate the parts.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    safe += c;
  }
  return in_quotes(safe);
}

std::string zsh_argument(const DescribedOption& option) {
  const std::string action = option.values.empty() ? "_files" : fmt::format("({})", fmt::join(option.values, " "));
  if (option.by_position) return fmt::format("'*:{}:{}'", option.name, in_quotes(action));
  const std::string value = option.takes_value ? fmt::format(":{}:{}", option.name.substr(2), in_quotes(action)) : "";
  return fmt::format("'{}[{}]{}'", option.name, zsh_text(option.meaning), value);
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string page = fmt::format(".TH LOCKPROOF 1 \"\" \"lockproof {}\" \"User commands\"\n", harness::program_version);
  page += ".SH NAME\nlockproof \\- a proving ground for distributed locks\n.SH SYNOPSIS\n";
  const std::vector<DescribedCommand> commands = described(app);
  for (const DescribedCommand& command : commands) page += fmt::format("{}\n.br\n", roff(synopsis(command)));
  page +=
      ".SH DESCRIPTION\n"
      "One scenario file says which lock algorithm runs, on which servers, with which faults. lockproof runs it in a\n"
      "deterministic simulator, searches every schedule within its bounds, and runs the same code against real\n"
      "servers, to find violations of mutual exclusion and whatever else goes wrong with locks.\n"
      ".SH COMMANDS\n";
  for (const DescribedCommand& command : commands) {
    page += fmt::format(".SS {}\n{}.\n", roff(synopsis(command)), roff(command.meaning));
    for (const DescribedOption& option : command.options) {
      page += fmt::format(".TP\n.B {}\n{}{}\n", roff(with_value(option)), roff(option.meaning),
                          option.standard.empty() ? "" : roff(fmt::format(" (default: {})", option.standard)));
    }
  }
  const std::string codes = app.get_footer();
  page += ".SH EXIT STATUS\n" + roff(codes.substr(0, codes.find("Start with")));
  page +=
      ".SH FILES\n"
      "The scenarios of the catalogue lie in share/lockproof/scenarios below the place of installation, for example\n"
      "/usr/share/lockproof/scenarios/documented/leases/lease\\-outlived.toml.\n";
  return page;
}

std::string bash_completion(const CLI::App& app) {
  const std::vector<DescribedCommand> commands = described(app);
  std::vector<std::string> verbs;
  std::string values, options;
  for (const DescribedCommand& command : commands) {
    verbs.push_back(command.name);
    std::vector<std::string> names, words;
    for (const DescribedOption& option : command.options) {
      if (!option.by_position) names.push_back(option.name);
      if (option.by_position) words.insert(words.end(), option.values.begin(), option.values.end());
      if (option.by_position || option.values.empty()) continue;
      values +=
          fmt::format("    \"{} {}\") words=\"{}\" ;;\n", command.name, option.name, fmt::join(option.values, " "));
    }
    options += fmt::format("    {}) options=\"{}\"; words=\"{}\" ;;\n", command.name, fmt::join(names, " "),
                           fmt::join(words, " "));
  }
  return fmt::format(R"(# bash completion for lockproof {}; made by: lockproof manual bash
_lockproof() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}} words="" options=""
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$cur"))
    return
  fi
  case "$verb $prev" in
{}  esac
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  case $verb in
{}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur"))
  fi
}}
complete -o filenames -F _lockproof lockproof
)",
                     harness::program_version, fmt::join(verbs, " "), values, options);
}

std::string zsh_completion(const CLI::App& app) {
  std::string verbs, cases;
  for (const DescribedCommand& command : described(app)) {
    verbs += fmt::format("    '{}:{}'\n", command.name, in_quotes(command.meaning));
    std::vector<std::string> arguments;
    for (const DescribedOption& option : command.options) arguments.push_back("        " + zsh_argument(option));
    cases += fmt::format("    {})\n      _arguments \\\n{} ;;\n", command.name, fmt::join(arguments, " \\\n"));
  }
  return fmt::format(R"(#compdef lockproof
# zsh completion for lockproof {}; made by: lockproof manual zsh
_lockproof() {{
  local -a verbs=(
{}  )
  if ((CURRENT == 2)); then
    _describe command verbs
    return
  fi
  local verb=$words[2]
  shift words
  ((CURRENT--))
  case $verb in
{}  esac
}}
_lockproof "$@"
)",
                     harness::program_version, verbs, cases);
}

}  // namespace lockproof::cli
