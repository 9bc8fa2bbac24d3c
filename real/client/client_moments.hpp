// SPDX-License-Identifier: Apache-2.0
// ClientMoments: suspends a client of a real run before it enters, exits or touches, until the faults that are placed
// there have struck. They strike between two steps of its coroutines, since a fault may destroy the suspended
// coroutine.
#pragma once

#include <coroutine>
#include <utility>
#include <vector>

#include "harness/workload/moments.hpp"
#include "real/client/life_events.hpp"

namespace lockproof::real {

class ClientMoments final : public harness::Moments {
 public:
  explicit ClientMoments(LifeEvents& events) : events_(events) {}

  [[nodiscard]] bool awaited(harness::Act act, bool) const override {
    return events_.awaits(moment_of(act), name(act));
  }
  Task<void> come(harness::Act act) override;
  /// Strikes for a suspended coroutine, and resumes it if it still exists and its client does not stand still. Returns
  /// whether anything has happened.
  bool strike();

 private:
  /// Lives in the frame of the suspended coroutine; its destructor notes that the coroutine is gone.
  class Stand : public PinnedObject {
   public:
    Stand(ClientMoments& moments, harness::Act act) : moments_(moments), act_(act) {}
    ~Stand() { std::erase(moments_.standing_, this); }
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> stands) {
      stands_ = stands;
      moments_.standing_.push_back(this);
    }
    void await_resume() const noexcept {}
    [[nodiscard]] harness::Act act() const { return act_; }
    void resume() { stands_.resume(); }
    /// Whether nothing has struck here before.
    [[nodiscard]] bool is_new() { return !std::exchange(struck_, true); }

   private:
    ClientMoments& moments_;
    const harness::Act act_;
    bool struck_ = false;
    std::coroutine_handle<> stands_;
  };

  LifeEvents& events_;
  std::vector<Stand*> standing_;
};

}  // namespace lockproof::real
