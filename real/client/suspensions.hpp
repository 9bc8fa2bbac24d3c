// SPDX-License-Identifier: Apache-2.0
// Suspensions: when one host was suspended, and so for how long its monotonic clock has stood.
#pragma once

#include <algorithm>
#include <vector>

#include "algorithms/port/instant.hpp"

namespace lockproof::real {

class Suspensions {
 public:
  /// Suspensions may overlap: the clock goes on when the last one has ended.
  void begin(Duration at) {
    if (open_++ == 0) spans_.push_back({at, Duration::max()});
  }
  void end(Duration at) {
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
