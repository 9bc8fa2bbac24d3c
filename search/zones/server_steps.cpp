// SPDX-License-Identifier: Apache-2.0
// The part of Successors for what the server and the resource do.
#include <algorithm>
#include <utility>

#include "harness/scenario/fault_table.hpp"
#include "search/zones/successors.hpp"

namespace lockproof::zones {

void Successors::arrive_at_server(Place place, std::size_t client, std::size_t index) {
  std::vector<Message>& messages = place.clients[client].messages;
  const Message message = messages[index];
  add_passage(place, {.kind = Passage::Kind::arrived, .client = client, .message = message});
  if (!message.of_resource && place.server_is_down) {
    messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(index));
    return refuse(std::move(place), client, message);
  }
  if (!message.of_resource && (place.server_is_paused || place.waits_before(client, message))) {
    place.put_behind(client, index, is_one_queue_);
    return finish(std::move(place));
  }
  messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(index));
  run(std::move(place), client, message);
}

/// Where connections are queues of their own, the first request of any of them may run next, and the server counts
/// the seconds that it has missed at any time between.
void Successors::offer_serves(const Place& place) {
  if (place.server_is_paused || place.server_is_down) return;
  for (std::size_t client = 0; client < place.clients.size(); ++client) {
    const std::vector<Message>& messages = place.clients[client].messages;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (!messages[i].is_request() || messages[i].waits != 1) continue;
      event_ = {Event::Kind::serve, client};
      serve(place, client, i);
    }
  }
  if (place.server_stood == forgotten) return;
  Place counted = place;
  event_ = {Event::Kind::count};
  counted.server_stood = forgotten;
  finish(std::move(counted));
}

/// The request that has waited for longest, of all or of its connection.
void Successors::serve(Place place, std::size_t client, std::size_t index) {
  std::vector<Message>& messages = place.clients[client].messages;
  Message message = messages[index];
  messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(index));
  message.waits = 0;
  for (Message& behind : messages) {
    const bool moves_up = !is_one_queue_ && behind.waits > 1 && behind.is_of_line(message);
    if (moves_up) --behind.waits;
  }
  run(std::move(place), client, message);
}

void Successors::run(Place place, std::size_t client, Message message) {
  add_passage(place, {.kind = Passage::Kind::run, .client = client, .message = message});
  const std::size_t host = host_of(message.of_resource);
  if (std::exchange(message.is_announced, true) || !places_at(place, host)) {
    if (!places_at(place, host)) reset(place, client, message, false);
    return run_now(std::move(place), client, message);
  }
  place.in_hand = {client, message};
  const harness::EventPlace event = event_of_server(*place.in_hand, harness::EventPlace::Moment::before);
  happen(std::move(place), host, event, [&](Place then) {
    const CommandInHand command = *std::exchange(then.in_hand, std::nullopt);
    if (command.is_lost) {
      show(then, monitors_.losing(client, message.of_resource, {message.number}));
      return finish(std::move(then));
    }
    reset(then, client, command.message, false);
    if (message.of_resource || !then.server_is_paused) return run_now(std::move(then), client, command.message);
    then.put_first(client, command.message, is_one_queue_);
    finish(std::move(then));
  });
}

void Successors::run_now(Place place, std::size_t client, const Message& message) {
  const Command& command = payloads_.command(message.payload);
  if (message.of_resource) {
    const ResourceStates::Step& step = resource_.step(place.resource, message.payload);
    place.resource = step.state;
    const Reply& reply = payloads_.reply(step.reply);
    show(place, monitors_.executing(client, true, command, reply, {}, message.number));
    return answer(std::move(place), client, message, step.reply);
  }
  const std::string refused = server_->refuses(command);
  if (!refused.empty()) throw UnsuitedCode(refused);
  execute(std::move(place), client, message, {});
}

/// The connection that the command came over may end at the server, before or after it runs. All others of that client
/// to that server end with it, and what is on its way there is lost. The client learns of it behind what has left.
void Successors::reset(Place place, std::size_t client, const Message& message, bool after) {
  const Event whole = event_;
  for (std::size_t entry = 0; entry < bounds_.budget.size(); ++entry) {
    if (bounds_.budget[entry].kind != harness::FaultKind::break_connection || !can_strike(place, entry)) continue;
    for (std::size_t form = 0; form < bounds_.budget[entry].forms.size(); ++form) {
      const harness::Fault& fault = bounds_.budget[entry].forms[form];
      if (fault.target != scenario_.clients[client].name || fault.delay != Duration{}) continue;
      if (place.clients[client].is_gone) continue;
      Place struck = place;
      count(struck, {entry, form});
      event_ = whole;
      event_.fault = Event::Fault(entry, form);
      event_.after = after;
      if (!after) show(struck, monitors_.losing(client, message.of_resource, {message.number}));
      for (Place& ended : end_at_server(std::move(struck), client, message.of_resource)) finish(std::move(ended));
    }
  }
  event_ = whole;
}

