// SPDX-License-Identifier: Apache-2.0
// ClientMoments: suspends a client of a real run before it enters or exits, until the faults that are placed there have
// struck. They strike between two steps of its coroutines, since a fault may destroy the suspended coroutine.
#pragma once

#include <coroutine>
#include <string_view>
#include <vector>

#include "harness/workload/moments.hpp"
#include "real/client/client_journal.hpp"

namespace lockproof::real {

class ClientMoments final : public harness::Moments {
 public:
  explicit ClientMoments(ClientJournal& journal) : journal_(journal) {}

  [[nodiscard]] bool awaited(harness::Act act, bool) const override { return journal_.awaits(name(act)); }
  Task<void> come(harness::Act act) override;
  /// Strikes, and resumes the suspended coroutines that still exist. Returns whether any was suspended.
  bool strike();

 private:
  /// Lives in the frame of the suspended coroutine; its destructor notes that the coroutine is gone.
  class Stand : public Pinned {
   public:
    Stand(ClientMoments& moments, std::string_view act) : moments_(moments), act_(act) {}
    ~Stand() { std::erase(moments_.standing_, this); }
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> stands) {
      stands_ = stands;
      moments_.standing_.push_back(this);
    }
    void await_resume() const noexcept {}
    [[nodiscard]] std::string_view act() const { return act_; }
    void resume() { stands_.resume(); }

   private:
    ClientMoments& moments_;
    const std::string_view act_;
    std::coroutine_handle<> stands_;
  };

  ClientJournal& journal_;
  std::vector<Stand*> standing_;
};

}  // namespace lockproof::real
