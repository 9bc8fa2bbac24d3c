// SPDX-License-Identifier: Apache-2.0
#include "tracer/machine/private_world.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "tracer/spawn.hpp"

namespace lockproof::tracer {
namespace {

namespace fs = std::filesystem;

constexpr auto new_root = "/tmp";  // until it is the root
constexpr int own_user = 1000;     // PostgreSQL does not run as root, and memcached would change its user
constexpr auto allowed_by =
    "lockproof needs user namespaces and ptrace: in a container, start it with --cap-add SYS_PTRACE --security-opt "
    "seccomp=unconfined; on the machine, sysctl kernel.unprivileged_userns_clone=1";

std::string denied(std::string_view what) { return fmt::format("{} ({}); {}", what, std::strerror(errno), allowed_by); }

bool write_file(const std::string& path, const std::string& content) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const bool complete = write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  close(file);
  return complete;
}

bool mount_memory(const std::string& at) {
  fs::create_directories(at);
  return mount("lockproof", at.c_str(), "tmpfs", MS_NOSUID, "mode=0755") == 0;
}

/// A folder of the machine, at `at` in the private world: what is written there stays there. `name`: of its layers.
bool show_folder(const std::string& folder, const std::string& at, const std::string& name) {
  const std::string root = new_root, layers = root + "/run/layers/" + name;
  fs::create_directories(layers + "/upper");
  fs::create_directories(layers + "/work");
  fs::create_directories(root + at);
  const std::string options = fmt::format("userxattr,lowerdir={0},upperdir={1}/upper,workdir={1}/work", folder, layers);
  return mount("lockproof", (root + at).c_str(), "overlay", 0, options.c_str()) == 0;
}

/// A folder that the new /tmp hides, held by a descriptor.
struct HiddenFolder {
  std::string path;
  int descriptor;
};

std::vector<HiddenFolder> hidden_folders(const WorldSpec& spec) {
  std::vector<HiddenFolder> hidden;
  std::vector<std::string> paths = spec.folders;
  std::ranges::sort(paths);  // a folder before those in it
  for (const std::string& path : paths) {
    const bool is_known =
        std::ranges::any_of(hidden, [&](const HiddenFolder& one) { return (path + "/").starts_with(one.path + "/"); });
    if ((path + "/").starts_with("/tmp/") && !is_known)
      hidden.push_back({path, open(path.c_str(), O_PATH | O_CLOEXEC)});
  }
  return hidden;
}

bool show_hidden(const std::vector<HiddenFolder>& hidden) {
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    const std::string folder = fmt::format("/proc/self/fd/{}", hidden[i].descriptor);
    const bool mounted = show_folder(folder, hidden[i].path, fmt::format("hidden-{}", i));
    close(hidden[i].descriptor);
    if (!mounted) return false;
  }
  return true;
}

/// Without an overlay: as it is, and not to be written.
bool show_folder_unwritable(const std::string& name) {
  const std::string at = fmt::format("{}/{}", new_root, name);
  fs::create_directory(at);
  if (mount(("/" + name).c_str(), at.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) return false;
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  return syscall(SYS_mount_setattr, AT_FDCWD, at.c_str(), AT_RECURSIVE, &attributes, sizeof attributes) == 0;
}

bool show_machine() {
  constexpr std::array own{"dev", "proc", "sys", "tmp", "run"};
  std::vector<fs::directory_entry> entries(fs::directory_iterator("/"), {});
  std::ranges::sort(entries);
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename();
    if (std::ranges::find(own, std::string_view(name)) != own.end()) continue;
    if (entry.is_symlink())
      fs::copy_symlink(entry.path(), fs::path(new_root) / name);
    else if (entry.is_directory() && !show_folder("/" + name, "/" + name, name) && !show_folder_unwritable(name))
      return false;
  }
  return true;
}