/// Of all connections of the client to there.
std::vector<Place> Successors::end_at_server(Place place, std::size_t client, bool of_resource) {
  const bool learns = !std::exchange(place.clients[client].end(of_resource).is_reset, true);
  lose_requests(place, client, of_resource);
  if (!learns) return {std::move(place)};
  const Duration travel = scenario_.network.latency.least;
  return pushed(std::move(place), client, {.kind = Message::Kind::news, .of_resource = of_resource}, {travel, travel});
}

/// Asks of each lease whether it is over, and runs the command where all answers can be true.
void Successors::execute(Place place, std::size_t client, const Message& message, std::vector<bool> over) {
  const auto& leases = server_->leases(place.server);
  if (over.size() < leases.size()) {
    const auto& lease = leases[over.size()];
    const TimePoint end{place.leases[static_cast<std::size_t>(lease.name)], lease.after.count()};
    const TimePoint counted{place.server_stood == forgotten ? now_row : place.server_stood};
    const HostRate rate = rate_of(place, scenario_.clients.size());
    Place runs_on = place;
    over.push_back(true);
    if (require_not_earlier(place.zone, rate, counted, end)) execute(std::move(place), client, message, over);
    over.back() = false;
    if (require_earlier(runs_on.zone, rate, counted, end))
      execute(std::move(runs_on), client, message, std::move(over));
    return;
  }
  const ServerStep& step = server_step(place.server, message.payload, over);
  std::vector<Row> names;
  Row begun = forgotten;
  for (const int name : step.names) {
    const bool is_new = name == sim::SymbolicServer::begins;
    if (is_new && begun == forgotten) {
      const harness::Window window = server_->begin();
      const Row counted = place.server_stood == forgotten ? now_row : place.server_stood;
      begun = add_reached(place, rate_of(place, scenario_.clients.size()), window.least, window.most, counted);
    }
    names.push_back(is_new ? begun : place.leases[static_cast<std::size_t>(name)]);
  }
  place.server = step.state;
  place.leases = std::move(names);
  if (!place.kept.empty() && begun != forgotten) place.kept.push_back(begun);
  show(place, monitors_.executing(client, false, payloads_.command(message.payload), payloads_.reply(step.reply),
                                  step.effects, message.number));
  answer(std::move(place), client, message, step.reply);
}

const Successors::ServerStep& Successors::server_step(Id state, Id command, const std::vector<bool>& over) {
  const auto [known, is_new] = server_steps_.try_emplace({state, command, over});
  if (is_new) {
    sim::SymbolicServer::Step step = server_->execute(state, payloads_.command(command), over);
    known->second = {step.state, payloads_.add(step.reply), std::move(step.names), std::move(step.effects)};
  }
  return known->second;
}

void Successors::refuse(Place place, std::size_t client, Message request) {
  show(place, monitors_.losing(client, request.of_resource, {request.number}));
  const bool is_heard = request.connection == 0 && !place.clients[client].is_gone;
  request.kind = Message::Kind::refusal;
  request.payload = request.origin = 0;
  request.number = 0;
  request.loses_answer = false;
  if (!is_heard) {
    add_passage(place, {.client = client, .message = request});
    return finish(std::move(place));
  }
  for (Place& sent : pushed_answer(std::move(place), client, request)) finish(std::move(sent));
}

/// Until the server goes on.
void Successors::hold(Place& place, std::size_t client, const Message& answer) {
  Message& held = place.clients[client].messages.emplace_back(answer);
  held.waits = 1;
  held.arrives = forgotten;
}

