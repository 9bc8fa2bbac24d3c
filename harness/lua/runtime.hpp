// SPDX-License-Identifier: Apache-2.0
// Runtime: what one lock in Lua runs in. To make one takes longer than most steps of a lock, and a search makes locks
// by the thousand, so those that are done are kept for the next one.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "harness/lua/calls.hpp"
#include "harness/lua/outcomes.hpp"
#include "harness/lua/sandbox.hpp"

namespace lockproof::lua {

struct Runtime : PinnedObject {
  explicit Runtime(const Source& source) : sandbox(source), calls(sandbox) { offer_outcomes(sandbox); }
  Sandbox sandbox;
  Calls calls;
};

/// Safe to use by several threads; each Runtime is used by one at a time.
class Runtimes final : public PinnedObject {
 public:
  /// `source` must outlive it.
  explicit Runtimes(const Source& source) : source_(source) {}

  [[nodiscard]] std::unique_ptr<Runtime> take() {
    {
      const std::lock_guard guard(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Runtime> last = std::move(idle_.back());
        idle_.pop_back();
        return last;
      }
    }
    return std::make_unique<Runtime>(source_);
  }
  /// One in which nothing has failed: an error outside a protected call leaves a state of Lua that cannot go on.
  void give_back(std::unique_ptr<Runtime> runtime) {
    const std::lock_guard guard(mutex_);
    if (idle_.size() < idle_most) idle_.push_back(std::move(runtime));
  }

 private:
  static constexpr std::size_t idle_most = 64;
  const Source& source_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Runtime>> idle_;
};

}  // namespace lockproof::lua
