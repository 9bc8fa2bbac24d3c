// SPDX-License-Identifier: Apache-2.0
// ServiceDriver: what a real run needs to know of the service that its lock runs on: how to start its servers, how
// clients connect to them, where a message of its protocol ends, and how the servers' commands are observed. One driver
// for each run. Another service is a folder beside redis/ and one line in services.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "harness/scenario/scenario.hpp"
#include "real/client/remote_store.hpp"
#include "real/network/framing.hpp"
#include "real/network/proxy.hpp"
#include "real/os/janitor.hpp"
#include "real/services/failover_monitors.hpp"
#include "real/services/key_watch.hpp"
#include "real/services/server_host.hpp"

namespace lockproof::real {

struct ServerSetup {
  const harness::Scenario& scenario;
  std::size_t index;  // the server's index
  Janitor& janitor;
  int public_port = 0;  // where servers and failover monitors find it; 0: its own port
};

class ServiceDriver : public PinnedObject {
 public:
  virtual ~ServiceDriver() = default;

  /// Starts a server; `await_ready` must follow. Throws BadEnvironment.
  [[nodiscard]] virtual std::unique_ptr<ServerHost> start(const ServerSetup& setup) = 0;
  /// In a client's process: the store that the algorithm sees of the server at this route.
  [[nodiscard]] virtual std::unique_ptr<RemoteStore> connect(EventLoop& loop, Route route, CallTimeouts timeouts,
                                                             Witness& witness) const = 0;
  /// The framing of all messages between clients and servers.
  [[nodiscard]] virtual const Framing& framing() const = 0;

  // The evidence, see real/record/execution.hpp.
  /// The clock that stamps executions, for the history's header: "redis-server: MONITOR's stamp, …".
  [[nodiscard]] virtual std::string stamps() const = 0;
  /// The same for external servers, which are not watched.
  [[nodiscard]] virtual std::string stamps_of_external() const = 0;
  /// Whether all messages must pass a proxy, since servers do not report what they run: each reply is then passed to
  /// ServerHost::answered.
  [[nodiscard]] virtual bool watched_at_proxy() const { return false; }

  /// How long servers need, after their clocks have been set, until they have heard from each other.
  [[nodiscard]] virtual Duration settling(const harness::Scenario& /*scenario*/) const { return {}; }

  /// The first machine instant, from this one on, at which scenario time may start: servers whose ticks go by the
  /// machine's clock are then at one where the scenario's clocks say so.
  [[nodiscard]] virtual std::int64_t start_at(std::int64_t earliest_ns, const harness::Scenario& /*scenario*/) const {
    return earliest_ns;
  }

  // Ensembles, whose servers keep one log together and find each other by themselves. Servers by their index.
  /// Holds, or no longer holds, all that one server says to another. Holds are counted.
  virtual void hold_between(std::size_t /*from*/, std::size_t /*to*/, bool /*on*/) {}
  /// Holds, or no longer holds, what a server and its leader say to each other. One that leads itself is not stalled.
  virtual void stall(std::size_t /*server*/, bool /*on*/) {}

  // Programs of others: what their commands do is looked at between them.
  /// A watch over the keys of the server at this port; null: this service cannot be watched so.
  [[nodiscard]] virtual std::unique_ptr<KeyWatch> watch_keys(std::function<int()> /*port*/) const { return nullptr; }
  /// What its clients look for in their environment: how to reach the servers at these addresses, as programs are told
  /// them.
  [[nodiscard]] virtual std::map<std::string, std::string> variables(const std::string& /*addresses*/) const {
    return {};
  }
  /// A whole reply, as histories have it.
  [[nodiscard]] virtual Reply reply_from(std::string_view bytes) const { return Reply::status(std::string(bytes)); }

  // Failover monitors.
  /// The addresses that servers and monitors connect from.
  [[nodiscard]] virtual Proxy::Callers callers(const harness::Scenario& /*scenario*/) const { return {}; }
  /// The monitors of a scenario that has them; called when all servers have been started.
  [[nodiscard]] virtual std::unique_ptr<FailoverMonitors> monitors(const harness::Scenario& /*scenario*/,
                                                                   FailoverMonitors::Surroundings /*around*/) {
    return nullptr;
  }
};

}  // namespace lockproof::real
