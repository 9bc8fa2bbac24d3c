// SPDX-License-Identifier: Apache-2.0
#include "search/automata/event_lists.hpp"

#include <map>

#include "sim/world/state_encoder.hpp"

namespace lockproof::sim {

using harness::Event;
using harness::What;

namespace {

/// A command's number becomes how many were sent after it, as a negative number. `last_sent`: the client's own numbers.
void count_back(Event& e, bool of_client, const std::map<int, int>& last_sent) {
  const bool lost_here = e.what == What::drop && !of_client;
  if (e.what == What::execute || lost_here) {
    e.message += 1;
  } else if (e.what == What::send || e.what == What::drop) {
    const auto last = last_sent.find(e.peer);
    e.message = of_client && last != last_sent.end() ? e.message - last->second : 0;
  }
}

/// Events whose contents no monitor reads.
bool says_only_when(What what) {
  return what == What::receive || what == What::discard || what == What::time_out || what == What::end ||
         what == What::push || what == What::broken || what == What::refused;
}

/// Of a grant's remaining time only that there is none.
void keep_if_over(Event& e) {
  if (e.what == What::granted && e.left && e.left->time <= Duration{}) {
    e.left->time = {};
  } else {
    e.left.reset();
  }
}

Event just(What what, harness::HostIndex host) {
  Event event{.what = what};
  event.host = host;
  return event;
}

}  // namespace

Id EventLists::end(bool finished) {
  Event end = just(What::end, harness::no_host);
  end.word = finished ? "finished" : "horizon";
  return keep({std::move(end)}, false);
}

Id EventLists::add(std::vector<Event> events, int host, int clients, int scripted) {
  if (timed_) {
    for (Event& e : events) {
      if (says_only_when(e.what)) e = just(e.what, e.host);
    }
  } else {
    std::erase_if(events, [](const Event& e) { return says_only_when(e.what) || e.what == What::heal; });
  }
  std::map<int, int> last_sent;  // to each server
  for (const Event& e : events) {
    if (e.what == What::send) last_sent[e.peer] = e.message;
  }
  bool promised = false;
  for (Event& e : events) {
    rounds_.see(e);
    if (e.what == What::granted) promised = !e.left || e.left->time > Duration{};
    e.at = {};
    e.clocks = {};
    if (!keeps_left_) keep_if_over(e);
    e.round = e.attempt = 0;
    if (e.fault > scripted) e.fault = 0;
    count_back(e, host < clients, last_sent);
  }
  return keep(std::move(events), promised);
}

Id EventLists::losses(int client, int server, const std::vector<int>& distances) {
  std::vector<Event> events;
  for (const int distance : distances) {
    Event lost{.what = What::drop};
    lost.host = client;
    lost.peer = server;
    lost.message = -distance;
    lost.word = "request";
    events.push_back(std::move(lost));
  }
  return keep(std::move(events), false);
}

Id EventLists::rewritten(Id id, const std::function<void(Event&)>& rewrite) {
  std::vector<Event> events = lists_[id];
  for (Event& event : events) rewrite(event);
  return keep(std::move(events), promised_[id]);
}

std::set<std::string> EventLists::outcomes(int clients) const {
  std::set<std::string> all;
  for (const std::vector<Event>& list : lists_) {
    for (const Event& e : list) {
      if (e.what == What::strike || e.what == What::heal) continue;
      StateEncoder into;
      into.number(static_cast<std::int64_t>(e.what));
      into.number(e.host < clients);
      into.text(e.word);
      into.number(e.error ? static_cast<std::int64_t>(*e.error) : -1);
      for (const harness::Effect& effect : e.effects) {
        into.number(static_cast<std::int64_t>(effect.change));
        into.text(effect.key);
      }
      all.insert(into.take());
    }
  }
  return all;
}

Id EventLists::keep(std::vector<Event> events, bool promised) {
  StateEncoder into;
  bool enters = false, contends = false, asks = false;
  for (const Event& e : events) {
    into.number(static_cast<std::int64_t>(e.what));
    into.number(e.host);
    into.number(e.peer);
    into.number(e.message);
    into.number(e.fault);
    into.text(e.word);
    into.text(e.lock);
    const bool counts = e.value && (e.what == What::granted || e.what == What::released || e.what == What::died);
    into.number(counts ? *e.value : -1);  // how often the client holds the lock now; how it died
    into.number(e.fence ? *e.fence * 2 : 1);
    into.number(e.error ? static_cast<std::int64_t>(*e.error) : -1);
    into.number(static_cast<std::int64_t>(e.effects.size()));
    for (const harness::Effect& effect : e.effects) {
      into.number(static_cast<std::int64_t>(effect.change));
      into.text(effect.key);
    }
    into.number(e.left ? e.left->time.count() * 2 : 1);
    if (e.left) into.text(e.left->clock);
    if (timed_) {
      into.number(e.what == What::strike && e.value ? *e.value : 0);  // how far a clock jumps, how fast it runs
      for (const harness::Effect& effect : e.effects) into.number(effect.ttl ? effect.ttl->count() : -1);
    }
    // A copy of everything, or one command.
    if (e.what == What::replicate) into.number(e.command->verb() == "FULLRESYNC");
    const bool at_resource = e.command && (e.command->verb() == "READ" || e.command->verb() == "WRITE");
    if (at_resource) into.command(*e.command, 0);
    if (at_resource && e.reply) into.reply(*e.reply, 0);
    enters |= e.what == What::enter;
    contends |= e.what == What::busy;
    asks |= e.what == What::attempt;
    if (e.what == What::strike && e.fault > 0) struck_.insert(e.fault);
  }
  into.number(promised);
  const auto [id, is_new] = interner_.add(into.take());
  if (is_new) {
    promised_.push_back(promised);
    lists_.push_back(std::move(events));
    enters_.push_back(enters);
    contends_.push_back(contends);
    asks_.push_back(asks);
  }
  return id;
}

}  // namespace lockproof::sim
