// SPDX-License-Identifier: Apache-2.0
// Files: which can be opened, and what is said of them. A regular file that was there before the world began shows its
// own time, to the second, as it is an input like its content: Python compares it. All else shows the world's start.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <ctime>

#include "tracer/calls/handlers.hpp"
#include "tracer/machine/private_world.hpp"
#include "tracer/process_files.hpp"
#include "tracer/waits.hpp"

namespace lockproof::tracer {
namespace {

constexpr long folder_size = 4096, block = 512;
constexpr long start_seconds = epoch / second;

bool is_random(const std::string& path) { return path == "/dev/urandom" || path == "/dev/random"; }

Nanos nanos_of(const timespec& time) { return time.tv_sec * second + time.tv_nsec; }

void change_stat(TracedWorld& world, struct stat& file) {
  const FileNumbers& numbers = world.file_numbers();
  const bool is_machines = !numbers.is_own(nanos_of(file.st_ctim)) || !numbers.is_own(nanos_of(file.st_mtim));
  const timespec time{S_ISREG(file.st_mode) && is_machines ? file.st_mtim.tv_sec : start_seconds, 0};
  file.st_ino = world.file_numbers().inode(file.st_dev, file.st_ino);
  file.st_dev = world.file_numbers().device(file.st_dev);
  file.st_atim = file.st_mtim = file.st_ctim = time;
  if (S_ISDIR(file.st_mode)) {
    file.st_nlink = 2;
    file.st_size = folder_size;
  }
  file.st_blocks = (file.st_size + block - 1) / block;
}

/// Where each record of getdents64 has its parts.
struct DirectoryRecord {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
};

}  // namespace

/// Files below /proc are hidden, but for a list. A file of random bytes is read from a place that is drawn.
Outcome serve_open(TracedWorld& world, Thread& thread) {
  const int which = thread.call == SYS_open ? 0 : 1;
  const std::string path = read_text(thread.tid, thread.registers.argument(which));
  if (world.spec().logs_calls) world.log().add(fmt::format("open {}", path));
  std::string instead;
  if (const std::optional<MadeFile> made = made_file(path, thread.process->pid)) {
    instead = make_process_file(world, *made);
    if (instead.empty()) return answer(thread, -ENOENT);
  } else if (!is_visible(path)) {
    return answer(thread, -ENOENT);
  }
  if (instead.empty() && !is_random(path)) return Outcome::passes;
  ChangedCall changed(thread);
  if (!instead.empty()) {
    const Address at = thread.registers.scratch();
    write_bytes(thread.tid, at, instead.c_str(), instead.size() + 1);
    changed.set(which, at);
  }
  if (!changed.make(world)) return Outcome::ended;
  if (is_random(path) && changed.result() >= 0) {
    constexpr std::uint64_t places = 1 << 19;  // the file has twice as many bytes
    const real::Descriptor copy = copy_descriptor(*thread.process, static_cast<int>(changed.result()));
    lseek(copy.get(), static_cast<off_t>(world.draw() % places), SEEK_SET);
  }
  return Outcome::decided;
}

/// stat, lstat, fstat and newfstatat.
Outcome serve_stat(TracedWorld& world, Thread& thread) {
  const Address at = thread.registers.argument(thread.call == SYS_newfstatat ? 2 : 1);
  ChangedCall call(thread);
  if (!call.make(world)) return Outcome::ended;
  if (call.result() != 0) return Outcome::decided;
  auto file = read_value<struct stat>(thread.tid, at);
  change_stat(world, file);
  write_value(thread.tid, at, file);
  return Outcome::decided;
}

Outcome serve_statx(TracedWorld& world, Thread& thread) {
  const Address at = thread.registers.argument(4);
  ChangedCall call(thread);
  if (!call.make(world)) return Outcome::ended;
  if (call.result() != 0) return Outcome::decided;
  auto file = read_value<struct statx>(thread.tid, at);
  struct stat same {};
  same.st_mode = file.stx_mode;
  same.st_ino = file.stx_ino;
  same.st_dev = makedev(file.stx_dev_major, file.stx_dev_minor);
  same.st_mtim = {file.stx_mtime.tv_sec, file.stx_mtime.tv_nsec};
  same.st_ctim = {file.stx_ctime.tv_sec, file.stx_ctime.tv_nsec};
  same.st_nlink = file.stx_nlink;
  same.st_size = static_cast<long>(file.stx_size);
  change_stat(world, same);
  file.stx_ino = same.st_ino;
  file.stx_dev_major = 0;
  file.stx_dev_minor = static_cast<std::uint32_t>(same.st_dev);
  file.stx_nlink = static_cast<std::uint32_t>(same.st_nlink);
  file.stx_size = static_cast<std::uint64_t>(same.st_size);
  file.stx_blocks = static_cast<std::uint64_t>(same.st_blocks);
  file.stx_mnt_id = 0;
  statx_timestamp time{};
  time.tv_sec = same.st_mtim.tv_sec;
  file.stx_atime = file.stx_btime = file.stx_ctime = file.stx_mtime = time;
  write_value(thread.tid, at, file);
  return Outcome::decided;
}

/// statfs and fstatfs: a disk that never fills.
Outcome serve_statfs(TracedWorld& world, Thread& thread) {
  const Address at = thread.registers.argument(1);
  ChangedCall call(thread);
  if (!call.make(world)) return Outcome::ended;
  if (call.result() != 0) return Outcome::decided;
  auto disk = read_value<struct statfs>(thread.tid, at);
  constexpr unsigned long blocks = 1 << 24;
  disk.f_blocks = blocks;
  disk.f_bfree = disk.f_bavail = disk.f_files = disk.f_ffree = blocks / 2;
  disk.f_fsid = {};
  write_value(thread.tid, at, disk);
  return Outcome::decided;
}

/// Whoever adds a file to a folder would shift all numbers that are given out: so those in a listing are all 1.
Outcome serve_getdents(TracedWorld& world, Thread& thread) {
  const Address at = thread.registers.argument(1);
  ChangedCall call(thread);
  if (!call.make(world)) return Outcome::ended;
  for (Address offset = 0; offset < static_cast<Address>(std::max(call.result(), 0L));) {
    const auto record = read_value<DirectoryRecord>(thread.tid, at + offset);
    if (record.length == 0) break;
    write_value(thread.tid, at + offset, std::uint64_t{1});
    offset += record.length;
  }
  return Outcome::decided;
}

}  // namespace lockproof::tracer
