// SPDX-License-Identifier: Apache-2.0
// ClockPage: the owner's side of a server's wall clock, or of a program's. It reads the page through the preloaded shim
// (clock_shim.c). It remembers how the clock was set, to say when a stamp of the server's was made. One writer only.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/port/pinned_object.hpp"
#include "real/clock/clock_layout.h"
#include "real/os/descriptor.hpp"

namespace lockproof::real {

class ClockPage : public PinnedObject {
 public:
  /// Shows `fake_us` (microseconds since 1970) now. `whole_life`: not only the wall clock but all clocks of the server
  /// run `speedup` times as fast as the machine. Throws BadEnvironment.
  ClockPage(std::int64_t fake_us, std::int64_t speedup, bool whole_life = false);
  ~ClockPage();

  /// The server inherits this descriptor; the variable LOCKPROOF_CLOCK_VARIABLE holds its number, or its path.
  [[nodiscard]] int descriptor() const { return memory_.get(); }

  /// Shows `fake_us` at the machine instant `at_ns`, and runs `speedup` times as fast as the machine. Earlier settings
  /// are forgotten: stamps from before cannot be mapped back.
  void start(std::int64_t at_ns, std::int64_t fake_us, std::int64_t speedup);
  /// Jumps by this much from now on; backwards too.
  void jump(std::int64_t by_us);
  /// Runs at another rate from now on: billionths faster, or slower, than it was started with.
  void set_rate(std::int64_t ppb);

  /// Counts how often it is asked for the time, or waited by it. Only before it is inherited.
  void count_calls();
  [[nodiscard]] std::uint64_t calls() const;

  [[nodiscard]] std::int64_t shows_us() const;
  [[nodiscard]] std::int64_t shows_us(std::int64_t at_ns) const;

  /// The machine instant at which the clock showed this stamp. Where a backward jump makes it show the same time
  /// twice, the latest one not after `received_ns`, when the stamp had been seen.
  [[nodiscard]] std::int64_t machine_ns_of(std::int64_t stamp_us, std::int64_t received_ns) const;

 private:
  struct Segment {  // valid from `from_ns` on
    std::int64_t from_ns, fake_ns, rate_ppb;
  };
  void publish(const Segment& segment);
  void go_on_from(std::int64_t ahead_ns, std::int64_t rate_ppb);

  Descriptor memory_;
  lockproof_clock_page* page_ = nullptr;
  std::vector<Segment> segments_;
};

}  // namespace lockproof::real
