// SPDX-License-Identifier: Apache-2.0
// The man page, and what completes commands in a shell: all are made from the definitions of the options, so that none
// can lag behind.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace lockproof::cli {

/// In roff, for section 1.
[[nodiscard]] std::string man_page(const CLI::App& app);
[[nodiscard]] std::string bash_completion(const CLI::App& app);
[[nodiscard]] std::string zsh_completion(const CLI::App& app);

}  // namespace lockproof::cli
