// SPDX-License-Identifier: Apache-2.0
#include "algorithms/catalogue.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "algorithms/catalogue_chubby.hpp"
#include "algorithms/catalogue_etcd.hpp"
#include "algorithms/catalogue_parts.hpp"
#include "algorithms/catalogue_shared.hpp"

namespace lockproof {
namespace {

constexpr std::array poll_every_20ms{retry(milliseconds(20))};
constexpr std::array waiting_for_a_replica{
    Parameter{.name = "wait",
              .standard = seconds(1),
              .meaning = "how long replicas have to acknowledge the lock",
              .needed = true,
              .unit = milliseconds(1)},
    Parameter{.name = "replicas", .standard = Duration(1), .meaning = "how many of them must", .counts = true},
    retry(milliseconds(50)),
};
constexpr std::array guarded{
    retry(milliseconds(50)),
    Parameter{.name = "first", .standard = seconds(29), .meaning = "from the grant to the first renewal"},
    Parameter{.name = "extend", .standard = seconds(20), .meaning = "what EXPIRE sets, and the time between renewals"},
};
constexpr std::array watched{
    Parameter{.name = "watchdog_timeout",
              .standard = default_lease,
              .meaning = "the lease that the watchdog renews, every third of it"},
};
constexpr std::array of_a_majority{
    Parameter{
        .name = "node_timeout", .standard = milliseconds(50), .meaning = "how long one server may take to answer"},
    Parameter{
        .name = "retry", .standard = milliseconds(200), .meaning = "the longest random wait between two attempts"},
};

constexpr std::array asked_for{
    retry(milliseconds(50)),
    Parameter{.name = "ask", .standard = seconds(1), .meaning = "time between two questions whether it still has it"},
};

constexpr std::array fence_counter{std::string_view("%:fence")};
constexpr std::array redisson_channel{std::string_view("redisson_lock__channel:{%}")};
constexpr std::array release_channel{std::string_view("released:%")};

// The same, but in several steps, or by a value that others may have, too.
constexpr Claims owned_lease_without_faults{
    .double_grant = Claim::without_faults, .owner_release = Claim::without_faults, .bounded_takeover = Claim::always};

// A lock that belongs to a connection: whoever has lost that does not know it.
constexpr Claims advisory{
    .double_grant = Claim::without_faults, .owner_release = Claim::always, .bounded_takeover = Claim::without_faults};

constexpr std::array most_algorithms{
    Algorithm{.name = "setnx-del",
              .summary = "SETNX; released by a plain DEL; no expiry",
              .source = "notes 000 and 001, scheme one, steps 1 and 2",
              .broken_by = "notes/setnx-del-crash",
              .claims = {.double_grant = Claim::always},
              .parameters = poll_every_50ms,
              .make = make_setnx_del},
    Algorithm{.name = "setnx-expire-del",
              .summary = "SETNX, then EXPIRE; released by a plain DEL",
              .source = "notes 000 and 001, scheme one, step 3",
              .broken_by = "notes/setnx-expire-crash, notes/blind-release",
              .claims = {.double_grant = Claim::without_faults},
              .lease_unit = seconds(1),
              .parameters = poll_every_50ms,
              .make = make_setnx_expire_del,
              .round_trips = 2},
    Algorithm{.name = "set-ex-del",
              .summary = "SET NX EX; released by a plain DEL",
              .source = "notes 000 and 001, scheme one, step 4",
              .broken_by = "notes/blind-del, notes/delayed-release",
              .claims = {.double_grant = Claim::without_faults, .bounded_takeover = Claim::always},
              .lease_unit = seconds(1),
              .parameters = poll_every_50ms,
              .make = make_set_ex_del},
    Algorithm{.name = "set-ex-get-del",
              .summary = "SET NX EX with a token; released by GET, a comparison, and DEL",
              .source = "notes 000, 001 and 004",
              .broken_by = "notes/get-then-del",
              .claims = owned_lease_without_faults,
              .lease_unit = seconds(1),
              .parameters = poll_every_50ms,
              .make = make_set_ex_get_del},
    Algorithm{.name = "set-px-token",
              .summary = "SET NX PX with a token; released by compare-and-delete in Lua",
              .source = "redis.io, Distributed Locks, single instance; notes 000, 001, 003 and 004",
              .broken_by = "documented/leases/lease-outlived, documented/clocks/server-clock-forward",
              .claims = owned_lease,
              .parameters = poll_every_50ms,
              .make = make_set_px_token},
    Algorithm{.name = "set-px-token-wait",
              .summary = "set-px-token that is held only if so many replicas have acknowledged it: SET, then WAIT",
              .source = "redis.io, WAIT; the usual answer to a failover that loses locks",
              .broken_by = "documented/replication/wait-restarts-empty, "
                           "documented/replication/failover-lost-lock-wait, "
                           "documented/replication/wait-one-of-two-replicas",
              .claims = owned_lease,
              .parameters = waiting_for_a_replica,
              .make = make_set_px_token_wait,
              .servers = Servers::one_with_replica,
              .round_trips = 2,
              .refusal_writes = true},
    Algorithm{.name = "set-px-thread-id",
              .summary = "set-px-token with a thread's number for a token",
              .source = "notes 000 and 001",
              .broken_by = "notes/owner-id-collision",
              .claims = owned_lease_without_faults,
              .parameters = poll_every_50ms,
              .make = make_set_px_thread_id},
    Algorithm{.name = "guard-thread",
              .summary = "set-px-token, renewed as the notes say: EXPIRE 20 s at 29 s and every 20 s, no owner check",
              .source = "notes 000 and 001, scheme one, step 5",
              .broken_by = "notes/renew-zero-slack, notes/renew-without-owner-check",
              .claims = owned_lease_without_faults,
              .parameters = guarded,
              .make = make_guard_thread},
    Algorithm{.name = "guard-thread-repaired",
              .summary = "the same with slack, an owner check, and a holder that is notified of a loss",
              .source = "notes 000 and 001, scheme one, step 5, mended",
              .broken_by = "documented/leases/lease-outlived-watchdog",
              .claims = owned_lease,
              .parameters = poll_every_50ms,
              .make = make_guard_thread_repaired},
    Algorithm{.name = "getset-timestamp",
              .summary = "SETNX, GET, GETSET of the client's own expiry time; released by DEL if not yet outlived",
              .source = "note 000, scheme two, tryLock() and unlock()",
              .broken_by = "documented/clocks/getset-skew, notes/local-expiry-check-del",
              .claims = owned_lease_without_faults,
              .parameters = poll_every_20ms,
              .make = make_getset_timestamp,
              .round_trips = 3,
              .refusal_writes = true},
    Algorithm{.name = "getset-timestamp-004",
              .summary = "the same as note 004 prints it, released by a plain DEL",
              .source = "note 004, wrongGetLock2()",
              .broken_by = "documented/clocks/getset-skew-004",
              .claims = {.bounded_takeover = Claim::always},
              .parameters = poll_every_20ms,
              .make = make_getset_timestamp_004,
              .round_trips = 3,
              .refusal_writes = true},
    Algorithm{.name = "redisson",
              .summary = "re-entrant hash and Lua, watchdog every third of the lease that tries again, pub/sub wake-up",
              .source = "note 002, sections 2.2 and 2.4, repaired",
              .broken_by = "documented/leases/zombie-watchdog",
              .claims = owned_lease,
              .parameters = watched,
              .make = make_redisson,
              .channels = redisson_channel},
    Algorithm{.name = "redisson-note-002",
              .summary = "the same with note 002's watchdog: ends at its first failure, notifies no client",
              .source = "note 002, sections 2.2 and 2.4",
              .broken_by = "documented/leases/one-renew-failure-kills-watchdog",
              .claims = owned_lease,
              .parameters = watched,
              .make = make_redisson_note_002,
              .channels = redisson_channel},
    Algorithm{.name = "redlock",
              .summary = "a majority of independent servers, drift allowed for, released everywhere by token",
              .source = "redis.io, Distributed Locks, The Redlock Algorithm",
              .broken_by = "documented/redlock/redlock-pause-after-grant, documented/redlock/redlock-node-clock-jump",
              .claims = owned_lease,
              .parameters = of_a_majority,
              .make = make_redlock,
              .servers = Servers::all,
              .refusal_writes = true},
    Algorithm{.name = "redlock-no-drift-term",
              .summary = "Redlock without an allowance for clock drift",
              .source = "note 003",
              .broken_by = "documented/redlock/redlock-no-drift-term",
              .claims = owned_lease,
              .parameters = of_a_majority,
              .make = make_redlock_no_drift_term,
              .servers = Servers::all,
              .refusal_writes = true},
    Algorithm{.name = "redlock-unlock-by-name",
              .summary = "Redlock that unlocks by name, whoever holds it",
              .source = "note 003, \"delete lock_name\"",
              .broken_by = "notes/redlock-unlock-by-name",
              .claims = {.bounded_takeover = Claim::always},
              .parameters = of_a_majority,
              .make = make_redlock_unlock_by_name,
              .servers = Servers::all,
              .refusal_writes = true},
    Algorithm{.name = "fenced-token",
              .summary = "set-px-token with a fencing token that the resource checks",
              .source = "Kleppmann, How to do distributed locking, 2016",
              .broken_by = "documented/fencing/fenced-on-writes-only",
              .claims = owned_lease,
              .parameters = poll_every_50ms,
              .make = make_fenced_token,
              .further_keys = fence_counter},
    Algorithm{.name = "token-pubsub",
              .summary = "set-px-token whose waiters wait for the message of a release, and for nothing else",
              .source = "miintto/redis-lock-py 3; coleifer/walrus 110",
              .broken_by = "documented/notifications/missed-unlock-message, documented/notifications/expiry-is-silent",
              .claims = {.double_grant = Claim::without_faults, .owner_release = Claim::always},
              .parameters = {},
              .make = make_token_pubsub,
              .channels = release_channel},
    Algorithm{.name = "token-pubsub-repaired",
              .summary = "the same, but a waiter tries again once it has subscribed, and waits no longer than a lease",
              .source = "miintto/redis-lock-py 3; coleifer/walrus 110, mended",
              .broken_by = "documented/notifications/lost-subscription",
              .claims = owned_lease,
              .parameters = {},
              .make = make_token_pubsub_repaired,
              .channels = release_channel},
    Algorithm{.name = "memcached-add",
              .service = Service::memcached,
              .summary = "memcached's add; released by a plain delete",
              .source = "memcached's wiki, Ghetto Central Locking; note 001",
              .broken_by = "memcached/short-second, memcached/blind-delete",
              .claims = {.bounded_takeover = Claim::always},  // the last second of a lease may be missing
              .lease_unit = seconds(1),
              .parameters = poll_every_50ms,
              .make = make_memcached_add},
    Algorithm{.name = "memcached-add-cas",
              .service = Service::memcached,
              .summary = "the same with a token; released by gets and a cas that lets it expire; its deadline is a "
                         "second earlier",
              .source = "memcached's wiki, Ghetto Central Locking, mended by protocol.txt",
              .broken_by = "memcached/evicted, memcached/restart-forgets",
              .claims = owned_lease,
              .lease_unit = seconds(1),
              .parameters = poll_every_50ms,
              .make = make_memcached_add_cas},
    Algorithm{.name = "postgres-advisory",
              .service = Service::postgres,
              .summary = "an advisory lock of PostgreSQL that a session has, over whatever connection there is",
              .source = "PostgreSQL 15, 13.3.5 Advisory Locks",
              .broken_by = "postgres/connection-lost, postgres/pooled-release",
              .claims = advisory,
              .parameters = poll_every_50ms,
              .make = make_postgres_advisory},
    Algorithm{
        .name = "postgres-advisory-fenced",
        .service = Service::postgres,
        .summary = "the same; the holder asks whether it still has it, and draws a number for the resource to check",
        .source = "PostgreSQL 15, 13.3.5 Advisory Locks and 54.12 pg_locks, mended; Kleppmann 2016",
        .broken_by = "postgres/connection-lost-fenced",
        .claims = advisory,
        .parameters = asked_for,
        .make = make_postgres_advisory_fenced,
        .round_trips = 2},
    Algorithm{.name = "postgres-advisory-xact",
              .service = Service::postgres,
              .summary = "an advisory lock of PostgreSQL that a transaction has, which stays open meanwhile",
              .source = "PostgreSQL 15, 13.3.5 Advisory Locks; pgbouncer issue 102",
              .broken_by = "postgres/connection-lost-xact",
              .claims = advisory,
              .parameters = poll_every_50ms,
              .make = make_postgres_advisory_xact,
              .round_trips = 2},
    Algorithm{
        .name = "postgres-row",
        .service = Service::postgres,
        .summary = "a row with an owner, an expiry by the database's clock, and a number for the resource to check",
        .source = "ShedLock with usingDbTime; Kleppmann 2016",
        .broken_by = "postgres/row-outlived, postgres/failover-lost-commit",
        .claims = owned_lease,
        .parameters = poll_every_50ms,
        .make = make_postgres_row},
    Algorithm{.name = "postgres-row-synchronous",
              .service = Service::postgres,
              .summary = "the same, but the lock is granted when a standby has applied it",
              .source = "ShedLock with usingDbTime, mended by PostgreSQL 15, 20.5.1 synchronous_commit",
              .broken_by = "postgres/failover-keeps-commit",
              .claims = owned_lease,
              .parameters = poll_every_50ms,
              .make = make_postgres_row_synchronous,
              .servers = Servers::one_with_replica,
              .round_trips = 4},
    Algorithm{.name = "postgres-row-client-time",
              .service = Service::postgres,
              .summary = "a row with an expiry by the client's clock; released by the lock's name",
              .source = "ShedLock before usingDbTime, issues 132 and 3577",
              .broken_by = "postgres/client-time",
              .claims = {.double_grant = Claim::without_faults, .bounded_takeover = Claim::always},
              .parameters = poll_every_50ms,
              .make = make_postgres_row_client_time},
    Algorithm{.name = "zookeeper-queue",
              .service = Service::zookeeper,
              .summary = "a queue of ephemeral nodes with numbers; whoever waits watches the node in front",
              .source = "ZooKeeper 3.8, Recipes, Locks; Curator's InterProcessMutex; note 001",
              .broken_by = "zookeeper/session-outlived",
              .claims = owned_lease,
              .lease = seconds(10),
              .parameters = poll_every_50ms,
              .make = make_zookeeper_queue,
              .round_trips = 3,
              .refusal_writes = true},
    Algorithm{.name = "zookeeper-queue-unprotected",
              .service = Service::zookeeper,
              .summary = "the same; a client knows its node only from the answer to its making",
              .source = "note 001; CURATOR-45",
              .broken_by = "zookeeper/create-lost",
              .claims = owned_lease,
              .lease = seconds(10),
              .parameters = poll_every_50ms,
              .make = make_zookeeper_queue_unprotected,
              .round_trips = 3,
              .refusal_writes = true},
    Algorithm{.name = "zookeeper-queue-trusts-event",
              .service = Service::zookeeper,
              .summary = "the same; the message about the node in front is taken for the lock",
              .source = "note 001, to the letter",
              .broken_by = "zookeeper/trusts-event",
              .claims = {.double_grant = Claim::without_faults, .bounded_takeover = Claim::always},
              .lease = seconds(10),
              .parameters = poll_every_50ms,
              .make = make_zookeeper_queue_trusts_event,
              .round_trips = 3,
              .refusal_writes = true},
    Algorithm{.name = "zookeeper-queue-syncs",
              .service = Service::zookeeper,
              .summary = "the same; a client asks the leader before it believes what its server says",
              .source = "ZooKeeper 3.8, Programmer's Guide, Consistency Guarantees: sync() before a read",
              .broken_by = "zookeeper/ensemble/cut-off-syncs",
              .claims = owned_lease,
              .lease = seconds(10),
              .parameters = poll_every_50ms,
              .make = make_zookeeper_queue_syncs,
              .round_trips = 4,
              .refusal_writes = true},
    Algorithm{.name = "zookeeper-queue-adopts-old",
              .service = Service::zookeeper,
              .summary = "the same; a new session goes on with the node of the old one",
              .source = "Curator before 4.2.0, CURATOR-498 and CURATOR-604",
              .broken_by = "zookeeper/adopts-old",
              .claims = {.double_grant = Claim::without_faults, .bounded_takeover = Claim::always},
              .lease = seconds(10),
              .parameters = poll_every_50ms,
              .make = make_zookeeper_queue_adopts_old,
              .round_trips = 3,
              .refusal_writes = true},
    Algorithm{.name = "zookeeper-herd",
              .service = Service::zookeeper,
              .summary = "one ephemeral node, which all who wait watch",
              .source = "ZooKeeper 3.8, Recipes, Locks: what its recipe avoids",
              .broken_by = "zookeeper/herd-own-node",
              .claims = owned_lease_without_faults,  // sent twice, its DELETE takes the next one's node
              .lease = seconds(10),
              .parameters = poll_every_50ms,
              .make = make_zookeeper_herd,
              .round_trips = 3,
              .refusal_writes = true},
};

template <std::size_t a, std::size_t b>
constexpr auto joined(const std::array<Algorithm, a>& these, const std::array<Algorithm, b>& those) {
  const auto join = [&]<std::size_t... i, std::size_t... j>(std::index_sequence<i...>, std::index_sequence<j...>) {
    return std::array<Algorithm, a + b>{these[i]..., those[j]...};
  };
  return join(std::make_index_sequence<a>(), std::make_index_sequence<b>());
}
constexpr std::array algorithms =
    joined(joined(joined(most_algorithms, etcd_algorithms), chubby_algorithms), shared_algorithms);

}  // namespace

std::span<const Algorithm> catalogue() { return algorithms; }

std::string name_of(std::string_view pattern, std::string_view lock) {
  std::string name(pattern);
  return name.replace(name.find('%'), 1, lock);
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto found = std::ranges::find(algorithms, name, &Algorithm::name);
  return found == algorithms.end() ? nullptr : &*found;
}

}  // namespace lockproof
