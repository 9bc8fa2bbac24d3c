// SPDX-License-Identifier: Apache-2.0
// Summaries: what the search reads of each number in a column of its states, close together: of a client with its
// links, or of a site of servers. A summary depends on its number and on nothing else of the state. What the number
// becomes after some time stands beside it, since a number mostly waits for one or two durations.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "algorithms/port/instant.hpp"
#include "search/containers/flat_map.hpp"

namespace lockproof::sim {

struct Summary {
  static constexpr std::uint32_t no_span = UINT32_MAX;

  enum Flag : std::uint16_t {
    // Of a client with its links …
    acts = 1,           // an event of its own, or an arrival, is due now
    has_locals = 2,     // … one of its own
    plans = 4,          // … which is a fault, or the end of one
    inside = 8,         // …
    entitled = 16,      // …
    interested = 32,    // … see Traits
    rests = 64,         // it will not ask for the lock again, or only if it likes
    wants = 128,        // … and may like to
    idle_wire = 256,    // a closed connection of it is empty
    other_names = 512,  // it knows a token by another name than its first one
    // … and of a site of servers.
    own = 1024,    // an event of its own is due now
    holds = 2048,  // a paused server holds messages
    // Of a client with its links, too:
    may_undo = 4096  // see Group
  };

  Duration due{};                                        // until something is due here
  std::uint64_t tokens = 0, known = 0;                   // that it names, and that a client itself knows: a bit each
  std::array<std::uint32_t, 2> to{};                     // what it is after …
  std::array<std::uint32_t, 2> spans{no_span, no_span};  // … these spans of time
  std::uint32_t requests = 0;                            // servers at which a request of it arrives now, a bit each
  std::uint16_t flags = 0;
  bool replies = false;  // one arrives now

  [[nodiscard]] bool is(Flag flag) const { return (flags & flag) != 0; }
};

class Summaries {
 public:
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(summaries_.size()); }
  [[nodiscard]] const Summary& at(std::uint32_t number) const { return summaries_[number]; }
  /// Of all numbers, until one is added.
  [[nodiscard]] const Summary* data() const { return summaries_.data(); }
  void add(const Summary& summary) { summaries_.push_back(summary); }

  /// What the number is after a span of time; PairMap::none: not known.
  [[nodiscard]] std::uint32_t aged(std::uint32_t number, std::uint32_t span) const {
    const Summary& summary = summaries_[number];
    if (summary.spans[0] == span) return summary.to[0];
    if (summary.spans[1] == span) return summary.to[1];
    return summary.spans[1] == Summary::no_span ? PairMap::none : more_.find(number, span);
  }
  /// REQUIRES: it is not known.
  void age(std::uint32_t number, std::uint32_t span, std::uint32_t to) {
    Summary& summary = summaries_[number];
    for (std::size_t i = 0; i < summary.spans.size(); ++i) {
      if (summary.spans[i] != Summary::no_span) continue;
      summary.spans[i] = span;
      summary.to[i] = to;
      return;
    }
    more_.insert(number, span, to);
  }
  [[nodiscard]] std::uint64_t bytes() const { return summaries_.capacity() * sizeof(Summary) + more_.bytes(); }

 private:
  std::vector<Summary> summaries_;
  PairMap more_;
};

}  // namespace lockproof::sim
