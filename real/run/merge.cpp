// SPDX-License-Identifier: Apache-2.0
#include "real/run/merge.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace lockproof::real {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

using MessageId = std::tuple<HostIndex, HostIndex, int>;  // client, server, number

/// A client's command: pointers to its events in the list of those that clients noted.
struct SentCommand {
  const StampedEvent* send;
  const StampedEvent* receive = nullptr;  // or discard
  bool executed = false;
};

/// What is known about one execution before its place is fixed.
struct PlacedExecution {
  Event event;
  Duration least{}, most{Duration::max()};  // the earliest and the latest possible instant
  SentCommand* sent = nullptr;              // null: not a client's command
};

class Merger {
 public:
  explicit Merger(std::vector<StampedEvent> events) : events_(std::move(events)) {
    std::ranges::stable_sort(events_, {}, [](const StampedEvent& s) { return std::pair(s.event.at, s.sequence); });
    for (const StampedEvent& s : events_) {
      if (s.event.what == What::send) {
        const auto [added, is_new] = sent_.emplace(id_of(s.event), SentCommand{&s});
        owners_[{s.event.peer, s.port}] = s.event.host;
        if (is_new) waiting_[{s.event.peer, s.port}].push_back(&added->second);
      }
      if (s.event.what != What::receive && s.event.what != What::discard) continue;
      if (const auto found = sent_.find(id_of(s.event)); found != sent_.end()) found->second.receive = &s;
    }
  }

  void add(const ServerLog& log) {
    std::vector<PlacedExecution> placed;
    for (const Execution& execution : log.executions) {
      if (SentCommand* sent = !execution.act.empty() ? nullptr : find(log.server, execution)) {
        sent->executed = true;
        const Command& command = *sent->send->event.command;
        auto effects = execution.effects_of ? execution.effects_of(command) : execution.effects;
        placed.push_back(place(*sent, log.server, std::move(effects), execution.at));
      } else if (auto other = of_nobody(log, execution)) {
        other->at = execution.at;
        placed.push_back({.event = std::move(*other)});
      }
    }
    fix(placed);
    add_unseen(log.server);
    for (const auto& [mark, stamped] : log.marked) {
      if (!found_marks_.contains(mark)) executions_.emplace_back(key(stamped), stamped.event);
    }
  }

  std::vector<Event> take(Duration end) {
    std::vector<Event> merged;
    std::ranges::stable_sort(executions_, {}, &std::pair<Key, Event>::first);
    auto next = executions_.begin();
    for (StampedEvent& s : events_) {
      for (; next != executions_.end() && next->first < key(s); ++next) merged.push_back(std::move(next->second));
      merged.push_back(std::move(s.event));
    }
    for (; next != executions_.end(); ++next) merged.push_back(std::move(next->second));
    std::erase_if(merged,
                  [&](const Event& e) { return (e.what == What::execute || e.what == What::replicate) && e.at > end; });
    return merged;
  }

 private:
  using Key = std::pair<Duration, std::uint64_t>;  // twice the sequence, so that executions fit in between
  static Key key(const StampedEvent& s) { return {s.event.at, 2 * s.sequence}; }
  static MessageId id_of(const Event& e) { return {e.host, e.peer, e.message}; }

  /// The first command on this connection with these words, or with any if they are not known, that is not accounted
  /// for yet; it is taken off the list.
  SentCommand* find(HostIndex server, const Execution& execution) {
    std::deque<SentCommand*>& waiting = waiting_[{server, execution.port}];
    const auto found = std::ranges::find_if(waiting, [&](const SentCommand* sent) {
      return execution.effects_of || sent->send->event.command->args() == execution.words;
    });
    if (found == waiting.end()) return nullptr;
    SentCommand* const sent = *found;
    waiting.erase(found);
    return sent;
  }

