// SPDX-License-Identifier: Apache-2.0
// Sequencer: lets one command at a time pass, over all connections to all servers, and looks at the keys before it and
// after its reply. So all commands have one order, each change of a key has an author, and events are named by whose
// the lock is as they happen, which does not depend on how often a client has polled. Commands that wait in the server
// do not hold the others up. Replicas are looked at after each command: what they have run by then is noted.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/history/event.hpp"
#include "harness/program/key_lease.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/network/proxy.hpp"
#include "real/program/lock_view.hpp"
#include "real/program/replicated_commands.hpp"
#include "real/services/key_watch.hpp"

namespace lockproof::real {

class Sequencer : public PinnedObject {
 public:
  struct RunCallbacks {
    std::function<void(harness::HostIndex, harness::Event)> note;
    std::function<Duration()> now;
    /// A named event of a client's command: faults may strike in here.
    std::function<void(harness::HostIndex client, const harness::EventPlace& event, const Proxy::Message& message)>
        happens;
    /// Whether the client is inside, or acquiring since, or releasing: then what is its own is no orphan.
    std::function<bool(harness::HostIndex client, Duration since)> is_engaged;
    /// Whether the client is inside and what it sends must be meant to keep the lock.
    std::function<bool(harness::HostIndex client)> keeps;
    std::function<bool(harness::HostIndex client)> is_gone;
    std::function<bool(harness::HostIndex server)> answers;  // it is up and does not stand still
    std::function<bool(harness::HostIndex server)> stands_still;
    std::function<Reply(std::string_view bytes)> reply_from;
    /// A message of this client's waits in the server: its number as in the events.
    std::function<void(harness::HostIndex client, harness::HostIndex server, int message)> waits;
  };

  Sequencer(const harness::Scenario& scenario, Proxy& proxy, RunCallbacks around);
  /// The servers in the scenario's order.
  void watch(std::unique_ptr<KeyWatch> server);
  /// What the proxy is to ask and to tell.
  [[nodiscard]] Proxy::Observer observer();
  /// By what its commands have done to the lock's key, as far as it knows: harness/program/key_lease.hpp.
  [[nodiscard]] Entitlement entitled(harness::HostIndex client) const;
  /// What the client does from now on it does for itself: what it held does not count.
  void forget(harness::HostIndex client) { leases_.erase(client); }
  /// Commands that turn out to wait in their servers no longer hold the others up, and what is freed by the end of a
  /// connection is noted. To be called again and again.
  void look_meanwhile();
  /// Whether what the servers show is the lock, or its absence.
  [[nodiscard]] bool sees_lock() const;
  /// A replica has been promoted, and the others follow it.
  void promoted(harness::HostIndex replica, harness::HostIndex old);
  /// The replica has all that its master has.
  void copied(harness::HostIndex master, harness::HostIndex replica);

 private:
  struct SentCommand {
    int message = 0;
    Duration at{};
    std::string verb;
    harness::EventPlace::LockState state = harness::EventPlace::LockState::any;
    Command command{std::vector<Value>{}};
    std::optional<Reply> reply{};
    std::optional<harness::KeyChange> change{};  // of the lock's key
    bool executed = false;
    bool reply_waits = false;  // for the end of a pause that struck after the command, before its reply
  };
  using Place = std::tuple<harness::HostIndex, int, int>;  // server, port, number
  struct Answer {
    Place place;
    harness::HostIndex client;
    Reply reply;
  };
  struct Server {
    std::unique_ptr<KeyWatch> watch;
    LockView view;
    std::optional<std::pair<int, int>> turn;  // port and number of the command that is under way
    std::int64_t looks_at_ns = 0;             // when to look whether that waits in the server, and for what is freed
    std::int64_t frees_until_ns = 0;          // until when the end of a connection may free what it has
    harness::HostIndex client = harness::no_host;
    std::vector<Answer> early;  // of commands that had waited, while another one has the turn: what that did came first
    std::vector<harness::Effect> unclaimed;        // what the last look found that no command has done
    harness::HostIndex master = harness::no_host;  // of a replica
    ReplicatedCommands coming{};                   // from its master
  };

  bool may_happen(const Proxy::Message& message);
  void passes(const Proxy::Message& message);
  bool may_leave(const Proxy::Message& message);
  void dropped(const Proxy::Message& message);
  void answered(const Proxy::Message& message, std::string_view reply);

  [[nodiscard]] Server& server(harness::HostIndex host) {
    return servers_.at(static_cast<std::size_t>(host - first_server_));
  }
  [[nodiscard]] bool is_free(harness::HostIndex host);
  [[nodiscard]] bool is_under_way(harness::HostIndex host);
  [[nodiscard]] std::vector<harness::Effect> look(harness::HostIndex host, harness::HostIndex client, Duration sent,
                                                  int port);
  void waits(harness::HostIndex host);
  void end_turn(harness::HostIndex host);
  void look_for_others(harness::HostIndex host);
  void look_for_freed(harness::HostIndex host);
  void connection_ended(harness::HostIndex client, harness::HostIndex host);
  void look_at_replica(harness::HostIndex host);
  void look_at_replicas();
  void executed(harness::HostIndex host, harness::HostIndex client, SentCommand& sent,
                const std::optional<Reply>& reply, int port);
  [[nodiscard]] int upstream_port(harness::HostIndex host, int port) const;
  void keep(harness::HostIndex client, harness::HostIndex server, const SentCommand& sent);
  [[nodiscard]] harness::EventPlace::LockState state(harness::HostIndex host, harness::HostIndex client);
  [[nodiscard]] harness::EventPlace event(const Proxy::Message& message, const SentCommand& sent,
                                          harness::EventPlace::Moment moment) const;
  void note_send(const Proxy::Message& message, SentCommand& sent);

  const harness::Scenario& scenario_;
  Proxy& proxy_;
  const RunCallbacks around_;
  const harness::HostIndex first_server_;
  std::vector<Server> servers_;
  std::vector<std::size_t> masters_;
  std::map<Place, SentCommand> sent_;
  std::map<std::pair<harness::HostIndex, harness::HostIndex>, int> counts_;  // of messages, by client and server
  std::map<harness::HostIndex, harness::KeyLease> leases_;                   // by client
  const std::string key_;  // what the lock's key is called on the servers
};

}  // namespace lockproof::real
