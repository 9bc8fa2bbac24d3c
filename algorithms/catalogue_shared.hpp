// SPDX-License-Identifier: Apache-2.0
// The rows of the catalogue for locks that several clients may have at once: readers, or those of its permits.
#pragma once

#include <array>

#include "algorithms/catalogue_parts.hpp"

namespace lockproof {

std::unique_ptr<Lock> make_redisson_read_write(Ports, const Parameters&);
std::unique_ptr<Lock> make_redisson_semaphore(Ports, const Parameters&);

inline constexpr std::array of_permits{
    Parameter{.name = "permits",
              .standard = Duration(1),
              .meaning = "how many clients may be inside at once",
              .counts = true},
    retry(milliseconds(50)),
};

inline constexpr std::array permit_counter{std::string_view("%:permits")};

inline constexpr std::array shared_algorithms{
    Algorithm{.name = "redisson-read-write",
              .summary = "a hash of a mode and its owners: readers share it, a writer has it alone (mode)",
              .source = "Redisson, RReadWriteLock; redisson 2144",
              .broken_by = "documented/leases/reader-outlives-lease",
              .claims = owned_lease,
              .parameters = poll_every_50ms,
              .make = make_redisson_read_write},
    Algorithm{.name = "redisson-semaphore",
              .summary = "a counter of free permits, which nobody owns; no expiry",
              .source = "Redisson, RSemaphore; redisson 5066 and 4462",
              .broken_by = "documented/callers/permit-released-twice, documented/callers/permit-of-the-dead",
              .claims = {.double_grant = Claim::without_faults},
              .parameters = of_permits,
              .make = make_redisson_semaphore,
              .further_keys = permit_counter},
};

}  // namespace lockproof
