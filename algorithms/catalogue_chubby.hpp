// SPDX-License-Identifier: Apache-2.0
// The rows of the catalogue for locks of Chubby, after its paper.
#pragma once

#include <array>

#include "algorithms/catalogue_parts.hpp"

namespace lockproof {

inline constexpr std::array of_a_session{
    Parameter{.name = "lock_delay",
              .standard = seconds(0),
              .meaning = "how long nobody gets a lock whose session has ended; at most 1min",
              .needed = true},
    Parameter{.name = "grace",
              .standard = seconds(45),
              .meaning = "how long a client goes on asking when its session is in jeopardy"},
    retry(milliseconds(50)),
};

constexpr Algorithm of_chubby(std::string_view name, std::string_view summary, std::string_view broken_by, Maker make,
                              int round_trips) {
  return {.name = name,
          .service = Service::chubby,
          .summary = summary,
          .source = "Burrows, The Chubby lock service, OSDI 2006, sections 2.4, 2.8 and 2.9",
          .broken_by = broken_by,
          .claims = owned_lease,
          .lease = seconds(12),
          .parameters = of_a_session,
          .make = make,
          .round_trips = round_trips,
          .refusal_writes = true};
}

inline constexpr std::array chubby_algorithms{
    of_chubby("chubby-lock", "a lock of a session that KeepAlives keep, with a lock-delay when that ends",
              "chubby/lock-delay-outlived", make_chubby_lock, 2),
    of_chubby("chubby-sequencer", "the same; its sequencer is what the resource checks",
              "chubby/lock-delay-outlived-sequencer", make_chubby_sequencer, 3),
    of_chubby("chubby-ignores-jeopardy",
              "chubby-lock, but it promises the lock until its session has ended for certain",
              "chubby/jeopardy-ignored", make_chubby_ignores_jeopardy, 2),
};

}  // namespace lockproof
