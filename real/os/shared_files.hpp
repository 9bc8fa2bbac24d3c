// SPDX-License-Identifier: Apache-2.0
// SharedFiles: files that many runs need alike and that cost time to make, such as an empty database. They lie in a
// folder of this process and of those that it forks, which no other user can list, and are made by the first who asks.
#pragma once

#include <functional>
#include <string>

#include "algorithms/port/pinned_object.hpp"
#include "real/os/janitor.hpp"

namespace lockproof::real {

class SharedFiles : public PinnedObject {
 public:
  /// REQUIRES: no other object of this class lives. The janitor removes the folder when this process and all that it
  /// has forked are gone. Throws BadEnvironment.
  SharedFiles();
  ~SharedFiles();

  /// Makes the new folder at this path. Processes that it starts belong to that janitor.
  using Make = std::function<void(const std::string& path, Janitor& janitor)>;
  /// The path of the folder `name`, complete; the first who asks makes it meanwhile. Empty: no object of this class
  /// lives. Throws what `make` throws.
  [[nodiscard]] static std::string get(const std::string& name, const Make& make);

 private:
  Janitor janitor_;
};

}  // namespace lockproof::real
