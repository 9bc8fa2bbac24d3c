// SPDX-License-Identifier: Apache-2.0
// The pages of --help, the man page, and what completes commands in a shell: all are made from the definitions of the
// options, so that none can lag behind.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace lockproof::cli {

/// In lines that fit; of an app and of all commands that are added to it afterwards.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter(std::size_t columns);
/// In roff, for section 1.
[[nodiscard]] std::string man_page(const CLI::App& app);
[[nodiscard]] std::string bash_completion(const CLI::App& app);
[[nodiscard]] std::string zsh_completion(const CLI::App& app);

}  // namespace lockproof::cli
