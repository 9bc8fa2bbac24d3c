// SPDX-License-Identifier: Apache-2.0
// The rows of the catalogue for locks on etcd, whose leases are whole seconds.
#pragma once

#include <array>

#include "algorithms/catalogue_parts.hpp"

namespace lockproof {

inline constexpr std::array etcd_algorithms{
    Algorithm{.name = "etcd-mutex",
              .service = Service::etcd,
              .summary = "a queue of keys with leases; whoever waits watches the key before its own",
              .source = "etcd 3.4, clientv3/concurrency, with the look at its own key",
              .broken_by = "etcd/mutex-outlived",
              .claims = owned_lease,
              .lease = seconds(10),
              .lease_unit = seconds(1),
              .parameters = poll_every_50ms,
              .make = make_etcd_mutex,
              .round_trips = 5,
              .refusal_writes = true},
    Algorithm{.name = "etcd-mutex-3-4-3",
              .service = Service::etcd,
              .summary = "the same; who waited does not look whether its own key is still there",
              .source = "etcd 3.4.3, clientv3/concurrency; Jepsen, etcd 3.4.3; etcd #11456",
              .broken_by = "etcd/wait-outlives-lease",
              .claims = owned_lease,
              .lease = seconds(10),
              .lease_unit = seconds(1),
              .parameters = poll_every_50ms,
              .make = make_etcd_mutex_3_4_3,
              .round_trips = 5,
              .refusal_writes = true},
    Algorithm{.name = "etcd-key",
              .service = Service::etcd,
              .summary = "one key with a lease, made if there is none, which all who wait watch",
              .source = "etcd 3.4, Interacting with etcd: transactions and leases",
              .broken_by = "etcd/key-outlived",
              .claims = owned_lease,
              .lease = seconds(10),
              .lease_unit = seconds(1),
              .parameters = poll_every_50ms,
              .make = make_etcd_key,
              .round_trips = 3,
              .refusal_writes = true},
    Algorithm{.name = "etcd-key-without-lease",
              .service = Service::etcd,
              .summary = "one key that no lease ends, made if there is none",
              .source = "hashicorp/vault #2526",
              .broken_by = "etcd/key-without-lease",
              .claims = {.double_grant = Claim::always, .outlived = Claim::always, .owner_release = Claim::always},
              .parameters = poll_every_50ms,
              .make = make_etcd_key_without_lease},
};

}  // namespace lockproof
