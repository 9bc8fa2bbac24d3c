// SPDX-License-Identifier: Apache-2.0
// RecentTuples: which packed tuples were met last. Neighbouring states often have the same successors; these need no
// look into the visited set, whose memory is far away. Exact: whole tuples are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/containers/packing.hpp"

namespace lockproof::sim {

class RecentTuples {
 public:
  /// Forgets all that were packed in another way. Call it before the first is met, and whenever there is more room.
  void expect(const Packing& packing) {
    if (layout_ == packing.layout()) return;
    layout_ = packing.layout();
    words_ = packing.words();
    places_.assign(most * words_, no_word);
  }

  /// Whether it was met before, and nothing since took its place. False negatives are many, false positives none.
  /// `hash`: of the packed tuple.
  [[nodiscard]] bool meet(const Packing::Words& packed, std::uint64_t hash) {
    std::uint64_t* const place = &places_[(hash >> 20 & (most - 1)) * words_];
    std::uint64_t differs = 0;
    for (std::size_t i = 0; i < words_; ++i) {
      differs |= place[i] ^ packed[i];
      place[i] = packed[i];
    }
    return differs == 0;
  }

 private:
  static constexpr std::size_t most = 4096;                    // so that all are in a cache near the processor
  static constexpr std::uint64_t no_word = ~std::uint64_t{0};  // the last word of a tuple has a bit that is not set

  std::uint64_t layout_ = 0;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> places_{};
};

}  // namespace lockproof::sim
