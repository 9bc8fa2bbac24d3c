// SPDX-License-Identifier: Apache-2.0
// manual: the man page, or what completes commands in a shell, on standard output.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/options/manual.hpp"
#include "harness/check/expectation.hpp"

namespace lockproof::cli {

int manual_command(const Arguments& arguments) {
  Arguments unused;
  CLI::App app;
  define_arguments(app, unused);
  const std::string& kind = arguments.paths.front();
  fmt::print("{}", kind == "man" ? man_page(app) : kind == "bash" ? bash_completion(app) : zsh_completion(app));
  return check::exit_code::met;
}

}  // namespace lockproof::cli
