// SPDX-License-Identifier: Apache-2.0
// ClientJournal: writes down what happens in a client process, as it happens, and makes faults strike at the events
// that they are placed by. Each event is in the ledger before the next thing happens, so a SIGKILL loses none.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/scenario/faults/triggers.hpp"
#include "real/client/client_link.hpp"
#include "real/client/client_setup.hpp"
#include "real/client/host_ports.hpp"
#include "real/client/life_events.hpp"
#include "real/record/client_record.hpp"
#include "real/record/witness.hpp"

namespace lockproof::real {

class ClientJournal final : public harness::Journal, public Witness, public LifeEvents {
 public:
  explicit ClientJournal(const ClientSetup& setup);

  /// Called at the start, when the clocks are known. Nothing may be noted before.
  void start(HostClock& clock) { clock_ = &clock; }
  void round(int number) override;
  /// Destroys the client's worker.
  void on_kill(std::function<void()> hook) { kill_ = std::move(hook); }
  void on_new_clocks(std::function<void()> hook) { new_clocks_ = std::move(hook); }

  void note(harness::Event event) override;
  [[nodiscard]] bool awaits(harness::EventPlace::Moment moment, std::string_view act) const override {
    return triggers_.awaits(moment, act, round_);
  }
  /// The process may be stopped in here, or end.
  void happens(harness::EventPlace::Moment moment, std::string_view act) override { happens(moment, act, nullptr); }
  void tell(const Notice& notice);
  /// Notes that something due at `due_ns` happened only at `now_ns`, in machine nanoseconds.
  void late(std::int64_t due_ns, std::int64_t now_ns);
  void wait_for_supervisor();
  /// Carries out what the supervisor has ordered meanwhile.
  void obey();

  std::optional<Repetition> leaving(const Place& place, const Command& command) override;
  void leaving_again(harness::HostIndex server) override;
  bool takes_another(harness::HostIndex server) override { return switches_.erase(server) > 0; }
  void takes_another_later(harness::HostIndex server) override { switches_.insert(server); }
  void sent(const Place& place, int message, const Command& command) override;
  void arrived(const Place& place, const Command& command) override;
  void received(harness::HostIndex server, int message, const Reply& reply) override;
  void discarded(harness::HostIndex server, int message, const Reply& reply) override;
  void timed_out(harness::HostIndex server, int message) override;
  void lost(harness::HostIndex server, int message) override;
  void refused(harness::HostIndex server, int message) override;
  void broken(harness::HostIndex server) override;
  void news(harness::HostIndex server, const std::string& channel) override;

 private:
  void happens(harness::EventPlace::Moment moment, std::string_view verb, const Place* place);
  void ask_to_strike(std::size_t fault, const Place* place);
  void begin_pause(std::size_t fault);
  void stand_still(const std::vector<std::size_t>& pauses);
  void kill_worker(std::size_t fault);
  void obey(char order);
  std::optional<char> read_byte(bool wait);
  void write_down(NotedEvent noted);
  void note_message(harness::What what, harness::HostIndex server, int message, const Reply* reply);

  const ClientSetup& setup_;
  const std::string& name_;
  harness::Triggers triggers_;
  HostClock* clock_ = nullptr;
  int round_ = 0;
  std::string bytes_;  // the record being written; kept to reuse its memory
  std::function<void()> kill_;
  std::function<void()> new_clocks_;
  std::set<harness::HostIndex> switches_;  // servers to which the next command goes over another connection
  std::optional<std::size_t> sent_again_;  // the fault by which the command that is leaving will be sent again
  std::map<harness::HostIndex, std::size_t> sent_again_to_;  // … and the last one to each server
};

}  // namespace lockproof::real
