// SPDX-License-Identifier: Apache-2.0
// The catalogue: every lock that lockproof knows, one line each. Adding a lock is one file and one line here.
#pragma once

#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/port/lock.hpp"
#include "algorithms/port/service.hpp"

namespace lockproof {

/// What a scenario may set under [algorithm], with its default: a duration, or a number.
struct Parameter {
  std::string_view name;
  Duration standard;
  std::string_view meaning;
  bool counts = false;  // a number from 1 on, which is stored as that many microseconds
  /// True: without it the lock is another lock. The scenario must give it, and `standard` is used elsewhere.
  bool needed = false;
  Duration unit{};  // nothing: any duration; else it must be a positive multiple of this
};
/// The parameters' values, defaults filled in.
using Parameters = std::map<std::string, Duration, std::less<>>;

/// The promises of the algorithm's authors. A scenario that breaks a promise has found a fault of the lock; one that
/// breaks what was never promised has found a limit.
enum class Claim : std::uint8_t {
  never,           // not claimed
  always,          // claimed
  without_faults,  // claimed as long as no clock, pause, crash or network misbehaves
};

struct Claims {
  Claim double_grant = Claim::never;      // two clients are never entitled at once
  Claim outlived = Claim::never;          // no client is inside past its own entitlement when the next one enters
  Claim owner_release = Claim::never;     // no client releases or renews another's lock
  Claim bounded_takeover = Claim::never;  // a crashed holder's lock frees itself
};

/// Which servers a lock asks, replicas excluded.
enum class Servers : std::uint8_t {
  one,
  one_with_replica,  // one, and it grants no lock that a replica of it does not have too
  all,               // all; a majority of them decides
};

inline constexpr milliseconds default_lease{30'000};

/// Makes a lock: by a function of the catalogue, or by what has read a person's file.
class Maker {
 public:
  using Function = std::unique_ptr<Lock> (*)(Ports, const Parameters&);
  class FileAlgorithm {
   public:
    virtual ~FileAlgorithm() = default;
    [[nodiscard]] virtual std::unique_ptr<Lock> make(Ports, const Parameters&) const = 0;
  };

  template <std::convertible_to<Function> F>
  constexpr Maker(F function) : function_(function) {}
  /// `file` must outlive it, and the locks.
  constexpr Maker(const FileAlgorithm& file) : file_(&file) {}

  std::unique_ptr<Lock> operator()(Ports ports, const Parameters& parameters) const {
    return file_ ? file_->make(ports, parameters) : function_(ports, parameters);
  }

 private:
  Function function_ = nullptr;
  const FileAlgorithm* file_ = nullptr;
};

struct Algorithm {
  std::string_view name;
  Service service = Service::redis;
  std::string_view summary;
  std::string_view source;
  std::string_view broken_by;  // the scenario that shows its weakness
  Claims claims;
  milliseconds lease = default_lease;     // if the scenario gives none
  Duration lease_unit = milliseconds(1);  // a lease must be a multiple: EXPIRE counts seconds, and a ttl of 0 deletes
  std::span<const Parameter> parameters;
  Maker make;
  Servers servers = Servers::one;
  /// All keys and channels on servers besides the lock's own key; % stands for the lock's name.
  std::span<const std::string_view> further_keys = {};
  std::span<const std::string_view> channels = {};
  /// The longest sequence of commands until an attempt is granted, a gather counted as one.
  int round_trips = 1;
  /// Whether a refused attempt may have changed something on a server: then a search counts it.
  bool refusal_writes = false;
  /// Of a lock that a person wrote in a file of its own: the file, as it was named, and what is in it.
  std::string_view file = {}, text = {};
  bool is_program = false;   // not made here: a program of its own, which real runs start
  bool knows_names = false;  // what it does may depend on the client's name
};

/// One of these patterns, with the lock's name in it.
[[nodiscard]] std::string name_of(std::string_view pattern, std::string_view lock);

[[nodiscard]] std::span<const Algorithm> catalogue();
/// Null if there is none with that name.
[[nodiscard]] const Algorithm* find_algorithm(std::string_view name);

std::unique_ptr<Lock> make_setnx_del(Ports, const Parameters&);
std::unique_ptr<Lock> make_setnx_expire_del(Ports, const Parameters&);
std::unique_ptr<Lock> make_set_ex_del(Ports, const Parameters&);
std::unique_ptr<Lock> make_set_ex_get_del(Ports, const Parameters&);
std::unique_ptr<Lock> make_set_px_token(Ports, const Parameters&);
std::unique_ptr<Lock> make_set_px_token_wait(Ports, const Parameters&);
std::unique_ptr<Lock> make_set_px_thread_id(Ports, const Parameters&);
std::unique_ptr<Lock> make_guard_thread(Ports, const Parameters&);
std::unique_ptr<Lock> make_guard_thread_repaired(Ports, const Parameters&);
std::unique_ptr<Lock> make_getset_timestamp(Ports, const Parameters&);
std::unique_ptr<Lock> make_getset_timestamp_004(Ports, const Parameters&);
std::unique_ptr<Lock> make_redisson(Ports, const Parameters&);
std::unique_ptr<Lock> make_redisson_note_002(Ports, const Parameters&);
std::unique_ptr<Lock> make_redlock(Ports, const Parameters&);
std::unique_ptr<Lock> make_redlock_no_drift_term(Ports, const Parameters&);
std::unique_ptr<Lock> make_redlock_unlock_by_name(Ports, const Parameters&);
std::unique_ptr<Lock> make_fenced_token(Ports, const Parameters&);
std::unique_ptr<Lock> make_token_pubsub(Ports, const Parameters&);
std::unique_ptr<Lock> make_token_pubsub_repaired(Ports, const Parameters&);
std::unique_ptr<Lock> make_memcached_add(Ports, const Parameters&);
std::unique_ptr<Lock> make_memcached_add_cas(Ports, const Parameters&);
std::unique_ptr<Lock> make_postgres_advisory(Ports, const Parameters&);
std::unique_ptr<Lock> make_postgres_advisory_fenced(Ports, const Parameters&);
std::unique_ptr<Lock> make_postgres_advisory_xact(Ports, const Parameters&);
std::unique_ptr<Lock> make_postgres_row(Ports, const Parameters&);
std::unique_ptr<Lock> make_postgres_row_synchronous(Ports, const Parameters&);
std::unique_ptr<Lock> make_postgres_row_client_time(Ports, const Parameters&);
std::unique_ptr<Lock> make_zookeeper_queue(Ports, const Parameters&);
std::unique_ptr<Lock> make_zookeeper_queue_unprotected(Ports, const Parameters&);
std::unique_ptr<Lock> make_zookeeper_queue_trusts_event(Ports, const Parameters&);
std::unique_ptr<Lock> make_zookeeper_queue_syncs(Ports, const Parameters&);
std::unique_ptr<Lock> make_zookeeper_queue_adopts_old(Ports, const Parameters&);
std::unique_ptr<Lock> make_zookeeper_herd(Ports, const Parameters&);
std::unique_ptr<Lock> make_etcd_mutex(Ports, const Parameters&);
std::unique_ptr<Lock> make_etcd_mutex_3_4_3(Ports, const Parameters&);
std::unique_ptr<Lock> make_etcd_key(Ports, const Parameters&);
std::unique_ptr<Lock> make_etcd_key_without_lease(Ports, const Parameters&);
std::unique_ptr<Lock> make_chubby_lock(Ports, const Parameters&);
std::unique_ptr<Lock> make_chubby_sequencer(Ports, const Parameters&);
std::unique_ptr<Lock> make_chubby_ignores_jeopardy(Ports, const Parameters&);

}  // namespace lockproof
