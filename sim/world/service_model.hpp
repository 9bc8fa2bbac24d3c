// SPDX-License-Identifier: Apache-2.0
// ServiceModel: what one simulated server does with commands, time and faults. The world knows hosts, clocks, messages
// and faults, and no service; each folder of sim/services implements this for one. Docs: docs/services/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "harness/history/event.hpp"
#include "harness/scenario/fault.hpp"
#include "sim/world/clocks.hpp"
#include "sim/world/state_encoder.hpp"

namespace lockproof::sim {

/// An instant, as the clocks of a server's host show it, and in the simulation's own time.
struct ServerTime {
  std::int64_t wall_ms = 0;
  std::int64_t mono_us = 0;
  Duration now{};
};

/// A command as it arrives: on which connection (a number that stays the same for the connection's life), when, and
/// from whom.
struct Request {
  int connection;
  const Command& command;
  ServerTime at;
  harness::HostIndex client = harness::no_host;
};

/// A message that a server sends by itself, to a connection that subscribed.
struct Push {
  int connection;
  Reply message;
};

/// Something that a server did for a client that has not asked for it at this instant.
struct OwnAct {
  harness::HostIndex client;
  std::string word;
  std::vector<harness::Effect> effects{};
};

struct NodeAnswer {
  Reply reply;
  std::vector<harness::Effect> effects{};  // on keys, for the history
  std::vector<Push> pushes{};
  std::vector<Reply> further{};        // messages behind the reply that are parts of the answer
  std::vector<Command> propagated{};   // the commands that replicas must run, in order, with absolute expiry times
  bool waits = false;                  // it is running, and its reply comes later
  bool asks_replicas = true;           // if it waits: for replicas, which must be asked how far they are
  bool postponed = false;              // it has not run, and must be given again later
  std::vector<OwnAct> acts{};          // what it brought about for other clients
  std::vector<int> closes{};           // the connections that it closes, behind its reply
  bool refuses = false;                // it does not serve this client, and answers nothing
  bool reads_instant = false;          // a script read the clock: what comes of it depends on the very instant
  std::string lacks{};                 // what of the real server it was asked for and does not have
  std::vector<std::string> changed{};  // what the other servers of its ensemble must know to have changed
};

class ServiceModel;
class EnsembleModel;

/// The interface of a service whose replicas run asynchronously what their master has run. The world carries the
/// messages.
class ReplicatedModel {
 public:
  virtual ~ReplicatedModel() = default;
  /// A replica refuses its clients' writes.
  virtual void set_replica(bool replica) = 0;

  // At a master. Hosts are named by their index.
  /// True: a command waits for its replicas, so the new one must be asked how far it is.
  virtual bool follow(int host) = 0;
  virtual void unfollow(int host) = 0;
  /// A replica has answered the oldest question that was still open.
  virtual void acknowledged(int host) = 0;
  /// Whether the replica was heard from recently enough to count for writes that require replicas.
  virtual void set_good(int host, bool good) = 0;

  // At a replica.
  /// A copy of the whole data set of the master is on its way here.
  virtual void send_copy(const ServiceModel& master) = 0;
  [[nodiscard]] virtual bool copy_is_coming() const = 0;
  /// The copy will not arrive. True: one was under way.
  virtual bool lose_copy() = 0;
  /// The copy has arrived, and replaces all that was stored.
  virtual std::vector<harness::Effect> load_copy(const ServerTime& at) = 0;
  /// Runs a command that the master propagated.
  virtual std::vector<harness::Effect> run_propagated(const Command& command, const ServerTime& at) = 0;
};

class ServiceModel : public PinnedObject {
 public:
  virtual ~ServiceModel() = default;
  /// Runs one command, atomically, in no time.
  virtual NodeAnswer execute(const Request& request) = 0;
  /// The world has no more use for this connection. It may be that the server never learns of its end.
  virtual void disconnected(int /*connection*/) {}
  /// Whether what is stored depends on connections: then their ends travel, as messages do.
  [[nodiscard]] virtual bool minds_connections() const { return false; }
  /// Whether it has not learned of the connection's end, and keeps something that belongs to it.
  [[nodiscard]] virtual bool remembers(int /*connection*/) const { return false; }
  /// The server has read the end of this connection, and drops what belonged to it.
  virtual std::vector<harness::Effect> connection_ended(int /*connection*/, const ServerTime& /*at*/) { return {}; }
  /// The last change is written to disk, as far as the server's persistence writes.
  virtual void persist(Duration /*now*/) {}

