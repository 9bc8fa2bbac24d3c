// SPDX-License-Identifier: Apache-2.0
// PassedList: the places that a search has reached, each with its zone. A zone that lies in another one of the same
// place leads nowhere where that one does not lead, so it is left out, whichever came first.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "search/containers/interner.hpp"
#include "search/zones/place.hpp"

namespace lockproof::zones {

class PassedList {
 public:
  static constexpr std::uint32_t nobody = UINT32_MAX;
  /// The place that it was reached from first, and which one of its successors it is.
  struct Origin {
    std::uint32_t parent = nobody, ordinal = 0;
  };

  /// Its number; nothing: it lies in one that is known.
  std::optional<std::uint32_t> add(std::string bytes, Zone zone, Origin from);
  /// False: a later one contains it.
  [[nodiscard]] bool is_alive(std::uint32_t number) const { return (known_[number].at & dead) == 0; }
  [[nodiscard]] Place place(std::uint32_t number) const;
  /// The ordinals that lead to it, from the beginning.
  [[nodiscard]] std::vector<std::uint32_t> path_to(std::uint32_t number) const;
  /// Zones that lie in no other one.
  [[nodiscard]] std::uint64_t size() const { return alive_; }
  [[nodiscard]] std::uint64_t bytes() const;
  /// Whether the valuations of this zone were reached in a place with these bytes.
  [[nodiscard]] bool contains(const std::string& bytes, const Zone& zone) const;

 private:
  static constexpr std::uint64_t dead = std::uint64_t{1} << 63;
  struct ZoneRecord {
    std::uint32_t place, next;  // the zone of the same place that is alive and was added before it
    Origin from;
    std::uint64_t at;  // where its zone is packed; with `dead`, if a later one contains it
  };
  [[nodiscard]] const char* packed(std::uint32_t number) const;
  [[nodiscard]] std::uint64_t pack(const Zone& zone);

  sim::Interner places_;
  std::vector<std::uint32_t> last_of_;  // of each place, the zone that was added last of those that are alive
  std::deque<ZoneRecord> known_;
  std::deque<std::string> packed_;  // zones, in blocks
  std::uint64_t alive_ = 0;
};

}  // namespace lockproof::zones
