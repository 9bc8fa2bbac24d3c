// SPDX-License-Identifier: Apache-2.0
// StagedClient: one client of a trace replay: the same algorithm and workload as in any run, with the recorded clock
// readings and draws, and with the answers of real servers. It also keeps the client's connections to the servers and
// the messages in flight on them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/record/rerun.hpp"
#include "real/trace_replay/wire.hpp"

namespace lockproof::real {

class StagedClient : public PinnedObject {
 public:
  struct Connection {
    std::unique_ptr<Wire> wire{};  // made when the first command arrives
    std::deque<Reply> messages{};  // messages of its subscriptions that have come
    std::int64_t pings = 0;        // each has its number
    int under_way = 0;             // commands that left and have not arrived
    bool closed = false;           // closed by the client: what is in flight still arrives
  };
  using CommandId = std::pair<harness::HostIndex, int>;
  struct Command {
    std::vector<Value> words;
    std::shared_ptr<Connection> connection;
    std::optional<Reply> reply{};
  };

  StagedClient(const harness::History& predicted, harness::HostIndex client, const harness::Scenario& scenario);

  /// Processes an event of this process: a step begins, a call gets its answer, or the process must have done it by
  /// itself. Throws Difference, whose `entry` is then the event's place in the history, from 1.
  void happens(std::size_t event, const harness::Event& recorded);
  /// A command leaves.
  void send(const harness::Event& recorded);
  /// The command that an event names. Throws Difference if it never left.
  [[nodiscard]] Command& command(harness::HostIndex server, int number);
  /// The command has arrived, or never will.
  void arrived(harness::HostIndex server, int number);
  void receive(harness::HostIndex server, int number);
  /// The command of this sending leaves again for its call: until then the call waits for nothing.
  void takes_back(const harness::Event& sending);
  void ends(harness::HostIndex server, int number, Error why);
  void lose_connections(harness::HostIndex server);
  /// The next message on its subscription there; nothing if none has come.
  [[nodiscard]] std::optional<Reply> next_message(harness::HostIndex server);
  void told(const std::string& channel) { news_.insert_or_assign(channel, true); }
  void kill_worker() { rerun_.kill_worker(); }
  void crash();

 private:
  struct Place {
    std::shared_ptr<Connection> main = std::make_shared<Connection>(), news = std::make_shared<Connection>();
  };
  [[nodiscard]] harness::Rerun::Call::Message* waiting_for(harness::HostIndex server, int number);
  [[nodiscard]] Replies results(harness::Rerun::Call& call);
  void close(std::shared_ptr<Connection>& connection);

  std::vector<std::size_t> events_;  // where each entry of the process stands in the history
  std::map<std::size_t, std::size_t> entries_;
  harness::Rerun rerun_;
  std::map<harness::HostIndex, Place> places_;
  std::map<CommandId, Command> commands_;
  std::map<std::string, bool> news_;  // channels with a message that no call has taken yet
};

}  // namespace lockproof::real
