// SPDX-License-Identifier: Apache-2.0
#include "harness/record/rerun_difference.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "harness/record/rerun.hpp"

namespace lockproof::harness {
namespace {

/// Applies a transformation to recorded values.
class Transformer {
 public:
  Transformer(const History& history, const Transformation& how) : how_(how) {
    // A real server's answer is bytes without a mark: the mark is that of the same bytes when they were sent.
    for (const Event& event : history.events) {
      if (!event.command) continue;
      for (const Value& word : event.command->args()) {
        if (word.mark() != Value::Mark::text) marks_.emplace(word.bytes(), word.mark());
      }
    }
  }

  [[nodiscard]] Value value(const Value& v) const {
    const auto known = marks_.find(v.bytes());
    const Value::Mark mark = known == marks_.end() ? v.mark() : known->second;
    if (mark == Value::Mark::token && how_.token) return Value(how_.token(v.bytes()), mark);
    if (mark == Value::Mark::stamp) {
      if (const auto i = Clock::read(v)) return Clock::write(*i + how_.wall);
    }
    return v;
  }

  [[nodiscard]] Reply reply(const Reply& r) const {
    if (r.kind() == Reply::Kind::bulk) return Reply::bulk(value(r.value()));
    if (r.kind() != Reply::Kind::array) return r;
    std::vector<Reply> items;
    for (const Reply& item : r.items()) items.push_back(reply(item));
    return Reply::array(std::move(items));
  }

  /// An event as the transformed process would have made it, without what the world stamped on it.
  [[nodiscard]] Event event(Event e) const {
    e = unstamped(std::move(e));
    if (e.token) e.token = value(*e.token);
    if (e.reply) e.reply = reply(*e.reply);
    if (e.command) {
      std::vector<Value> words;
      for (const Value& word : e.command->args()) words.push_back(value(word));
      const std::string& script = e.command->script();
      e.command = script.empty() ? Command(std::move(words)) : Command(Script{script, ""}, std::move(words));
    }
    if (e.what == What::read) *e.value += e.word == "wall" ? Duration(how_.wall).count() : how_.mono.count();
    return e;
  }

 private:
  const Transformation& how_;
  std::map<std::string, Value::Mark, std::less<>> marks_;
};

}  // namespace

std::optional<std::string> rerun_difference(const History& history, HostIndex client, const Scenario& scenario,
                                            const Transformation& transformation) {
  const Transformer transformer(history, transformation);
  std::vector<Event> entries;
  for (const Event& event : history.events) {
    if (event.host == client && of_process(event.what)) entries.push_back(transformer.event(event));
  }
  const std::size_t recorded = entries.size();
  try {
    Rerun rerun(std::move(entries), history.header, scenario, client);
    while (!rerun.ended()) {
      if (rerun.next().what == What::answer) {
        rerun.answer(rerun.recorded_answer());
      } else {
        rerun.step();
      }
    }
  } catch (const Difference& difference) {
    // A real process can be ended within a step, so its record can be shorter than what it would have done.
    if (history.header.world == "real" && difference.entry > recorded) return std::nullopt;
    return fmt::format("{}: entry {}: {} was recorded, {} came", history.host_name(client), difference.entry,
                       difference.recorded, difference.came);
  }
  return std::nullopt;
}

}  // namespace lockproof::harness
