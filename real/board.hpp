// SPDX-License-Identifier: Apache-2.0
// Board: the memory that all processes of a run share: when the scenario starts, who is inside the critical section,
// one counter that orders all events, and how far the clients' wall clocks have jumped. Anonymous: it leaves no trace.
#pragma once

#include <atomic>
#include <cstdint>

#include "algorithms/port/pinned.hpp"

namespace lockproof::real {

class Board : public Pinned {
 public:
  static constexpr int clients_max = 64;  // one bit each in the owner word

  /// To be made before the processes are forked. Throws BadEnvironment.
  Board();
  ~Board();

  struct Shared {
    std::atomic<std::int64_t> start_ns;    // machine instant of scenario time 0
    std::atomic<std::uint64_t> sequence;   // of the event written last
    std::atomic<std::uint64_t> inside;     // the owner word: a bit for each client in its critical section
    std::atomic<std::int64_t> wall_jumped_us[clients_max];
  };
  [[nodiscard]] Shared& shared() const { return *shared_; }

  std::uint64_t next_sequence() { return shared_->sequence.fetch_add(1) + 1; }
  /// The client is inside from now on; how many others are.
  int enter(int client);
  void leave(int client);

 private:
  Shared* shared_ = nullptr;
};

}  // namespace lockproof::real
