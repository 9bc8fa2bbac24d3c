// SPDX-License-Identifier: Apache-2.0
// Pinned: an object with an address for life. Coroutines keep references to such objects only.
#pragma once

namespace lockproof {

class Pinned {
 public:
  Pinned() = default;
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 protected:
  ~Pinned() = default;
};

}  // namespace lockproof
