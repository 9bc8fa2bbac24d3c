// SPDX-License-Identifier: Apache-2.0
#include "search/automata/links.hpp"

#include <algorithm>

#include "search/automata/rewritten.hpp"

namespace lockproof::sim {
namespace {

bool has_stamp(const Value& value) { return value.mark() == Value::Mark::stamp; }

bool has_stamp(const Reply& reply) {
  return has_stamp(reply.value()) ||
         std::ranges::any_of(reply.items(), [](const Reply& item) { return has_stamp(item); });
}

Value older(const Value& value, Duration by) {
  if (!has_stamp(value)) return value;
  return Value(std::to_string(std::stoll(value.bytes()) - by.count()), Value::Mark::stamp);
}

Lane& lane_of(Link& link, Arrival arrival) {
  Wire& wire = link.wires.at(arrival.wire);
  return arrival.reply ? wire.replies : wire.requests;
}

void push(Lane& lane, Flight flight, Duration way) {
  lane.last = std::max(lane.last, way);
  flight.arrives = lane.last;
  lane.flights.push_back(flight);
}

}  // namespace

void add_names(std::vector<TokenName>& into, const std::vector<TokenName>& more) {
  for (const TokenName name : more) {
    if (std::ranges::find(into, name) == into.end()) into.push_back(name);
  }
}

Id CanonicalMessages::add(const CanonicalMessage& letter) {
  StateEncoder into;
  // Stamps are written unchanged here, relative to now.
  into.command(letter.command, 0);
  into.number(letter.reply.has_value());
  if (letter.reply) into.reply(*letter.reply, 0);
  into.number(letter.refused + 2 * letter.push + 4 * letter.reply_lost + 8 * letter.reset + 16 * letter.hang_up +
              32 * (letter.key ? letter.key->flags() : 0));
  if (letter.key && letter.key->ttl) into.number(letter.key->ttl->count());
  into.duration(letter.reply_late);
  into.number(letter.round);
  bool stamped = letter.reply && has_stamp(*letter.reply);
  for (const Value& word : letter.command.args()) {
    stamped |= has_stamp(word);
    if (has_stamp(word)) into.text(word.bytes());
  }
  if (letter.reply && has_stamp(letter.reply->value())) into.text(letter.reply->value().bytes());
  std::vector<TokenName> names = into.names();
  const std::string encoding = into.take();
  const auto [id, is_new] = interner_.add(encoding);
  if (is_new) {
    shapes_of_.push_back(shapes_.add(with_plain_names(encoding)).first);
    messages_.push_back(letter);
    names_.push_back(std::move(names));
    stamped_.push_back(stamped);
  }
  return id;
}

Id CanonicalMessages::aged(Id id, Duration by) {
  if (!stamped_[id]) return id;
  const auto age = [&](const Value& value) { return older(value, by); };
  CanonicalMessage older_one = messages_[id];
  older_one.command = rewritten(older_one.command, age);
  if (older_one.reply) older_one.reply = rewritten(*older_one.reply, age);
  return add(older_one);
}

Id Links::add(Link link) {
  StateEncoder into, shape;
  std::vector<TokenName> names;
  Duration due = IsolatedHost::never;
  const auto number = [&](std::int64_t n) { into.number(n), shape.number(n); };
  const auto duration = [&](Duration d) { into.duration(d), shape.duration(d); };
  duration(link.requests_severed);
  duration(link.replies_severed);
  bool timeless = link.requests_severed == Duration{} && link.replies_severed == Duration{};
  bool commands = false, has_idle = false, resets = false, undoes = false;
  std::vector<Arrival> arrivals;
  for (std::size_t i = 0; i < link.wires.size(); ++i) {
    const Wire& wire = link.wires[i];
    number(wire.slot * 4 + wire.closed + 2 * wire.reset);
    resets |= wire.reset;
    has_idle |= idle(wire);
    for (const Lane* lane : {&wire.requests, &wire.replies}) {
      duration(lane->last);
      timeless &= lane->last == Duration{} && lane->flights.empty();
      number(static_cast<std::int64_t>(lane->flights.size()));
      for (const Flight& flight : lane->flights) {
        into.number(flight.letter);
        shape.number(messages_.shape(flight.letter));
        number(flight.distance);
        duration(flight.arrives);
        add_names(names, messages_.names(flight.letter));
        commands |= flight.distance >= 0;
      }
      if (lane->flights.empty()) continue;
      const Duration opens = lane == &wire.replies ? link.replies_severed : link.requests_severed;
      const Duration head = std::max(lane->flights.front().arrives, opens);
      if (head < due) due = head, arrivals.clear(), undoes = false;
      if (head != due) continue;
      arrivals.push_back({static_cast<std::uint8_t>(i), lane == &wire.replies, wire.closed});
      undoes |= lane == &wire.requests && messages_.may_undo(lane->flights.front().letter);
    }
  }
  const auto [id, is_new] = interner_.add(into.take());
  if (is_new) {
    links_.push_back(std::move(link));
    shapes_of_.push_back(shapes_.add(shape.take()).first);
    due_.push_back(due);
    names_.push_back(std::move(names));
    timeless_.push_back(timeless);
    commands_.push_back(commands);
    idle_.push_back(has_idle);
    resets_.push_back(resets);
    undoes_.push_back(undoes);
    arrivals_.push_back(std::move(arrivals));
  }
  return id;
}

Link aged(Link link, Duration by, CanonicalMessages& letters) {
  link.requests_severed = std::max(link.requests_severed - by, Duration{});
  link.replies_severed = std::max(link.replies_severed - by, Duration{});
  for (Wire& wire : link.wires) {
    for (Lane* lane : {&wire.requests, &wire.replies}) {
      lane->last = std::max(lane->last - by, Duration{});
      for (Flight& flight : lane->flights) {
        flight.arrives = std::max(flight.arrives - by, Duration{});
        flight.letter = letters.aged(flight.letter, by);
      }
    }
  }
  return link;
}

Link taken(Link link, Arrival arrival) {
  Lane& lane = lane_of(link, arrival);
  lane.flights.erase(lane.flights.begin());
  return link;
}

Link with_sent(Link link, int count) {
  for (Wire& wire : link.wires) {
    for (Lane* lane : {&wire.requests, &wire.replies}) {
      for (Flight& flight : lane->flights) flight.distance += flight.distance >= 0 ? count : 0;
    }
  }
  return link;
}

Link with_request(Link link, int slot, const Flight& flight, Duration way) {
  auto wire = std::ranges::find_if(link.wires, [&](const Wire& w) { return w.slot == slot && !w.closed; });
  if (wire == link.wires.end()) wire = link.wires.insert(wire, Wire{.slot = slot});
  if (!wire->reset) push(wire->requests, flight, way);
  return link;
}

Link with_opened(Link link, int slot) {
  const auto is_it = [&](const Wire& w) { return w.slot == slot && !w.closed; };
  if (std::ranges::none_of(link.wires, is_it)) link.wires.push_back(Wire{.slot = slot});
  return link;
}

Link with_reply(Link link, int slot, const Flight& flight, Duration way) {
  const auto wire = std::ranges::find(link.wires, slot, &Wire::slot);
  if (wire != link.wires.end()) push(wire->replies, flight, way);
  return link;
}

namespace {

/// As Line::drop_news.
void drop_news(Lane& replies, const CanonicalMessages& messages) {
  std::erase_if(replies.flights, [&](const Flight& flight) {
    return messages.at(flight.letter).reset || messages.at(flight.letter).push;
  });
  replies.last = replies.flights.empty() ? Duration{} : replies.flights.back().arrives;
}

}  // namespace

Link closed(Link link, const ClosedConnections& how, const CanonicalMessages& messages) {
  for (Wire& wire : link.wires) {
    if (wire.closed || !how.covers(wire.slot)) continue;
    wire.closed = true;
    drop_news(wire.replies, messages);
    int slot = first_closed_slot;
    while (std::ranges::find(link.wires, slot, &Wire::slot) != link.wires.end()) ++slot;
    wire.slot = slot;
  }
  if (how.reopened) link.wires.push_back(Wire{});
  return link;
}

Link with_reset(Link link, int slot, const Flight& news, Duration way, bool first_alone) {
  for (Wire& wire : link.wires) {
    if (slot != Reset::all && wire.slot != slot) continue;
    wire.requests = {};
    const bool learns = (wire.slot == 0 || !first_alone) && !wire.closed && !wire.reset;
    wire.reset = true;
    if (learns) push(wire.replies, news, way);
  }
  return link;
}

Link severed(Link link, bool replies, Duration lasts) {
  Duration& until = replies ? link.replies_severed : link.requests_severed;
  until = std::max(until, lasts);
  return link;
}

Link tidied(Link link, const std::function<bool(int slot)>& held) {
  std::erase_if(link.wires, [&](const Wire& wire) { return idle(wire) && !held(wire.slot); });
  int slot = first_closed_slot;
  for (Wire& wire : link.wires) {
    if (wire.slot >= first_closed_slot) wire.slot = slot++;
  }
  return link;
}

}  // namespace lockproof::sim
