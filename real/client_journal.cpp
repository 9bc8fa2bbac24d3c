// SPDX-License-Identifier: Apache-2.0
#include "real/client_journal.hpp"

#include <signal.h>
#include <sys/socket.h>

#include <cerrno>

#include "harness/history/jsonl.hpp"
#include "real/descriptor.hpp"
#include "real/faults.hpp"

namespace lockproof::real {

using harness::Event;
using harness::What;
using harness::When;

ClientJournal::ClientJournal(const ClientSetup& setup)
    : setup_(setup),
      name_(setup.scenario.clients.at(static_cast<std::size_t>(setup.index)).name),
      triggers_(setup.scenario, name_) {}

void ClientJournal::tell(const Notice& notice) {
  const std::string line = to_line(notice);
  // Without a supervisor there is nobody to run for.
  if (!write_all(setup_.to_supervisor, line.data(), line.size())) ::_exit(70);
}

void ClientJournal::wait_for_supervisor() {
  char byte = 0;
  for (;;) {
    const auto count = ::read(setup_.from_supervisor, &byte, 1);
    if (count == 1) return;
    if (count < 0 && errno == EINTR) continue;
    ::_exit(70);
  }
}

void ClientJournal::note(Event event) {
  if (event.what == What::exit) setup_.board.leave(setup_.index);
  if (event.what == What::enter) event.others = setup_.board.enter(setup_.index);
  const std::uint64_t sequence = setup_.board.next_sequence();
  event.host = setup_.index;
  event.at = clock_->world_time().now();
  event.clocks = clock_->at(event.at);
  const std::string text = harness::to_line(event, setup_.header);
  tell({.kind = Notice::Kind::event, .number = static_cast<std::int64_t>(sequence), .text = text});
}

void ClientJournal::happens(When::Moment moment, std::string_view verb) {
  if (triggers_.none()) return;
  for (const std::size_t fault : triggers_.happens(moment, verb, name_, round_)) strike(fault);
}

void ClientJournal::strike(std::size_t index) {
  const harness::Fault& fault = setup_.scenario.faults.at(index);
  const bool by_itself = fault.kind == harness::FaultKind::pause || fault.kind == harness::FaultKind::crash;
  if (fault.target == name_ && fault.delay <= Duration{} && by_itself) return strike_self(index, fault);
  const Duration when = clock_->world_time().now() + fault.delay;
  tell({.kind = Notice::Kind::strike, .number = static_cast<std::int64_t>(index), .other = when.count(), .text = {}});
  wait_for_supervisor();  // what happens next happens after the strike
}

void ClientJournal::strike_self(std::size_t index, const harness::Fault& fault) {
  const auto number = static_cast<std::int64_t>(index);
  if (fault.kind == harness::FaultKind::crash) {
    tell({.kind = Notice::Kind::crashes, .number = number, .text = {}});
    note(strike_event(setup_.scenario, index));
    ::raise(SIGKILL);
  }
  const Duration until = clock_->world_time().now() + fault.lasts;
  note(strike_event(setup_.scenario, index));
  tell({.kind = Notice::Kind::pauses, .number = number, .other = until.count(), .text = {}});
  ::raise(SIGSTOP);
  tell({.kind = Notice::Kind::woke, .number = number, .text = {}});
  note(heal_event(setup_.scenario, index));
}

void ClientJournal::connected(harness::HostIndex server, int port) {
  tell({.kind = Notice::Kind::connection, .number = server, .other = port, .text = {}});
}

void ClientJournal::leaving(const Command& command) { happens(When::Moment::before, command.verb()); }

void ClientJournal::arrived(const Command& command) { happens(When::Moment::after, command.verb()); }

void ClientJournal::sent(harness::HostIndex server, int message, const Command& command) {
  Event event{.what = What::send};
  event.peer = server;
  event.message = message;
  event.command = command;
  note(std::move(event));
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

void ClientJournal::note_message(What what, harness::HostIndex server, int message, const Reply* reply) {
  Event event{.what = what};
  event.peer = server;
  event.message = message;
  if (reply) event.reply = *reply;
  note(std::move(event));
}

}  // namespace lockproof::real
