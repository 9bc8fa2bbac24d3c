// SPDX-License-Identifier: Apache-2.0
// A private world: namespaces of its own for users, processes, files, System V objects, networks and names, without any
// privilege. All that was on the machine's file systems is there, copied on write, so nothing that happens inside is
// seen outside; /tmp, /run, /dev/shm and the folders of the hosts are new and empty. Whoever starts it is the same user
// there, not root.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "tracer/world_spec.hpp"

namespace lockproof::tracer {

/// Empty: done. Else a sentence that says what the machine does not allow, and what would allow it.
/// Of a process with one thread, whose next child is then the first process of the private world.
[[nodiscard]] std::string enter_namespaces();

/// Of that child. Afterwards the machine's files cannot be reached.
[[nodiscard]] std::string build_private_root(const WorldSpec& spec);

/// What programs read in place of the machine's own figures: path, and content.
struct MachineFile {
  const char* path;
  const char* content;
};
[[nodiscard]] const std::vector<MachineFile>& machine_files();
/// Of /proc: whether a program may open this path, which is none of made_file's.
[[nodiscard]] bool is_visible(const std::string& path);
/// A file of /proc that the world makes whenever it is opened.
struct MadeFile {
  pid_t process;
  std::string name;
};
/// Nothing: this path is none. `self`: who opens it.
[[nodiscard]] std::optional<MadeFile> made_file(const std::string& path, pid_t self);

}  // namespace lockproof::tracer