  /// The event for what a server did that no client asked for: a fault that we injected there, or its master's command.
  /// Nothing: our own handshakes, and what keeps a replica's link alive.
  std::optional<Event> of_nobody(const ServerLog& log, const Execution& execution) {
    if (!execution.mark.empty()) {
      const auto marked = log.marked.find(execution.mark);
      if (marked == log.marked.end() || !found_marks_.insert(marked->first).second) return std::nullopt;
      return marked->second.event;
    }
    auto owner = owners_.find({log.server, execution.port});
    if (owner == owners_.end()) {  // an ensemble's leader acts for the clients of all its servers
      owner = std::ranges::find(owners_, execution.port, [](const auto& one) { return one.first.second; });
    }
    if (!execution.act.empty() && owner != owners_.end()) {
      Event event{.what = What::execute};
      event.host = log.server;
      event.peer = owner->second;
      event.command = Command(std::vector<Value>{Value(execution.act)});
      event.effects = execution.effects;
      return event;
    }
    const auto master = log.masters.find(execution.port);
    if (master == log.masters.end() || execution.upkeep) return std::nullopt;
    Event event{.what = What::replicate};
    event.host = log.server;
    event.peer = master->second;
    event.command = Command(execution.words);
    event.effects = execution.effects;
    return event;
  }

  static PlacedExecution place(SentCommand& sent, HostIndex server, std::vector<harness::Effect> effects, Duration at) {
    const Event& send = sent.send->event;
    PlacedExecution placed{.event = Event{.what = What::execute}, .least = send.at, .sent = &sent};
    placed.event.host = server;
    placed.event.at = at;
    placed.event.peer = send.host;
    placed.event.message = send.message;
    placed.event.command = send.command;
    placed.event.effects = std::move(effects);
    if (sent.receive) {
      placed.event.reply = sent.receive->event.reply;
      placed.most = sent.receive->event.at;
    }
    return placed;
  }

  /// Keeps the server's order and every command between its sending and its reply, whatever the stamps say.
  void fix(std::vector<PlacedExecution>& placed) {
    for (std::size_t i = 1; i < placed.size(); ++i) placed[i].least = std::max(placed[i].least, placed[i - 1].least);
    for (std::size_t i = placed.size(); i-- > 1;) placed[i - 1].most = std::min(placed[i - 1].most, placed[i].most);
    Duration before{};
    for (PlacedExecution& p : placed) {
      p.event.at = std::max(std::min(std::max(p.event.at, p.least), std::max(p.most, p.least)), before);
      before = p.event.at;
      put(std::move(p));
    }
  }

  void put(PlacedExecution placed) {
    const Duration at = placed.event.at;
    std::uint64_t order = placed.sent ? 2 * placed.sent->send->sequence + 1 : 0;
    const StampedEvent* receive = placed.sent ? placed.sent->receive : nullptr;
    if (receive && receive->event.at == at) order = 2 * receive->sequence - 1;
    Key key{at, order};
    if (!executions_.empty() && executions_.back().second.host == placed.event.host) {
      key = std::max(key, executions_.back().first);  // the server's order
    }
    executions_.emplace_back(key, std::move(placed.event));
  }

  /// A reply came, and still there is no evidence of the command: a server need not show what it rejects, and the last
  /// records of a killed server are lost.
  void add_unseen(HostIndex server) {
    for (auto& [id, sent] : sent_) {
      if (std::get<1>(id) != server || sent.executed || !sent.receive) continue;
      sent.executed = true;
      PlacedExecution unseen = place(sent, server, {}, sent.receive->event.at);
      executions_.emplace_back(Key{unseen.event.at, 2 * sent.receive->sequence - 1}, std::move(unseen.event));
    }
  }

  std::vector<StampedEvent> events_;
  std::map<MessageId, SentCommand> sent_;
  std::map<std::pair<HostIndex, int>, std::deque<SentCommand*>>
      waiting_;                                            // for their execution, by server and connection
  std::map<std::pair<HostIndex, int>, HostIndex> owners_;  // the client, by server and connection
  std::set<std::string> found_marks_;
  std::vector<std::pair<Key, Event>> executions_;
};

}  // namespace

std::vector<Event> merge(std::vector<StampedEvent> events, const std::vector<ServerLog>& logs, Duration end) {
  Merger merger(std::move(events));
  for (const ServerLog& log : logs) merger.add(log);
  return merger.take(end);
}

}  // namespace lockproof::real
