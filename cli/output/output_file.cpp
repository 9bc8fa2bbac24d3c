// SPDX-License-Identifier: Apache-2.0
#include "cli/output/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>
#include <vector>

namespace lockproof::cli {
namespace {

namespace fs = std::filesystem;

constexpr int links_most = 40;
constexpr std::size_t written_at_once = 64 << 10;
constexpr mode_t of_new_files = 0666, permissions = 07777;

constexpr std::string_view of_processes = "/proc/";  // where links lead that are none, as /dev/stdout does

/// Where the symbolic links lead; what is behind the last one need not be there.
std::string behind_links(const std::string& path) {
  std::error_code failed;
  fs::path at = fs::absolute(path, failed);
  for (int i = 0; i < links_most; ++i) {
    at = fs::weakly_canonical(at.parent_path(), failed) / at.filename();
    if (at.native().starts_with(of_processes)) return at;
    if (!fs::is_symlink(fs::symlink_status(at, failed))) return at;
    const fs::path to = fs::read_symlink(at, failed);
    at = to.is_absolute() ? to : at.parent_path() / to;
  }
  return path;
}

/// A number of ours that the path stands for; -1: none.
int own_descriptor(const std::string& path) {
  const std::string ours = fmt::format("/proc/{}/fd/", ::getpid());
  if (!path.starts_with(ours)) return -1;
  int number = -1;
  std::from_chars(path.data() + ours.size(), path.data() + path.size(), number);
  return number;
}

/// The inputs of this command: they are the same for the whole program.
std::vector<std::string>& kept_inputs() {
  static std::vector<std::string> files;
  return files;
}

/// Where lockproof has written every file: they are the same for the whole program.
std::vector<std::string>& trusted_folders() {
  static std::vector<std::string> folders;
  return folders;
}

/// Files that this program has written.
std::set<std::string>& written_files() {
  static std::set<std::string> files;
  return files;
}

/// What its results, histories, checkpoints, graphs and scenarios begin with.
bool says_lockproof(const std::string& path) {
  constexpr std::string_view marks[] = {
      "lockproof checkpoint",          "\"lockproof_history\":",   "\"lockproof\": \"",    "\"lockproof\":\"",
      "<testsuites name=\"lockproof ", "// A graph of lockproof ", "source = \"lockproof "};
  std::array<char, 1024> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  const std::string_view text(begin.data(), static_cast<std::size_t>(file.gcount()));
  return text.empty() ||
         std::ranges::any_of(marks, [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

/// A reader that goes away is an error like others, not the end of the program.
class WithoutSigpipe {
 public:
  WithoutSigpipe() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~WithoutSigpipe() { std::signal(SIGPIPE, before_); }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  void (*before_)(int);
};

}  // namespace

void OutputFile::keep(const std::string& input) { kept_inputs().push_back(behind_links(input)); }

void OutputFile::trust(const std::string& folder) {
  std::error_code failed;
  trusted_folders().push_back(fs::canonical(folder, failed).native() + "/");
}

bool OutputFile::may_replace(const std::string& path) {
  const std::string target = behind_links(path);
  std::error_code failed;
  if (!fs::is_regular_file(target, failed) || target.starts_with(of_processes)) return true;
  const auto is_below = [&](const std::string& folder) { return target.starts_with(folder); };
  return std::ranges::any_of(trusted_folders(), is_below) || written_files().contains(target) || says_lockproof(target);
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  waiting_.reserve(written_at_once);
  std::error_code failed;
  const fs::path folder = fs::path(path_).parent_path();
  if (!folder.empty()) fs::create_directories(folder, failed);
  const std::string target = behind_links(path_);
  if (std::ranges::find(kept_inputs(), target) != kept_inputs().end()) {
    throw OutputError(fmt::format("cannot write {}: it is what this command reads; give another folder", path_));
  }
  struct stat there {};
  const bool exists = ::stat(path_.c_str(), &there) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && S_ISDIR(there.st_mode)) fail(EISDIR);
  if (exists && S_ISBLK(there.st_mode)) throw OutputError(fmt::format("cannot write {}: it is a disk", path_));
  if (!may_replace(path_)) {
    throw OutputError(fmt::format("cannot write {}: it is there, and lockproof did not write it", path_));
  }
  const bool is_file = !exists || S_ISREG(there.st_mode);
  is_file && !target.starts_with(of_processes) ? open_beside(target) : open_through(target);
}

OutputFile::~OutputFile() { drop(); }

void OutputFile::drop() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  if (!temporary_.empty()) ::unlink(std::exchange(temporary_, {}).c_str());
}

void OutputFile::fail(int error) {
  drop();
  throw OutputError(fmt::format("cannot write {}: {}", path_, std::strerror(error)));
}

void OutputFile::open_beside(const std::string& target) {
  struct stat there {};
  const bool exists = ::stat(target.c_str(), &there) == 0;
  if (exists && ::access(target.c_str(), W_OK) != 0) fail(errno);
  const std::string temporary = fmt::format("{}.{}.tmp", target, ::getpid());
  ::unlink(temporary.c_str());  // of an earlier process of this number, which was killed
  file_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, of_new_files);
  if (file_ < 0) fail(errno);
  target_ = target;
  temporary_ = temporary;
  if (!exists) return;
  if (there.st_uid != ::geteuid() || there.st_gid != ::getegid()) {
    (void)!::fchown(file_, there.st_uid, there.st_gid);  // where it may be given away
  }
  if (::fchmod(file_, there.st_mode & permissions) != 0) fail(errno);
}

void OutputFile::open_through(const std::string& target) {
  std::fflush(stdout);  // it may be the same
  const int ours = own_descriptor(target);
  file_ =
      ours >= 0 ? ::fcntl(ours, F_DUPFD_CLOEXEC, 0) : ::open(path_.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
  if (file_ < 0) fail(errno);
}

bool OutputFile::write(std::string_view bytes) {
  if (bytes.size() > waiting_.capacity() - waiting_.size()) {
    put(waiting_);
    waiting_.clear();
  }
  bytes.size() > waiting_.capacity() ? put(bytes) : void(waiting_ += bytes);
  return error_ == 0;
}

void OutputFile::put(std::string_view bytes) {
  const WithoutSigpipe quiet;
  while (!bytes.empty() && error_ == 0) {
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
}

void OutputFile::finish() {
  put(waiting_);
  if (::close(std::exchange(file_, -1)) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 && !temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0) error_ = errno;
  if (error_ != 0) fail(error_);
  if (!temporary_.empty()) written_files().insert(target_);
  temporary_.clear();
}

}  // namespace lockproof::cli
