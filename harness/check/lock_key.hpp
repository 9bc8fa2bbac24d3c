// SPDX-License-Identifier: Apache-2.0
// LockKey: on which servers the lock's key is, whose it is there and how long it lives, read off the servers' own
// events. A key belongs to the client whose command made it, or whose attempt changed it and was granted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/check/host_clocks.hpp"
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

  /// Whose the key is on a server; no_host: it is not there, or its time is over.
  [[nodiscard]] harness::HostIndex owner(harness::HostIndex server, Duration at) const;
  /// Whether it was taken by an attempt that is still under way.
  [[nodiscard]] bool is_being_taken(harness::HostIndex server) const { return is_being_taken(places_.at(server)); }
  /// On a majority of the masters it is this client's, as far as commands have looked: a time to live that ended since
  /// is not seen.
  [[nodiscard]] bool held_by(harness::HostIndex client) const;
  /// Since when it is not, by the servers' clocks; nothing: it is.
  [[nodiscard]] std::optional<Duration> not_held_since(harness::HostIndex client, Duration at) const;
  /// Since when a majority of the masters is without the key; nothing: it is not.
  [[nodiscard]] std::optional<Duration> free_since(Duration at) const;

  /// All that decides what `held_by` will answer.
  void encode(MonitorEncoding& into) const;
  /// All that decides what it will answer; since when something is so, up to `age_most` ago.
  void encode(MonitorEncoding& into, Duration age_most) const;

 private:
  struct Place {
    harness::HostIndex owner = harness::no_host;
    std::optional<std::int64_t> expires_ms;  // in milliseconds of the clock by which leases end there
    Duration since{};                        // the last change of owner
    int attempt = 0;                         // its owner's, by which it was taken
    harness::HostIndex claimed_by = harness::no_host;
  };

  void strike(const harness::Event& event);
  void replicate(const harness::Event& event);
  void execute(const harness::Event& event, harness::HostIndex client);
  [[nodiscard]] bool is_being_taken(const Place& place) const;
  void change(Place& place, const harness::Effect& effect, const harness::Event& event, harness::HostIndex client);
  void set_owner(Place& place, harness::HostIndex owner, Duration at);
  void settle(harness::HostIndex client, bool granted, Duration at);
  /// When the key's time on a server was over, if it is.
  [[nodiscard]] std::optional<Duration> expired_at(harness::HostIndex server, Duration at) const;
  /// Since when fewer than a majority of the masters had not what `has` says.
  template <class Has>
  [[nodiscard]] std::optional<Duration> since(Duration at, std::size_t missing, Has has) const;

  const harness::Scenario& scenario_;
  const std::string_view lease_clock_;  // of the servers' hosts
  HostClocks clocks_;
  std::vector<harness::HostIndex> masters_;
  std::vector<harness::HostIndex> hosts_;  // of the scenario's servers, in its order
  std::map<harness::HostIndex, Place> places_;
  std::map<harness::HostIndex, Place> copies_;  // on their way, by the replica
  struct Attempts {
    int count = 0;
    bool under_way = false;
  };
  std::map<harness::HostIndex, Attempts> attempts_;
};

}  // namespace lockproof::check
