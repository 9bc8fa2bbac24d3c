// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output/drawing.hpp"

namespace lockproof::cli {

int report_command(const Arguments& arguments) {
  const std::filesystem::path first(arguments.paths.front());
  const std::string beside = std::filesystem::is_directory(first) ? first.string() : first.parent_path().string();
  const std::string out = !arguments.out.empty() ? arguments.out : beside.empty() ? "." : beside;
  const Drawing drawing{arguments.paths, out, arguments.what_if};
  return arguments.html ? write_pages(drawing) : draw_pictures(drawing);
}

}  // namespace lockproof::cli
