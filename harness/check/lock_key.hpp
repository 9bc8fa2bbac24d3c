// SPDX-License-Identifier: Apache-2.0
// LockKey: on which servers the lock's key is, which client owns it there and how long it lives, derived from the
// servers' own events. A key belongs to the client whose command made it, or whose attempt changed it and was granted.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/check/host_clocks.hpp"
#include "harness/check/keeper.hpp"
#include "harness/check/monitor.hpp"
#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::check {

class LockKey {
 public:
  LockKey(const harness::Header& header, const harness::Scenario& scenario);

  /// Call for each event, in order.
  void see(const harness::Event& event);

  /// The servers that clients talk to; a failover puts the promoted one in the old one's place.
  [[nodiscard]] const std::vector<harness::HostIndex>& masters() const { return masters_; }
  [[nodiscard]] std::size_t quorum() const { return masters_.size() / 2 + 1; }

  /// The owner of the key on a server; no_host: the key is absent or has expired.
  [[nodiscard]] harness::HostIndex owner(harness::HostIndex server, Duration at) const;
  /// The same without regard to an expiry that no command has found yet.
  [[nodiscard]] harness::HostIndex owner_noted(harness::HostIndex server) const {
    return places_.at(keeper_.of(server)).owner;
  }
  /// Whether the key is there until somebody deletes it.
  [[nodiscard]] bool never_expires(harness::HostIndex server) const {
    const Place& place = places_.at(keeper_.of(server));
    return place.owner != harness::no_host && !place.expires_ms;
  }
  /// When its owner, if it has one, got it there.
  [[nodiscard]] Duration taken_at(harness::HostIndex server) const { return places_.at(keeper_.of(server)).since; }
  /// Whether the key was taken by an attempt that is still in progress.
  [[nodiscard]] bool is_being_taken(harness::HostIndex server) const { return is_being_taken(places_.at(server)); }
  /// Whether the client owns the key on a majority of the masters. Expiry counts only once a command has found it.
  [[nodiscard]] bool held_by(harness::HostIndex client) const;
  /// Since when the client does not own that majority, by the servers' clocks; nothing: it does.
  [[nodiscard]] std::optional<Duration> not_held_since(harness::HostIndex client, Duration at) const;
  /// Whether the attempt that is in progress had taken the key on a majority of the masters, whatever became of it.
  [[nodiscard]] bool was_taken_by(harness::HostIndex client) const;
  /// Since when the key is absent on a majority of the masters; nothing: it is not.
  [[nodiscard]] std::optional<Duration> free_since(Duration at) const;

  /// Encodes everything that determines what `held_by` will answer.
  void encode(MonitorEncoding& into) const;
  /// Encodes everything that determines all answers; ages are encoded up to `age_most`.
  void encode(MonitorEncoding& into, Duration age_most) const;

 private:
  struct Place {
    harness::HostIndex owner = harness::no_host;
    std::optional<std::int64_t> expires_ms;  // in milliseconds of the clock by which leases end there
    Duration since{};                        // the last change of owner
    int attempt = 0;                         // the attempt by which its owner took it
    harness::HostIndex claimed_by = harness::no_host;
  };

  void strike(const harness::Event& event);
  void replicate(const harness::Event& event);
  void execute(const harness::Event& event, harness::HostIndex client);
  [[nodiscard]] bool is_being_taken(const Place& place) const;
  void change(Place& place, const harness::Effect& effect, const harness::Event& event, harness::HostIndex client);
  void set_owner(Place& place, harness::HostIndex owner, Duration at);
  void settle(harness::HostIndex client, bool granted, Duration at);
  /// When the key expired on a server, if it has.
  [[nodiscard]] std::optional<Duration> expired_at(harness::HostIndex server, Duration at) const;
  /// Since when at least `missing` masters lack an owner for which `has` is true; nothing: fewer do.
  template <class Has>
  [[nodiscard]] std::optional<Duration> since(Duration at, std::size_t missing, Has has) const;

  const harness::Scenario& scenario_;
  const std::string_view lease_clock_;  // the servers' clock that leases are counted by
  const Keeper keeper_;
  HostClocks clocks_;
  std::vector<harness::HostIndex> masters_;
  std::vector<harness::HostIndex> hosts_;  // the scenario's servers, in its order
  std::map<harness::HostIndex, Place> places_;
  std::map<harness::HostIndex, Place> copies_;  // copies in flight, by replica
  struct Attempts {
    int count = 0;
    bool under_way = false;
    std::bitset<64> taken{};  // the servers on which this attempt has taken the key; it decides no verdict
  };
  std::map<harness::HostIndex, Attempts> attempts_;
};

}  // namespace lockproof::check
