// SPDX-License-Identifier: Apache-2.0
// Old forms of the command line, which one more version takes: their table is the one of retired words.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lockproof::cli {

struct CommandForm {
  std::vector<std::string> words;  // "lockproof" first
  std::string redirect;            // file for what is printed; empty: standard output
  bool was_old = false;
};

/// The command in the form of this version. A form that no row of the table knows stays as it is.
[[nodiscard]] CommandForm current_form(const CLI::App& app, std::vector<std::string> words);

/// One sentence, with the whole command in its new form.
[[nodiscard]] std::string hint_on_old_form(const CommandForm& now);

}  // namespace lockproof::cli
