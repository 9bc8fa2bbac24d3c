// SPDX-License-Identifier: Apache-2.0
// FileNumbers: what programs see in place of numbers of devices and inodes, in the order in which they first see them;
// and since when a file can be the world's own.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace lockproof::tracer {

class FileNumbers {
 public:
  /// `born_ns`: the machine's wall clock before anything of the world was made.
  explicit FileNumbers(std::int64_t born_ns) : born_ns_(born_ns) {}
  /// Whether a file that was last changed then was made or changed in the world.
  [[nodiscard]] bool is_own(std::int64_t changed_ns) const { return changed_ns > born_ns_; }
  [[nodiscard]] std::uint64_t device(std::uint64_t real) {
    return devices_.try_emplace(real, devices_.size() + 1).first->second;
  }
  [[nodiscard]] std::uint64_t inode(std::uint64_t real_device, std::uint64_t real) {
    return inodes_.try_emplace({real_device, real}, inodes_.size() + 1).first->second;
  }

 private:
  const std::int64_t born_ns_;
  std::map<std::uint64_t, std::uint64_t> devices_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> inodes_;
};

}  // namespace lockproof::tracer
