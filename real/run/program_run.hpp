// SPDX-License-Identifier: Apache-2.0
// ProgramRun: runs one scenario whose lock is a program of its own: starts the servers and a program for each client,
// talks to the programs, passes their commands on one at a time, drives the faults, and writes one history. All of that
// happens in this process and in one order, so nothing has to be merged.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/scenario/faults/triggers.hpp"
#include "harness/workload/register.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/proxy.hpp"
#include "real/options.hpp"
#include "real/os/janitor.hpp"
#include "real/program/program_client.hpp"
#include "real/program/program_clock.hpp"
#include "real/program/sequencer.hpp"
#include "real/record/board.hpp"
#include "real/record/lateness.hpp"
#include "real/run/fault_driver.hpp"
#include "real/services/service_driver.hpp"

namespace lockproof::real {

class ProgramRun : public Pinned {
 public:
  ProgramRun(const harness::Scenario& scenario, const Options& options);
  ~ProgramRun();
  [[nodiscard]] harness::History run();

 private:
  void start_servers();
  void start_clients();
  void attach();
  void attach_client(std::size_t client);
  [[nodiscard]] Proxy::Dial dial_to(std::size_t server) const;
  void link_servers();
  void turn();
  void refuse_other_clocks() const;
  [[nodiscard]] Duration wall_ahead(harness::HostIndex client) const;
  void await_ready();
  void begin();
  void until_over();
  [[nodiscard]] bool is_over();
  void take_down();
  [[nodiscard]] harness::History history();
  void add_waits();

  [[nodiscard]] Sequencer::Around around_sequencer();
  void happens(harness::HostIndex client, const harness::When& event, const StruckMessage& message);
  void access(harness::HostIndex client, std::optional<std::int64_t> fence);
  std::size_t note(harness::HostIndex host, harness::Event event);
  [[nodiscard]] Duration now() const;
  [[nodiscard]] ProgramClient& client(harness::HostIndex host) { return *clients_.at(static_cast<std::size_t>(host)); }
  [[nodiscard]] harness::HostIndex first_server() const {
    return static_cast<harness::HostIndex>(scenario_.clients.size());
  }
  [[nodiscard]] harness::HostIndex resource_host() const {
    return first_server() + static_cast<harness::HostIndex>(scenario_.servers.size());
  }

  const harness::Scenario& scenario_;
  const Options options_;
  const std::unique_ptr<ServiceDriver> driver_;
  harness::Header header_;
  Janitor janitor_;  // before everything that could be left behind
  Board board_;
  harness::Register register_;
  std::vector<std::unique_ptr<ServerHost>> servers_;
  std::unique_ptr<Proxy> proxy_;
  MasterPorts master_ports_;
  std::set<harness::HostIndex> replaced_;  // masters that a failover has put another server in the place of
  std::unique_ptr<EventLoop> loop_;
  std::vector<std::unique_ptr<ProgramClock>> clocks_;  // of the clients; none: they live by the machine's
  std::vector<std::unique_ptr<ProgramClient>> clients_;
  std::vector<std::int64_t> waited_before_;  // nanoseconds, by client: for a processor, as it started
  std::vector<harness::Triggers> triggers_;  // by host
  std::unique_ptr<Sequencer> sequencer_;
  std::unique_ptr<FaultDriver> faults_;
  WorldTime time_{0, 1};
  bool started_ = false;
  std::optional<Duration> over_since_;  // when all programs had done their rounds
  Duration last_news_{};                // when a program said something last, or a fault struck
  std::vector<harness::Event> events_;
  std::vector<int> accesses_;
  std::string word_;
  Lateness lateness_;
};

}  // namespace lockproof::real