  // What a server does by itself, without a command.
  /// The instant of world time at which it does something next; nothing: never.
  [[nodiscard]] virtual std::optional<Duration> due(const HostClocks& /*clocks*/) const { return std::nullopt; }
  /// The late replies to commands that waited, and what these did when they ran at last.
  struct Answer {
    int connection;
    Reply reply;
    std::vector<harness::Effect> effects{};
    std::vector<Command> propagated{};
  };
  [[nodiscard]] virtual std::vector<Answer> on_timer(const ServerTime& /*at*/) { return {}; }
  /// Whether commands behind one that waits, on its connection, wait too.
  [[nodiscard]] virtual bool answers_in_order() const { return true; }
  /// In which order the requests run that waited during a pause.
  enum class Queues : std::uint8_t {
    one,             // one thread serves all connections, in the order in which these became readable, each to its end,
                     // before what the server does by itself
    per_client,      // clients go on in any order, and before or after what the server does by itself; a session of a
                     // client moves from connection to connection in the order of its requests
    per_connection,  // so do connections
  };
  [[nodiscard]] virtual Queues queues() const { return Queues::per_connection; }
  /// Its process stands still from here on, and goes on: what it counts by a timer of its own stands still meanwhile.
  virtual void stand_still(const ServerTime& /*at*/) {}
  virtual void go_on(const ServerTime& /*at*/) {}
  /// Whether it postpones commands at present.
  [[nodiscard]] virtual bool postpones() const { return false; }

  // Faults.
  /// A fault that changes what is stored: evict, flush, script-flush, client-pause. `lock`: the lock's name.
  virtual NodeAnswer apply(const harness::Fault& /*fault*/, const std::string& /*lock*/, const ServerTime& /*at*/) {
    throw std::logic_error("a fault that this service cannot have");
  }
  /// The process ends, in an orderly way or `without_warning`, and will be started again: what it does not keep is
  /// lost.
  virtual std::vector<harness::Effect> stop(bool without_warning, const ServerTime& at) = 0;
  /// The process is up again.
  virtual void restart(const ServerTime& /*at*/) {}
  /// Null: this service has no asynchronous replicas.
  [[nodiscard]] virtual ReplicatedModel* replication() { return nullptr; }
  /// Null: this service has no ensembles.
  [[nodiscard]] virtual EnsembleModel* ensemble() { return nullptr; }

  // For the search.
  /// Writes all state that decides what the server will do, free of absolute time. `connections` gives each connection
  /// that counts a number free of history; how long a lease has been over does not matter beyond `over_at_most_ms`.
  virtual void encode(StateEncoder& into, const std::map<int, int>& connections, const ServerTime& at,
                      std::int64_t over_at_most_ms) const = 0;
  /// What a client that comes later would find, if it comes when all leases have run out or, `with_leased`, before.
  virtual void residual(StateEncoder& /*into*/, const ServerTime& /*at*/, bool /*with_leased*/) const {}
  /// The longest remaining time to live of anything that is stored.
  [[nodiscard]] virtual Duration longest_lease(const ServerTime& /*at*/) const { return {}; }
  /// Calls the visitor with each instant of world time at which something expires by the server's clocks.
  virtual void each_reading(const HostClocks& /*clocks*/, const std::function<void(Duration)>& /*see*/) const {}
  /// The instants of its ticks, if it counts leases in ticks: a request just before a tick gets less time than one just
  /// after it, whatever is stored.
  [[nodiscard]] virtual std::optional<Recurrence> ticks(const HostClocks& /*clocks*/, const ServerTime& /*at*/) const {
    return std::nullopt;
  }
  /// The stamps of clients' wall clocks that occur in stored values, in milliseconds.
  [[nodiscard]] virtual std::vector<std::int64_t> stamps() const { return {}; }

  // What a server does for clients that have not asked at this instant.
  /// Whether it has something to do when no command waits. Then `act` is called when it is `due`.
  [[nodiscard]] virtual bool acts_alone() const { return false; }
  struct OwnActs {
    std::vector<OwnAct> acts{};
    std::vector<Push> pushes{};
    std::vector<int> closes{};           // the connections that it closes, behind its pushes
    std::vector<std::string> changed{};  // as in NodeAnswer
  };
  [[nodiscard]] virtual OwnActs act(const ServerTime& /*at*/) { return {}; }
};

/// How a server of an ensemble stands to the others.
enum class Standing : std::uint8_t {
  leads,    // a majority follows it; it alone ends what has run out. A server that stands alone leads itself
  follows,  // it has applied all that the leader has, at once
  apart,    // it has lost its leader, or its majority, and does not know for how long: it answers what it can alone
  out,      // it serves nobody
};

/// The interface of a service whose servers keep one log together. Each has applied a beginning of it; what a server
/// answers has been kept by a majority. The world knows who reaches whom, and decides who leads.
class EnsembleModel {
 public:
  virtual ~EnsembleModel() = default;
  virtual void stand(Standing standing) = 0;
  /// How much of the log it has applied.
  [[nodiscard]] virtual std::int64_t applied() const = 0;
  /// Another server has run something, which has changed this. One that follows applies it; one that is apart only
  /// remembers what it has missed.
  virtual ServiceModel::OwnActs follow(const ServiceModel& other, const std::vector<std::string>& changed) = 0;
  /// It has found its leader again, and applies what it has missed.
  virtual ServiceModel::OwnActs catch_up(const ServiceModel& leader, const ServerTime& at) = 0;
  /// It begins to lead: whatever runs out has its whole time again.
  virtual void begin_to_lead(const ServerTime& at) = 0;
  /// Who led it has led until now: what has run out by then is over.
  virtual void end_idle(const ServerTime& at) = 0;
};

}  // namespace lockproof::sim
