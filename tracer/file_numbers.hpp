// SPDX-License-Identifier: Apache-2.0
// FileNumbers: what programs see in place of numbers of devices and inodes, in the order in which they first see them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace lockproof::tracer {

class FileNumbers {
 public:
  [[nodiscard]] std::uint64_t device(std::uint64_t real) { return devices_.try_emplace(real, devices_.size() + 1).first->second; }
  [[nodiscard]] std::uint64_t inode(std::uint64_t real_device, std::uint64_t real) {
    return inodes_.try_emplace({real_device, real}, inodes_.size() + 1).first->second;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> devices_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> inodes_;
};

}  // namespace lockproof::tracer
