// SPDX-License-Identifier: Apache-2.0
// The part of Successors for messages: commands that leave, and the order of each line.
#include <algorithm>
#include <utility>

#include "harness/scenario/fault_table.hpp"
#include "search/zones/successors.hpp"

namespace lockproof::zones {

using harness::FaultKind;

void Successors::send(Place place, std::size_t client) {
  const ClientAutomaton::State& state = state_of(place, client);
  const Message message{.of_resource = state.of_resource, .is_awaited = true, .payload = state.command};
  OutgoingMessage sending{message, scenario_.network.latency};
  for (const std::uint32_t fault : std::exchange(place.clients[client].laid, {}))
    (void)lay(place, client, fault_with(fault), sending);
  mark(place, client, sending, 0);
}

/// The message leaves with each set of faults that can strike it, in the order of the budget.
void Successors::mark(const Place& place, std::size_t client, const OutgoingMessage& sending, std::size_t first) {
  depart(place, client, sending);
  for (std::size_t entry = first; entry < bounds_.budget.size(); ++entry) {
    if (!can_strike(place, entry)) continue;
    for (std::size_t form = 0; form < bounds_.budget[entry].forms.size(); ++form) {
      Place struck = place;
      OutgoingMessage marked = sending;
      if (!lay(struck, client, {entry, form}, marked)) continue;
      event_.marks.emplace_back(entry, form);
      mark(struck, client, marked, entry + 1);
      event_.marks.pop_back();
    }
  }
}

/// False: the fault strikes no message of this client, or not this one.
bool Successors::lay(Place& place, std::size_t client, Event::Fault form, OutgoingMessage& sending) const {
  const harness::Fault& fault = fault_of(form);
  if (!harness::row_of(fault.kind).of_message || scenario_.clients[client].name != fault.target) return false;
  ClientPlace& at = place.clients[client];
  Message& message = sending.message;
  count(place, form);
  switch (fault.kind) {
    case FaultKind::half_open: {
      OpenEnd& end = at.end(message.of_resource);
      (fault.reply ? end.loses_replies : end.loses_requests) = true;
      return true;
    }
    case FaultKind::delay:
      if (fault.reply) {
        message.late_answer = code(form);
      } else {
        sending.travel.least += fault.least.value_or(fault.by);
        sending.travel.most += fault.by;
        message.late_by = code(form);
      }
      return true;
    case FaultKind::resend:
      message.loses_answer = true;
      at.resend = code(form);
      at.resends = add_reached(place, rate_of(place, client), fault.least.value_or(fault.lasts), fault.lasts);
      return true;
    case FaultKind::retry:
      if (message.of_resource && form.first < bounds_.budget.size()) return false;  // no budget has it there
      message.loses_answer |= fault.reply;
      at.retry = code(form);
      return true;
    default: return false;
  }
}

int Successors::free_number(const ClientPlace& client, bool of_resource) {
  int number = 1;
  const auto has_it = [&](const Message& message) {
    return message.is_request() && message.of_resource == of_resource && message.number == number;
  };
  while (std::ranges::any_of(client.messages, has_it)) ++number;
  return number;
}

void Successors::depart(Place place, std::size_t client, const OutgoingMessage& sending) {
  ClientPlace& at = place.clients[client];
  Message message = sending.message;
  if (at.sent == forgotten) at.sent = place.zone.add(now_row, {}, {});
  at.has_sent = true;
  message.number = free_number(at, message.of_resource);
  if (places_at(place, host_of(message.of_resource))) message.origin = static_cast<Id>(state_of(place, client).round);
  show(place, monitors_.sending(client, message.of_resource, message.number));
  const OpenEnd& end = at.end(message.of_resource);
  if (end.loses_requests || end.is_reset) {
    add_passage(place, {.client = client, .message = message, .is_drawn = !end.loses_requests, .state = at.state});
    show(place, monitors_.losing(client, message.of_resource, {message.number}));
    return finish(std::move(place));
  }
  message.loses_answer |= end.loses_replies;
  for (Place& sent : pushed(std::move(place), client, message, sending.travel)) finish(std::move(sent));
}

/// The driver's own copy of a command: no fault strikes it.
void Successors::send_again(Place place, std::size_t client) {
  const ClientAutomaton::State& state = state_of(place, client);
  for (Message& message : place.clients[client].messages) message.is_awaited = false;
  const Message message{.of_resource = state.of_resource, .is_awaited = true, .payload = state.command};
  depart(std::move(place), client, {message, scenario_.network.latency});
}

void Successors::add_passage(Place& place, Passage passage) {
  if (!place.kept.empty()) place.passages.push_back(std::move(passage));
}

/// It arrives when its way is over, or right behind the one before it on its line.
std::vector<Place> Successors::pushed(Place place, std::size_t client, Message message, const harness::Window& travel) {
  std::vector<Message>& messages = place.clients[client].messages;
  const auto before = std::find_if(messages.rbegin(), messages.rend(), [&](const Message& one) {
    return one.is_of_line(message) && one.arrives != forgotten;
  });
  const Row last = before == messages.rend() ? forgotten : before->arrives;
  message.arrives = place.zone.add(now_row, travel.least, travel.most);
  add_passage(place, {.client = client,
                      .message = message,
                      .is_drawn = message.kind != Message::Kind::news,
                      .state = place.clients[client].state});
  message.tag = static_cast<int>(place.passages.size());
  if (!message.is_request()) message.late_answer = 0;
  messages.push_back(message);
  std::vector<Place> all;
  if (last != forgotten) {
    Place behind = place;
    if (behind.zone.require_not_after({message.arrives}, {last})) {
      behind.clients[client].messages.back().arrives = last;
      all.push_back(std::move(behind));
    }
    if (!place.zone.require_before({last}, {message.arrives})) return all;
  }
  all.push_back(std::move(place));
  return all;
}

/// Whether the call of this client may wait until its time is over. It must not depend on the zone: what a place
/// mentions is the same for all its valuations.
bool Successors::can_be_late(const Place& place, std::size_t client) const {
  const Duration time_out(rate_of(place, client).reach(scenario_.network.timeout.count()).earliest);
  if (scenario_.network.latency.most * 2 >= time_out || !scenario_.faults.empty()) return true;
  for (std::size_t entry = 0; entry < bounds_.budget.size(); ++entry) {
    const harness::FaultRow& row = harness::row_of(bounds_.budget[entry].kind);
    const auto of_server = [&](const harness::Fault& fault) { return !client_named(fault.target); };
    const bool holds_up = row.action == harness::FaultRow::Action::cut_off ||
                          row.action == harness::FaultRow::Action::take_down ||
                          (row.action == harness::FaultRow::Action::stand_still &&
                           std::ranges::any_of(bounds_.budget[entry].forms, of_server));
    if (holds_up && can_strike(place, entry)) return true;
    if ((holds_up || row.of_message) && place.struck[entry] > 0) return true;
  }
  const auto is_open = [](const Message& message) { return message.connection == 0; };
  return std::ranges::none_of(place.clients[client].messages, &Message::is_awaited) ||
         std::ranges::count_if(place.clients[client].messages, is_open) > 1;
}

}  // namespace lockproof::zones
