// SPDX-License-Identifier: Apache-2.0
#include "real/os/program_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "real/errors.hpp"

namespace lockproof::real {

std::string program_file(const std::string& beside, const std::string& installed) {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::string built = folder / beside, moved = (folder / installed).lexically_normal();
  for (const std::string& place : {built, moved}) {
    if (::access(place.c_str(), R_OK) == 0) return place;
  }
  throw BadEnvironment(
      fmt::format("a file of lockproof is missing: neither {} nor {} can be read; install it again", built, moved));
}

}  // namespace lockproof::real
