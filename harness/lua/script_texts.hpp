// SPDX-License-Identifier: Apache-2.0
// ScriptTexts: the text of each script that has a name, of all locks that one file makes. A search knows scripts by
// their names, so a name has one text.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "algorithms/port/pinned_object.hpp"

namespace lockproof::lua {

class ScriptTexts final : public PinnedObject {
 public:
  /// False: another text has this name. Safe to use by several threads.
  bool add(const std::string& name, const std::string& text) {
    const std::lock_guard guard(mutex_);
    return texts_.try_emplace(name, text).first->second == text;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> texts_;
};

}  // namespace lockproof::lua
