// SPDX-License-Identifier: Apache-2.0
#include "real/client/client_journal.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <vector>

#include "real/client/faults.hpp"
#include "real/os/descriptor.hpp"
#include "real/record/lateness.hpp"

namespace lockproof::real {

using harness::Event;
using harness::EventPlace;
using harness::What;

namespace {

std::string server_name(const harness::Scenario& scenario, harness::HostIndex host) {
  const std::vector<std::string> hosts = scenario.host_names(true, true);
  const auto index = static_cast<std::size_t>(host);
  return index < hosts.size() ? hosts[index] : "resource";
}

}  // namespace

ClientJournal::ClientJournal(const ClientSetup& setup)
    : setup_(setup), name_(setup.scenario.clients.at(static_cast<std::size_t>(setup.index)).name),
      triggers_(setup.scenario, name_) {}

void ClientJournal::tell(const Notice& notice) {
  const std::string line = to_line(notice);
  // Without a supervisor the run is over.
  if (!write_all(setup_.to_supervisor, line.data(), line.size())) ::_exit(70);
}

void ClientJournal::late(std::int64_t due_ns, std::int64_t now_ns) {
  if (now_ns - due_ns < Lateness::least_ns) return;
  to_bytes(NotedLateness{due_ns, now_ns}, bytes_);
  setup_.ledger.append(bytes_);
}

std::optional<char> ClientJournal::read_byte(bool wait) {
  char byte = 0;
  for (;;) {
    pollfd ready{setup_.from_supervisor, POLLIN, 0};
    if (wait) ::poll(&ready, 1, -1);  // an event loop has made the descriptor one that does not wait
    const auto count = ::recv(setup_.from_supervisor, &byte, 1, MSG_DONTWAIT);
    if (count == 1) return byte;
    if (count < 0 && (errno == EINTR || (wait && errno == EAGAIN))) continue;
    if (count < 0 && errno == EAGAIN) return std::nullopt;
    ::_exit(70);
  }
}

void ClientJournal::wait_for_supervisor() {
  for (;;) {
    const char order = read_byte(true).value_or(0);
    if (order == static_cast<char>(Order::go_on)) return;
    obey(order);
  }
}

void ClientJournal::obey() {
  while (const auto order = read_byte(false)) obey(*order);
}

void ClientJournal::obey(char order) {
  if (order == static_cast<char>(Order::kill_task)) {
    kill_worker(static_cast<unsigned char>(read_byte(true).value_or(0)));
  } else if (order == static_cast<char>(Order::clocks) && new_clocks_) {
    new_clocks_();
  }
}

void ClientJournal::round(int number) {
  round_ = number;
  setup_.board.shared().round[setup_.index].store(number);
}

void ClientJournal::note(Event event) {
  triggers_.noted(event.what);
  write_down({.event = std::move(event)});
}

void ClientJournal::write_down(NotedEvent noted) {
  Event& event = noted.event;
  const bool is_counted = event.lock.empty();  // the owner word is that of the scenario's lock
  if (event.what == What::exit && is_counted) setup_.board.leave(setup_.index);
  if (event.what == What::enter && is_counted) event.others = setup_.board.enter(setup_.index);
  noted.sequence = setup_.board.next_sequence();
  event.host = setup_.index;
  event.at = clock_->world_time().now();
  event.clocks = clock_->at(event.at);
  to_bytes(noted, bytes_);
  setup_.ledger.append(bytes_);
}

/// All faults placed here strike before the process stops or ends: the result must not depend on the order in which a
/// scenario lists them.
void ClientJournal::happens(EventPlace::Moment moment, std::string_view verb, const Place* place) {
  if (triggers_.none()) return;
  std::vector<std::size_t> pauses;
  bool crashes = false;
  const std::string server = place ? server_name(setup_.scenario, place->server) : std::string();
  for (const std::size_t index : triggers_.happens(moment, verb, name_, round_, server)) {
    const harness::Fault& fault = setup_.scenario.faults.at(index);
    const bool now = fault.target == name_ && fault.delay <= Duration{};
    if (now && crashes) continue;  // a dead process is not struck
    if (now && fault.kind == harness::FaultKind::crash) {
      crashes = true;
      tell({.kind = Notice::Kind::crashes, .number = static_cast<std::int64_t>(index), .text = {}});
      note(strike_event(setup_.scenario, index));
    } else if (now && harness::stands_still(fault.kind)) {
      pauses.push_back(index);
      begin_pause(index);
    } else if (now && fault.kind == harness::FaultKind::kill_task) {
      kill_worker(index);
    } else {
      ask_to_strike(index, place);
    }
  }
  if (crashes) ::raise(SIGKILL);
  if (!pauses.empty()) stand_still(pauses);
}

void ClientJournal::ask_to_strike(std::size_t index, const Place* place) {
  const harness::Fault& fault = setup_.scenario.faults.at(index);
  if (fault.kind == harness::FaultKind::resend || fault.kind == harness::FaultKind::retry) sent_again_ = index;
  if (fault.kind == harness::FaultKind::pool_switch) switches_.insert(switched_server(setup_.scenario, fault));
  const Duration when = clock_->world_time().now() + fault.delay;
  const std::string struck = place ? to_text({place->server, place->port, place->number}) : std::string();
  tell({.kind = Notice::Kind::strike,
        .number = static_cast<std::int64_t>(index),
        .other = when.count(),
        .text = struck});
  wait_for_supervisor();  // what happens next happens after the strike
}

void ClientJournal::kill_worker(std::size_t fault) {
  note(strike_event(setup_.scenario, fault));
  setup_.board.leave(setup_.index);
  if (kill_) kill_();
}

void ClientJournal::begin_pause(std::size_t index) {
  const Duration until = clock_->world_time().now() + setup_.scenario.faults.at(index).lasts;
  note(strike_event(setup_.scenario, index));
  tell({.kind = Notice::Kind::pauses, .number = static_cast<std::int64_t>(index), .other = until.count(), .text = {}});
}

/// Until the last of these pauses ends.
void ClientJournal::stand_still(const std::vector<std::size_t>& pauses) {
  ::raise(SIGSTOP);
  for (const std::size_t index : pauses) {
    tell({.kind = Notice::Kind::woke, .number = static_cast<std::int64_t>(index), .text = {}});
    note(heal_event(setup_.scenario, index));
  }
}

std::optional<Repetition> ClientJournal::leaving(const Place& place, const Command& command) {
  sent_again_.reset();
  happens(EventPlace::Moment::before, command.verb(), &place);
  if (!sent_again_) return std::nullopt;
  sent_again_to_[place.server] = *sent_again_;
  const harness::Fault& fault = setup_.scenario.faults.at(*sent_again_);
  if (fault.kind == harness::FaultKind::resend) return Repetition{.after = fault.lasts};
  return Repetition{.loses_reply = fault.reply, .same_connection = fault.same_connection};
}

void ClientJournal::leaving_again(harness::HostIndex server) {
  note(strike_event(setup_.scenario, sent_again_to_.at(server)));
}

void ClientJournal::arrived(const Place& place, const Command& command) {
  happens(EventPlace::Moment::after, command.verb(), &place);
}

void ClientJournal::sent(const Place& place, int message, const Command& command) {
  Event event{.what = What::send};
  event.peer = place.server;
  event.message = message;
  event.command = command;
  write_down({.port = place.port, .on_connection = place.number, .event = std::move(event)});
}

void ClientJournal::received(harness::HostIndex server, int message, const Reply& reply) {
  note_message(What::receive, server, message, &reply);
}

void ClientJournal::discarded(harness::HostIndex server, int message, const Reply& reply) {
  note_message(What::discard, server, message, &reply);
}

void ClientJournal::timed_out(harness::HostIndex server, int message) {
  note_message(What::time_out, server, message, nullptr);
}

void ClientJournal::lost(harness::HostIndex server, int message) {
  Event event{.what = What::drop};
  event.peer = server;
  event.message = message;
  event.word = "reply";
  note(std::move(event));
}

void ClientJournal::refused(harness::HostIndex server, int message) {
  note_message(What::refused, server, message, nullptr);
}

void ClientJournal::broken(harness::HostIndex server) {
  if (!clock_) return;
  Event event{.what = What::broken};
  event.peer = server;
  note(std::move(event));
}

void ClientJournal::news(harness::HostIndex server, const std::string& channel) {
  Event event{.what = What::push};
  event.peer = server;
  event.word = channel;
  note(std::move(event));
}

void ClientJournal::note_message(What what, harness::HostIndex server, int message, const Reply* reply) {
  Event event{.what = what};
  event.peer = server;
  event.message = message;
  if (reply) event.reply = *reply;
  note(std::move(event));
}

}  // namespace lockproof::real