/// The server may stand still before the answer leaves, or go down and take it along.
void Successors::hold_answer(const Place& place, std::size_t client, const Message& answer) {
  const Event whole = event_;
  for (std::size_t entry = 0; entry < bounds_.budget.size(); ++entry) {
    const harness::FaultRow::Action action = harness::row_of(bounds_.budget[entry].kind).action;
    const bool goes_down = action == harness::FaultRow::Action::take_down;
    if ((!goes_down && action != harness::FaultRow::Action::stand_still) || !can_strike(place, entry)) continue;
    for (std::size_t form = 0; form < bounds_.budget[entry].forms.size(); ++form) {
      if (client_named(bounds_.budget[entry].forms[form].target)) continue;
      if (bounds_.budget[entry].forms[form].delay != Duration{}) continue;
      event_ = whole;
      event_.fault = Event::Fault(entry, form);
      event_.after = true;
      if (goes_down) {
        for (Place& down : take_down(place, {entry, form})) finish(std::move(down));
        continue;
      }
      Place struck = place;
      if (!strike_server(struck, {entry, form})) continue;
      hold(struck, client, answer);
      finish(std::move(struck));
    }
  }
  event_ = whole;
}

/// Where it counts seconds, it has missed none, or counts them only behind this: see offer_serves.
void Successors::wake_server(Place place) {
  place.server_is_paused = false;
  place.server_wakes = forgotten;
  add_unseen(place, monitors_.holding_up(harness::What::heal, {}, harness::FaultKind::pause));
  if (place.server_stood == forgotten) return send_held(std::move(place));
  constexpr std::int64_t tick = 1'000'000;
  Place late = place;
  const HostRate rate = rate_of(place, scenario_.clients.size());
  if (require_earlier(place.zone, rate, {}, {place.server_stood, tick})) {
    place.server_stood = forgotten;
    send_held(std::move(place));
  }
  if (require_earlier(late.zone, rate, {late.server_stood}, {})) send_held(std::move(late));
}

/// The answers that it held back leave, and what has waited runs: see finish.
void Successors::send_held(Place place) {
  std::vector<Place> cases{std::move(place)};
  for (std::size_t client = 0; client < scenario_.clients.size(); ++client) {
    const auto held = [](const Message& message) { return !message.is_request() && message.waits != 0; };
    while (!cases.empty() && std::ranges::any_of(cases.front().clients[client].messages, held)) {
      std::vector<Place> sent;
      for (Place& one : cases) {
        std::vector<Message>& messages = one.clients[client].messages;
        const auto first = std::ranges::find_if(messages, held);
        const Message answer = *first;
        messages.erase(first);
        for (Place& then : pushed_answer(std::move(one), client, answer)) sent.push_back(std::move(then));
      }
      cases = std::move(sent);
    }
  }
  for (Place& one : cases) finish(std::move(one));
}

std::vector<Place> Successors::pushed_answer(Place place, std::size_t client, Message answer) const {
  harness::Window travel = scenario_.network.latency;
  if (answer.late_answer != 0) {
    const harness::Fault& fault = fault_of(fault_with(answer.late_answer));
    travel.least += fault.least.value_or(fault.by);
    travel.most += fault.by;
  }
  answer.waits = 0;
  return pushed(std::move(place), client, answer, travel);
}

void Successors::answer(Place place, std::size_t client, const Message& message, Id reply) {
  const std::size_t host = host_of(message.of_resource);
  if (!places_at(place, host)) return give_answer(std::move(place), client, message, reply);
  place.in_hand = {client, message};
  const harness::EventPlace event = event_of_server(*place.in_hand, harness::EventPlace::Moment::after);
  happen(std::move(place), host, event, [&](Place then) {
    const CommandInHand command = *std::exchange(then.in_hand, std::nullopt);
    command.is_lost ? finish(std::move(then)) : give_answer(std::move(then), client, command.message, reply);
  });
}

void Successors::give_answer(Place place, std::size_t client, const Message& message, Id reply) {
  reset(place, client, message, true);
  Message answer = message;
  answer.kind = Message::Kind::reply;
  answer.origin = places_at(place, client) ? message.payload : 0;
  answer.is_announced = false;
  answer.payload = reply;
  answer.number = 0;
  if (message.loses_answer || message.connection != 0) {
    add_passage(place,
                {.client = client, .message = answer, .is_drawn = !message.loses_answer && !message.draws_no_answer});
    return finish(std::move(place));
  }
  if (!message.of_resource && place.server_is_paused) {
    hold(place, client, answer);
    return finish(std::move(place));
  }
  if (!message.of_resource) hold_answer(place, client, answer);
  for (Place& sent : pushed_answer(std::move(place), client, answer)) finish(std::move(sent));
}

}  // namespace lockproof::zones
