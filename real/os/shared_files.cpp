// SPDX-License-Identifier: Apache-2.0
#include "real/os/shared_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "real/errors.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {
namespace {

namespace fs = std::filesystem;

Janitor* owner = nullptr;  // processes that are forked from now on have a copy

/// Held until it is closed, or its process ends.
Descriptor locked(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  int done = -1;
  while (file.open() && (done = ::flock(file.get(), LOCK_EX)) != 0 && errno == EINTR) {
  }
  if (done != 0) throw BadEnvironment(fmt::format("cannot lock {}: {}", path, std::strerror(errno)));
  return file;
}

}  // namespace

SharedFiles::SharedFiles() { owner = &janitor_; }

SharedFiles::~SharedFiles() { owner = nullptr; }

std::string SharedFiles::get(const std::string& name, const Make& make) {
  if (!owner) return {};
  std::string path = fmt::format("{}/{}", owner->folder(), name);
  if (fs::exists(path)) return path;
  const Descriptor lock = locked(path + ".lock");
  if (fs::exists(path)) return path;
  const std::string unfinished = path + ".unfinished";
  fs::remove_all(unfinished);  // of a process that ended meanwhile
  make(unfinished, *owner);
  fs::rename(unfinished, path);
  return path;
}

}  // namespace lockproof::real
