// SPDX-License-Identifier: Apache-2.0
#include "algorithms/catalogue.hpp"

#include <algorithm>
#include <array>

namespace lockproof {
namespace {

constexpr std::array poll_every_50ms{
    Parameter{"retry", milliseconds(50), "wait between two attempts"},
};
constexpr std::array poll_every_20ms{
    Parameter{"retry", milliseconds(20), "wait between two attempts"},
};

constexpr std::array algorithms{
    Algorithm{.name = "setnx-expire-del",
              .summary = "SETNX, then EXPIRE; released by a plain DEL",
              .source = "notes 000 and 001, scheme one, step 3",
              .broken_by = "notes/setnx-expire-crash, notes/blind-release",
              .claims = {.double_grant = Claim::without_faults,
                         .outlived = Claim::never,
                         .owner_release = Claim::never,
                         .bounded_takeover = Claim::never},
              .lease = default_lease,
              .lease_unit = seconds(1),
              .parameters = poll_every_50ms,
              .make = make_setnx_expire_del},
    Algorithm{.name = "set-px-token",
              .summary = "SET NX PX with a token; released by compare-and-delete in Lua",
              .source = "redis.io, Distributed Locks, single instance; notes 000, 001, 003 and 004",
              .broken_by = "documented/lease-outlived, documented/server-clock-forward",
              .claims = {.double_grant = Claim::without_faults,
                         .outlived = Claim::never,
                         .owner_release = Claim::always,
                         .bounded_takeover = Claim::always},
              .lease = default_lease,
              .lease_unit = milliseconds(1),
              .parameters = poll_every_50ms,
              .make = make_set_px_token},
    Algorithm{.name = "getset-timestamp",
              .summary = "SETNX, GET, GETSET of the client's own expiry time; released by DEL if not yet outlived",
              .source = "note 000, scheme two, tryLock() and unlock()",
              .broken_by = "documented/getset-skew, notes/local-expiry-check-del",
              .claims = {.double_grant = Claim::without_faults,
                         .outlived = Claim::never,
                         .owner_release = Claim::without_faults,
                         .bounded_takeover = Claim::always},
              .lease = default_lease,
              .lease_unit = milliseconds(1),
              .parameters = poll_every_20ms,
              .make = make_getset_timestamp},
};

}  // namespace

std::span<const Algorithm> catalogue() { return algorithms; }

const Algorithm* find_algorithm(std::string_view name) {
  const auto found = std::ranges::find(algorithms, name, &Algorithm::name);
  return found == algorithms.end() ? nullptr : &*found;
}

}  // namespace lockproof
