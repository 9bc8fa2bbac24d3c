// SPDX-License-Identifier: Apache-2.0
// PinnedObject: an object with an address for life. Coroutines keep references to such objects only.
#pragma once

namespace lockproof {

class PinnedObject {
 public:
  PinnedObject() = default;
  PinnedObject(const PinnedObject&) = delete;
  PinnedObject& operator=(const PinnedObject&) = delete;

 protected:
  ~PinnedObject() = default;
};

}  // namespace lockproof
