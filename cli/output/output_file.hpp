// SPDX-License-Identifier: Apache-2.0
// OutputFile: the one place through which files are written. A file has its name once it is whole, or is as it was
// before; a file that lockproof did not write is not replaced; what is no file, such as a FIFO or a terminal, is
// written through and never replaced, and a symbolic link stays one. The mode of a file that was there stays.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "algorithms/port/pinned_object.hpp"

namespace lockproof::cli {

/// A file could not be written; says which and why.
class OutputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class OutputFile final : public PinnedObject {
 public:
  /// From now on no file of this program replaces that one.
  static void keep(const std::string& input);
  /// Below this folder lockproof has written every file.
  static void trust(const std::string& folder);
  /// Whether there is nothing, or what lockproof wrote, or no file.
  [[nodiscard]] static bool may_replace(const std::string& path);
  /// Makes the folders on the way. A FIFO waits for its reader. Throws OutputError.
  explicit OutputFile(std::string path);
  /// Not finished: what was there before is there still.
  ~OutputFile();

  /// False: it cannot take that.
  bool write(std::string_view bytes);
  /// Throws OutputError if not everything was written.
  void finish();

 private:
  [[noreturn]] void fail(int error);
  void drop();
  void put(std::string_view bytes);
  void open_beside(const std::string& target);
  void open_through(const std::string& target);

  const std::string path_;
  std::string target_, temporary_;  // empty: it is written through
  std::string waiting_;             // to be written
  int file_ = -1;
  int error_ = 0;
};

}  // namespace lockproof::cli
