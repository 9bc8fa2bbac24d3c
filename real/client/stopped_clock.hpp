// SPDX-License-Identifier: Apache-2.0
// StoppedClock: when faults stopped the monotonic clock of one host, and for how long it has stood.
#pragma once

#include <algorithm>
#include <vector>

#include "algorithms/port/instant.hpp"

namespace lockproof::real {

class StoppedClock {
 public:
  /// Faults may overlap: the clock goes on when the last one has ended.
  void stop(Duration at) {
    if (open_++ == 0) spans_.push_back({at, Duration::max()});
  }
  void go_on(Duration at) {
    if (--open_ == 0) spans_.back().to = at;
  }
  /// For how long the clock has stood by the scenario instant `at`, in scenario time.
  [[nodiscard]] Duration stood(Duration at) const {
    Duration sum{};
    for (const Span& span : spans_) sum += std::max(std::min(at, span.to) - span.from, Duration{});
    return sum;
  }

 private:
  struct Span {
    Duration from, to;
  };
  std::vector<Span> spans_;
  int open_ = 0;
};

}  // namespace lockproof::real
