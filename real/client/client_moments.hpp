// SPDX-License-Identifier: Apache-2.0
// ClientMoments: where a client of a real run stands before it enters or exits, until the faults that are placed there
// have struck. They strike between two steps of its coroutines, since one of them may end the coroutine that stands.
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

  [[nodiscard]] bool awaited(harness::Act act) const override { return journal_.awaits(name(act)); }
  Task<void> come(harness::Act act) override;
  /// Strikes, and lets whoever still stands go on. Answers whether anybody stood.
  bool strike();

 private:
  /// In the frame of a coroutine that stands: if that is destroyed, nobody does any more.
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
