// SPDX-License-Identifier: Apache-2.0
// CheckpointFile: a search's checkpoint on disk, and of which search it is.
#pragma once

#include <fstream>
#include <memory>
#include <string>

#include "search/search.hpp"

namespace lockproof::cli {

/// As an OutputFile. Throws sim::CheckpointError.
void write_checkpoint(const std::string& path, const sim::CheckpointOf& of, const sim::WriteCheckpoint& write);

class CheckpointFile final : public PinnedObject {
 public:
  /// Throws harness::InputError.
  CheckpointFile(const std::string& path, const sim::CheckpointOf& of);
  [[nodiscard]] sim::CheckpointIn& in() { return *in_; }

 private:
  std::ifstream file_;
  std::unique_ptr<sim::CheckpointIn> in_;
};

/// All of a file; nothing if it cannot be read.
[[nodiscard]] std::string text_of(const std::string& path);
/// Identifies this build of the program: the states of a search depend on all of its code.
[[nodiscard]] std::string build_of_lockproof();

}  // namespace lockproof::cli
