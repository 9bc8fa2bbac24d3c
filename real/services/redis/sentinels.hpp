// SPDX-License-Identifier: Apache-2.0
// Sentinels: the Redis Sentinels of a run. They decide by themselves; this class observes their decisions from their
// commands at the proxy and from what they publish: which servers they promote and demote, since when they had not
// heard from the master, and when clients that ask them turn to the new one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/services/failover_monitors.hpp"
#include "real/services/redis/redis_host.hpp"
#include "real/services/redis/sentinel_process.hpp"

namespace lockproof::real {

class Sentinels final : public FailoverMonitors {
 public:
  /// `program`: the path of another build of redis-server; empty: the one in PATH.
  Sentinels(const harness::Scenario& scenario, std::vector<RedisHost*> servers, Surroundings around,
            std::string program);

  /// The addresses that servers and sentinels call from, and the hosts that may connect to a server.
  [[nodiscard]] static std::string source_of_server(std::size_t server);
  [[nodiscard]] static Proxy::Callers callers(const harness::Scenario& scenario);

  void start_processes() override;
  [[nodiscard]] bool ready() override;
  void start(WorldTime time) override;
  void kill() override;
  [[nodiscard]] bool is_one(harness::HostIndex host) const override;
  void passes(const Proxy::Message& message) override;
  void cut(harness::HostIndex one, harness::HostIndex other, bool on) override;

 private:
  struct Watch {
    const harness::SentinelSpec* spec;
    harness::HostIndex master, other;       // the master in its view, and the former or next one
    bool demotes = false;                   // it has promoted one, and the old master is not a replica yet
    std::vector<harness::HostIndex> hosts;  // the hosts of its processes
    std::vector<std::unique_ptr<SentinelProcess>> processes;
    std::int64_t heard_ns = 0;  // when it last heard from the master
    int turned_to = 0;          // the port that clients were turned to

    /// The server whose silence it watches for.
    [[nodiscard]] harness::HostIndex listens_for() const { return demotes ? other : master; }
  };
  struct Order {  // a server is made a master, or a replica
    harness::HostIndex server;
    bool noted = false;
    harness::Event event{};  // to be recorded when it has run
    std::unique_ptr<EventLoop::Timer> give_up{};
  };
  using Caller = std::pair<harness::HostIndex, harness::HostIndex>;  // sentinel, server

  struct Cut {
    std::pair<harness::HostIndex, harness::HostIndex> between;
    std::vector<Caller> links;  // links that it holds back
  };

  [[nodiscard]] Watch* watch_of(harness::HostIndex sentinel);
  [[nodiscard]] harness::HostIndex first_server() const;
  [[nodiscard]] RedisHost& server(harness::HostIndex host);
  [[nodiscard]] harness::HostIndex host_at(int port) const;
  void about_to_run(Watch& watch, const Caller& caller, int port);
  void has_run(const Caller& caller);
  void hold_clients(harness::HostIndex server, bool on);
  [[nodiscard]] harness::Event promotion(Watch& watch, harness::HostIndex promoted);
  [[nodiscard]] harness::Event demotion(Watch& watch);
  void told(Watch& watch, const std::string& channel, const std::string& text);
  void hold(const Caller& link, bool on);
  void turn_clients(Watch& watch, harness::HostIndex from, harness::HostIndex to, bool all);

  const harness::Scenario& scenario_;
  const std::vector<RedisHost*> servers_;
  Surroundings around_;
  const std::string program_;
  WorldTime time_{0, 1};
  std::vector<std::unique_ptr<Watch>> watches_;
  std::map<Caller, int> announced_;  // SLAVEOF has passed, its EXEC has not: the port, 0: a master
  std::map<Caller, Order> running_;
  std::vector<Cut> cuts_;
};

}  // namespace lockproof::real
