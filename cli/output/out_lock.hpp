// SPDX-License-Identifier: Apache-2.0
// OutLock: one program at a time writes into a folder that --out names.
#pragma once

#include <string>

namespace lockproof::cli {

/// It stays in the folder: who removes it may remove the next one's. So it also says that a command wrote there.
inline constexpr const char* out_lock_file = ".lockproof-lock";

/// Held until it is destroyed or the process is gone, however it ends. Throws OutputError where another process holds
/// it, and where nothing can be written. A folder that cannot be locked need not be.
class OutLock {
 public:
  /// Empty: no folder, nothing to lock.
  explicit OutLock(const std::string& folder);
  ~OutLock();
  OutLock(const OutLock&) = delete;
  OutLock& operator=(const OutLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace lockproof::cli
