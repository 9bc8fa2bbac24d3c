// SPDX-License-Identifier: Apache-2.0
#include "cli/output/out_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/output/output.hpp"

namespace lockproof::cli {
namespace {

constexpr int mode = 0644;

/// " (process 123)", as its holder wrote it.
std::string holder(int file) {
  char bytes[32];
  const ssize_t count = ::pread(file, bytes, sizeof bytes, 0);
  return count > 0 ? fmt::format(" (process {})", std::string_view(bytes, static_cast<std::size_t>(count))) : "";
}

/// What a long search finds must not be lost at its end. A lock file that is somebody else's need not be ours.
void check_folder(const std::string& folder, int error) {
  if (::access((folder + "/.").c_str(), W_OK | X_OK) == 0) return;
  throw OutputError(fmt::format("cannot write into {}: {}", folder, std::strerror(error)));
}

/// Whether a command has written there before, or nobody has.
bool is_ours(const std::string& folder) {
  std::error_code failed;
  return std::filesystem::exists(folder + "/" + out_lock_file, failed) || std::filesystem::is_empty(folder, failed);
}

}  // namespace

OutLock::OutLock(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (is_ours(folder)) OutputFile::trust(folder);
  file_ = ::open((folder + "/" + out_lock_file).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode);
  if (file_ < 0) {
    check_folder(folder, failed ? failed.value() : errno);
    return;
  }
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) {
    const std::string mine = std::to_string(::getpid());
    const bool written = ::ftruncate(file_, 0) == 0 && ::pwrite(file_, mine.data(), mine.size(), 0) > 0;
    static_cast<void>(written);  // without it the complaint does not name the process
    return;
  }
  const bool taken = errno == EWOULDBLOCK;
  const std::string who = taken ? holder(file_) : "";
  ::close(file_);
  file_ = -1;
  if (!taken) return;  // a file system without locks
  throw OutputError(
      fmt::format("another lockproof{} is writing into {}; wait for it, or give another --out", who, folder));
}

OutLock::~OutLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace lockproof::cli
