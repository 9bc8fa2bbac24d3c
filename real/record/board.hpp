// SPDX-License-Identifier: Apache-2.0
// Board: the memory that all processes of a run share: the start of the scenario, the clients inside the critical
// section, one counter that orders all events, the state of the clients' clocks, and the servers that they connect to.
// It is anonymous, so it leaves no file.
#pragma once

#include <atomic>
#include <cstdint>

#include "algorithms/port/pinned_object.hpp"
#include "real/clock/drift.hpp"

namespace lockproof::real {

class Board : public PinnedObject {
 public:
  static constexpr int clients_max = 64;  // one bit each in the owner word
  static constexpr int servers_max = 16;

  /// To be made before the processes are forked. Throws BadEnvironment.
  Board();
  ~Board();

  struct SharedPage {
    std::atomic<std::int64_t> start_ns;   // machine instant of scenario time 0
    std::atomic<std::uint64_t> sequence;  // number of the event written last
    std::atomic<std::uint64_t> inside;    // the owner word: a bit for each client in its critical section
    std::atomic<std::int64_t> wall_jumped_us[clients_max];
    SharedDrift drift[clients_max];
    std::atomic<std::int64_t> stood_us[clients_max];   // how far suspensions have set the monotonic clock behind
    std::atomic<int> round[clients_max];               // the client's current round
    std::atomic<int> route[clients_max][servers_max];  // for the client's n-th store: the server it connects to next
  };
  [[nodiscard]] SharedPage& shared() const { return *shared_; }

  std::uint64_t next_sequence() { return shared_->sequence.fetch_add(1) + 1; }
  /// Marks the client as inside from now on; returns how many others are.
  int enter(int client);
  void leave(int client);

 private:
  SharedPage* shared_ = nullptr;
};

}  // namespace lockproof::real
