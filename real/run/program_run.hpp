// SPDX-License-Identifier: Apache-2.0
// ProgramRun: a real run whose lock is a program of its own: starts a program for each client, talks to the programs,
// and passes their commands on one at a time. All of that happens in this process and in one order, so nothing has to
// be merged.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/scenario/faults/triggers.hpp"
#include "harness/workload/register.hpp"
#include "real/program/program_client.hpp"
#include "real/program/program_clock.hpp"
#include "real/program/sequencer.hpp"
#include "real/run/real_run.hpp"

namespace lockproof::real {

class ProgramRun final : private RealRun {
 public:
  ProgramRun(const harness::Scenario& scenario, const Options& options);
  ~ProgramRun() override;
  [[nodiscard]] harness::History run();

 private:
  void start_clients();
  [[nodiscard]] std::string sentinel_addresses(harness::HostIndex client);
  void attach();
  void attach_client(std::size_t client);
  [[nodiscard]] Proxy::Dial dial_to(std::size_t server) const;
  void refuse_other_clocks() const;
  [[nodiscard]] Duration wall_ahead(harness::HostIndex client) const;
  void await_ready();
  void begin();
  void until_over();
  [[nodiscard]] bool is_over();
  [[nodiscard]] bool is_followed_enough();
  void take_down();
  [[nodiscard]] harness::History history();
  void add_waits();

  [[nodiscard]] Sequencer::RunCallbacks around_sequencer();
  void happens(harness::HostIndex client, const harness::EventPlace& event, const StruckMessage& message);
  Reply access(harness::HostIndex client, Command command);
  std::size_t note(harness::HostIndex host, harness::Event event, const std::string& mark = {}) override;
  void add_effect(std::size_t event, harness::Effect effect) override { events_[event].effects = {std::move(effect)}; }
  bool lead(harness::HostIndex client, harness::HostIndex old, harness::HostIndex promoted) override;
  [[nodiscard]] int port_for_replica(std::size_t server, harness::HostIndex replica) override;
  void turn() override;
  [[nodiscard]] Duration now() const;
  [[nodiscard]] ProgramClient& client(harness::HostIndex host) { return *clients_.at(static_cast<std::size_t>(host)); }

  harness::Register register_;
  std::set<harness::HostIndex> replaced_;              // masters that a failover has put another server in the place of
  std::vector<std::unique_ptr<ProgramClock>> clocks_;  // of the clients; none: they live by the machine's
  std::vector<std::unique_ptr<ProgramClient>> clients_;
  std::vector<std::int64_t> waited_before_;  // nanoseconds, by client: for a processor, as it started
  std::vector<harness::Triggers> triggers_;  // by host
  std::unique_ptr<Sequencer> sequencer_;
  bool started_ = false;
  std::optional<Duration> over_since_;  // when all programs had done their rounds
  std::int64_t idle_since_ns_ = 0;      // since when nothing more can come of any of them; 0: something can
  std::int64_t looks_at_ns_ = 0;        // when to look for that again
  Duration last_news_{};                // when a program said something last, or a fault struck
  std::vector<harness::Event> events_;
  std::vector<int> accesses_;
};

}  // namespace lockproof::real