bool make_devices(std::uint64_t seed) {
  const std::string at = std::string(new_root) + "/dev";
  if (!mount_memory(at)) return false;
  for (const std::string name : {"null", "zero", "full"}) {
    if (!write_file(at + "/" + name, "")) return false;
    if (mount(("/dev/" + name).c_str(), (at + "/" + name).c_str(), nullptr, MS_BIND, nullptr) != 0) return false;
  }
  constexpr std::size_t words = 1 << 17;
  std::string random;
  for (std::size_t i = 0; i < words; ++i) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t mixed = (seed ^ seed >> 29) * 0xbf58476d1ce4e5b9U;
    random.append(reinterpret_cast<const char*>(&mixed), sizeof mixed);
  }
  for (const std::string name : {"random", "urandom"}) write_file(at + "/" + name, random);
  fs::create_symlink("/proc/self/fd", at + "/fd");
  fs::create_symlink("/proc/self/fd/0", at + "/stdin");
  fs::create_symlink("/proc/self/fd/1", at + "/stdout");
  fs::create_symlink("/proc/self/fd/2", at + "/stderr");
  return mount_memory(at + "/shm");
}

bool show_figures() {
  const std::string root = new_root;
  if (!mount_memory(root + "/sys")) return false;
  for (const MachineFile& file : machine_files()) {
    const fs::path path = root + file.path;
    if (!std::string_view(file.path).starts_with("/proc/")) {
      fs::create_directories(path.parent_path());
      write_file(path, file.content);
      continue;
    }
    const std::string copy = root + "/run/machine" + std::string(file.path);
    fs::create_directories(fs::path(copy).parent_path());
    write_file(copy, file.content);
    if (mount(copy.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0) return false;
  }
  return true;
}

/// Programs ask for the name of the user that they run as.
bool name_user() {
  const std::string root = new_root;
  for (const auto& [name, line] : {std::pair{"passwd", fmt::format("user:x:{0}:{0}::/tmp:/bin/sh\n", own_user)},
                                   std::pair{"group", fmt::format("user:x:{}:\n", own_user)}}) {
    const std::string path = fmt::format("{}/etc/{}", root, name), copy = fmt::format("{}/run/machine/{}", root, name);
    if (!fs::exists(path)) continue;
    std::ifstream machines(path);
    if (!write_file(copy, line + std::string(std::istreambuf_iterator<char>(machines), {}))) return false;
    if (mount(copy.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0) return false;
  }
  return true;
}

bool show_given(const WorldSpec& spec) {
  for (const auto& [path, content] : spec.given) {
    const fs::path at = new_root + path;
    fs::create_directories(at.parent_path());
    if (!write_file(at, content)) return false;
  }
  return true;
}

void start_loopback() {
  const int socket_of = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  ioctl(socket_of, SIOCSIFFLAGS, &request);
  close(socket_of);
}

}  // namespace

std::string enter_namespaces() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  constexpr int all = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWUTS;
  if (unshare(all) != 0) return denied("the machine does not allow namespaces");
  write_file("/proc/self/setgroups", "deny");
  if (!write_file("/proc/self/uid_map", fmt::format("{} {} 1", own_user, user)) ||
      !write_file("/proc/self/gid_map", fmt::format("{} {} 1", own_user, group))) {
    return denied("the machine does not allow user namespaces");
  }
  constexpr std::string_view name = "host";
  return sethostname(name.data(), name.size()) == 0 ? std::string()
                                                    : denied("the machine does not allow a name of one's own");
}

std::string build_private_root(const WorldSpec& spec) try {
  umask(022);
  start_loopback();
  const std::string root = new_root;
  const std::vector<HiddenFolder> hidden = hidden_folders(spec);
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 || !mount_memory(root))
    return denied("the machine does not allow mounts");
  if (!mount_memory(root + "/run") || !show_machine() || !make_devices(spec.seed))
    return denied("the machine's files cannot be shown in a private world");
  fs::create_directory(root + "/proc");
  if (mount("proc", (root + "/proc").c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return denied("the machine does not allow a /proc of one's own");
  if (!show_figures() || !name_user() || !show_given(spec) || !mount_memory(root + "/tmp"))
    return denied("the machine does not allow mounts");
  if (!show_hidden(hidden)) return denied("a folder below /tmp cannot be shown");
  for (const HostSpec& host : spec.hosts) fs::create_directories(root + home_of(host));
  fs::permissions(root + "/tmp", fs::perms::all);
  if (chdir(new_root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0 ||
      chdir("/") != 0)
    return denied("the machine does not allow another root");
  return {};
} catch (const fs::filesystem_error& error) {
  return fmt::format("the machine's files cannot be shown in a private world: {}", error.what());
}

}  // namespace lockproof::tracer
