// SPDX-License-Identifier: Apache-2.0
// Passed: the places that a search has reached, each with its zone. A zone that lies in another one of the same place
// leads nowhere where that one does not lead, so it is left out, whichever came first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/containers/interner.hpp"
#include "search/zones/place.hpp"

namespace lockproof::zones {

class Passed {
 public:
  static constexpr std::uint32_t nobody = UINT32_MAX;
  /// The place that it was reached from first, and which one of its successors it is.
  struct From {
    std::uint32_t parent = nobody, ordinal = 0;
  };

  /// Its number; nothing: it lies in one that is known.
  std::optional<std::uint32_t> add(std::string bytes, Zone zone, From from);
  /// False: a later one contains it.
  [[nodiscard]] bool is_alive(std::uint32_t number) const { return known_[number].alive; }
  [[nodiscard]] Place place(std::uint32_t number) const;
  /// The ordinals that lead to it, from the beginning.
  [[nodiscard]] std::vector<std::uint32_t> path_to(std::uint32_t number) const;
  /// Zones that lie in no other one.
  [[nodiscard]] std::uint64_t size() const { return alive_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_ + places_.bytes(); }
  /// Whether the valuations of this zone were reached in a place with these bytes.
  [[nodiscard]] bool contains(const std::string& bytes, const Zone& zone) const;

 private:
  struct Known {
    std::uint32_t place;
    Zone zone;
    From from;
    bool alive = true;
  };
  sim::Interner places_;
  std::vector<std::vector<std::uint32_t>> zones_of_;  // of each place, those that are alive
  std::vector<Known> known_;
  std::uint64_t alive_ = 0, bytes_ = 0;
};

}  // namespace lockproof::zones
