// SPDX-License-Identifier: Apache-2.0
#include "real/clock/shim_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "real/errors.hpp"
#include "real/os/program_files.hpp"

namespace lockproof::real {
namespace {

Descriptor open_shim(const std::string& name) {
  const std::string path = program_file(name, "../lib/lockproof/" + name);
  Descriptor shim(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!shim.open()) throw BadEnvironment(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return shim;
}

}  // namespace

Descriptor open_server_shim() { return open_shim("liblockproof-clock.so"); }
Descriptor open_program_shim() { return open_shim("liblockproof-program-clock.so"); }

}  // namespace lockproof::real
