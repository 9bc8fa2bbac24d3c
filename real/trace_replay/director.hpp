// SPDX-License-Identifier: Apache-2.0
// Director: goes through a predicted history and makes each of its events happen for real: clients act by themselves,
// and the director does what lies between hosts: it delivers messages, makes faults strike, and passes commands to
// replicas.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/workload/register.hpp"
#include "real/os/janitor.hpp"
#include "real/trace_replay/staged_client.hpp"
#include "real/trace_replay/staged_server.hpp"
#include "real/trace_replay/trace_replay.hpp"

namespace lockproof::real {

/// Something that was predicted cannot be reproduced on real servers.
class NotReproducible : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Director : public PinnedObject {
 public:
  /// Starts the servers. Throws BadEnvironment.
  Director(const harness::Scenario& scenario, const harness::History& predicted, const Programs& programs);

  /// Goes through the whole history, or up to the first difference.
  [[nodiscard]] TraceReplay direct();

 private:
  using Event = harness::Event;
  using HostIndex = harness::HostIndex;

  void refuse() const;
  void link_all();
  [[nodiscard]] Event enact(std::size_t index);
  void enact_message(const Event& event);
  [[nodiscard]] Event execute(const Event& event);
  [[nodiscard]] bool server_refuses(const Event& event);
  [[nodiscard]] Reply run(const Event& event, StagedClient::Command& command);
  [[nodiscard]] Event replicate(const Event& event);
  void copy(const Event& event);
  [[nodiscard]] bool hears(HostIndex replica, Duration at) const;
  void listen(Duration at);
  [[nodiscard]] Event strike(const Event& event);
  void strike_client(const Event& event);
  void strike_server(const Event& event);
  void heal(const Event& event);
  void promote(const Event& event);
  void demote(const Event& event);
  void cut(const Event& event);
  void unlink(HostIndex down);
  void bring_up(const Event& event);
  void compare_reply(const Event& event, const Reply& real);
  void compare_effects(const Event& event, std::vector<harness::Effect> real, Event& enacted);
  void hear_message(const Event& event);
  [[noreturn]] void differ(const std::string& what, const std::string& predicted, const std::string& real) const;

  [[nodiscard]] StagedClient& client(HostIndex host) { return *clients_.at(static_cast<std::size_t>(host)); }
  [[nodiscard]] bool is_client(HostIndex host) const { return host < static_cast<HostIndex>(clients_.size()); }
  [[nodiscard]] bool is_resource(HostIndex host) const;
  [[nodiscard]] StagedServer& server(HostIndex host);
  [[nodiscard]] HostIndex host_of(const StagedServer& server) const { return host_named(server.spec().name); }
  [[nodiscard]] std::string name(HostIndex host) const { return predicted_.host_name(host); }
  [[nodiscard]] HostIndex host_named(const std::string& name) const { return predicted_.host_named(name); }

  const harness::Scenario& scenario_;
  const harness::History& predicted_;
  TraceReplay result_;
  std::size_t at_ = 0;  // the event that is being replayed
  Janitor janitor_;
  harness::Register resource_;
  std::vector<std::unique_ptr<StagedClient>> clients_;
  std::vector<std::unique_ptr<StagedServer>> servers_;
  struct Replica {
    HostIndex master = harness::no_host;
    std::unique_ptr<ReplicationLink> link{};  // the link whose commands it runs
    std::unique_ptr<ReplicationLink> next{};  // the link that will give it a copy
    bool follows = true;                      // … and more may come
    int paused = 0;
  };
  std::map<HostIndex, Replica> replicas_;
  struct Cut {
    HostIndex from, to;
    Duration until;
  };
  std::vector<Cut> cuts_;
};

}  // namespace lockproof::real
