// SPDX-License-Identifier: Apache-2.0
// Janitor: a small process that outlives its parent, however that ends. It makes the private folder of a run and waits
// on a pipe; when the other end closes, it kills the registered processes, removes the folder and ends. Of the parent's
// descriptors it keeps only standard error, and only if it has something to report. It ignores signals from the
// terminal.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "algorithms/port/pinned_object.hpp"
#include "real/os/child_process.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {

class Janitor : public PinnedObject {
 public:
  /// To be made before anything that must not be left behind. `last`: what the small process does when all registered
  /// processes are dead; its result is written to standard error. Throws BadEnvironment.
  explicit Janitor(const std::function<std::string()>& last = {});
  /// Lets the small process clean up, and waits for it.
  ~Janitor();

  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Registers a process that must end when this process ends.
  void watch(pid_t pid);
  /// Forks a child that ends with what `body` returns. It dies with this process, and signals from the terminal do not
  /// reach it. Throws BadEnvironment.
  [[nodiscard]] std::unique_ptr<ChildProcess> fork(const std::function<int()>& body);
  /// In a forked child: closes the pipe, which must be closed in all processes but the one that made it.
  void disown() { pipe_.close(); }

 private:
  Descriptor pipe_;
  std::unique_ptr<ChildProcess> process_;
  std::string folder_;
};

}  // namespace lockproof::real
