// SPDX-License-Identifier: Apache-2.0
// Janitor: a small process that outlives us, however we end. It makes the private folder of a run and waits on a pipe;
// when the other end closes, by our leave or by our death, it kills the processes that it was told about, removes the
// folder and ends. It keeps nothing of ours open but, where it has something to say, standard error, and heeds no
// signal of the terminal.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "algorithms/port/pinned.hpp"
#include "real/os/child_process.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {

class Janitor : public Pinned {
 public:
  /// To be made before anything that must not be left behind. `last`: what the small process does when all that it was
  /// told about are dead; what it answers is written to standard error. Throws BadEnvironment.
  explicit Janitor(const std::function<std::string()>& last = {});
  /// Has everything cleaned, and waits for it.
  ~Janitor();

  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// The process shall be dead when we are.
  void watch(pid_t pid);
  /// In a forked child: lets go of the pipe, which must be closed in all processes but the one that made it.
  void disown() { pipe_.close(); }

 private:
  Descriptor pipe_;
  std::unique_ptr<ChildProcess> process_;
  std::string folder_;
};

}  // namespace lockproof::real
