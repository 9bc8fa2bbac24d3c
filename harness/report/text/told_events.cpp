// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/told_events.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <utility>

#include "harness/check/properties.hpp"
#include "harness/report/text/columns.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/scenario/faults/fault_words.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::harness {
namespace {

/// A script, or all that a server says of itself, would hide the run; the history has it whole.
std::string brief(const Value& value, std::size_t most) { return shortened(printable(value.bytes()), most); }

std::string effects(const Event& event) {
  std::vector<std::string> all;
  for (const Effect& e : event.effects) {
    all.push_back(fmt::format("{} {}", e.event, e.key));
    if (e.ttl) all.back() += " in " + to_text(Duration(*e.ttl));
  }
  return printable(fmt::format("{}", fmt::join(all, ", ")));
}

std::string left(const Event& event) {
  return event.left ? fmt::format(", good for {}", check::seconds_text(event.left->time)) : "";
}

class Teller {
 public:
  Teller(const History& history, std::size_t most) : history_(history), most_(most), hidden_(history.events.size()) {}

  std::vector<ToldEvent> tell() {
    fold_polling();
    std::vector<ToldEvent> all;
    for (std::size_t i = 0; i < history_.events.size(); ++i) {
      if (const auto summary = summaries_.find(i); summary != summaries_.end())
        all.push_back({i, true, summary->second, ""});
      if (hidden_[i]) continue;
      const Event& event = history_.events[i];
      std::string said = printable(describe(event));
      if (said.empty()) continue;
      const bool has_effects = event.what == What::execute || event.what == What::replicate;
      all.push_back({i, false, std::move(said), has_effects ? effects(event) : ""});
    }
    return all;
  }

 private:
  [[nodiscard]] const std::string& peer(const Event& event) const { return history_.host_name(event.peer); }

  /// What a server does for a client that has not asked for it.
  std::string by_itself(const Event& e) const {
    const std::string_view what = e.command->verb();
    if (what == "turn") return fmt::format("gives {} its turn", peer(e));
    if (what == "session-end") return fmt::format("ends {}'s session", peer(e));
    if (what == "lease-end") return fmt::format("ends {}'s lease", peer(e));
    return fmt::format("learns that {}'s connection has ended", peer(e));
  }

  std::string describe(const Event& e) const {
    switch (e.what) {
      case What::start: return e.round > 1 ? fmt::format("begins round {}", e.round) : "";
      case What::send: return fmt::format("-> {}: {}", peer(e), text(*e.command, most_));
      case What::execute:
        if (e.message == 0) return by_itself(e);
        return fmt::format("runs {}'s {} = {}", peer(e), e.command->verb(), e.reply ? text(*e.reply, most_) : "?");
      case What::receive: return fmt::format("<- {}: {}", peer(e), text(*e.reply, most_));
      case What::discard:
        return fmt::format("<- {}: {}, too late: no call waits for it any more", peer(e), text(*e.reply, most_));
      case What::drop: return fmt::format("the {} of command {} to {} is lost", e.word, e.message, peer(e));
      case What::time_out: return fmt::format("gives up waiting for {}'s answer to command {}", peer(e), e.message);
      case What::refused: return fmt::format("{} refuses the connection", peer(e));
      case What::broken: return fmt::format("loses its connection to {}", peer(e));
      case What::replicate: return fmt::format("applies {} of {}", e.command->verb(), peer(e));
      case What::copy: return fmt::format("makes a copy of everything for {}", peer(e));
      case What::push: return fmt::format("is told on {}", e.word);
      case What::seek: return e.lock.empty() ? "wants the lock" : "wants" + of_lock(e);
      case What::failed:
        return fmt::format("attempt {}{}", ended(e), definite(*e.error) ? "" : ": it may hold the lock");
      case What::granted: return e.value ? fmt::format("acquires once more: depth {}", *e.value) : "";
      case What::enter: return "ENTERS" + of_lock(e) + (mode_of(e) == Mode::shared ? " to read" : "") + promise_of(e);
      case What::exit: return "leaves" + of_lock(e) + (e.word == "finished" ? "" : ": " + e.word);
      case What::released:
        return (e.error ? "release" + of_lock(e) + " " + ended(e) : fmt::format("released{}: {}", of_lock(e), e.word)) +
               (e.value ? fmt::format(", depth {}", *e.value) : "");
      case What::renewed: return "renewed" + of_lock(e) + left(e);
      case What::renewal_failed: return e.error ? "renewal " + ended(e) : "renewal finds the lock lost";
      case What::touch_failed: return "touch " + ended(e);
      case What::lost:
        return e.word == "notified" ? fmt::format("learns that the lock{} is lost", of_lock(e))
                                    : fmt::format("the lock{} is lost; the holder is not told", of_lock(e));
      case What::gave_up: return "gives up" + of_lock(e);
      case What::strike: return struck(e);
      case What::heal: return fmt::format("{} ends", e.word);
      case What::unmet: return fmt::format("never happened: {}", e.word);
      case What::end: return e.word == "finished" ? "end: nothing more can happen" : "end: the horizon is reached";
      default: return "";
    }
  }

  /// " b", of an event about a lock that is not the scenario's.
  static std::string of_lock(const Event& e) { return e.lock.empty() ? "" : " " + e.lock; }

  /// A program's own words say more than the error that they stand for.
  static std::string ended(const Event& e) {
    return e.word.empty() ? fmt::format("ends with {}", name(*e.error)) : fmt::format("fails: \"{}\"", e.word);
  }

  std::string struck(const Event& e) const {
    if (e.word == "failover" && e.fault == 0) {
      return fmt::format("FAILOVER by a sentinel that had not heard it for {}",
                         check::seconds_text(Duration(*e.value)));
    }
    if (e.word == "catch-up") return fmt::format("CATCHES UP with {}", history_.host_name(e.peer));
    if (e.word == "election") return "IS ELECTED: it leads from now on";
    if (e.word == "demotion") return "BECOMES A REPLICA of the new master";
    const FaultRow* const row = row_named(e.word);
    if (!row) return e.word;
    Amounts amounts;
    if (e.value) {
      const std::string time = to_text(Duration(*e.value));
      amounts = {{"time", time}, {"jump", (*e.value > 0 ? "+" : "") + time}, {"rate", percent_text(*e.value)}};
    }
    if (e.peer != no_host) amounts["peer"] = history_.host_name(e.peer);
    return fill(row->words.trace, amounts);
  }

  /// What the grant promised, from the `granted` event just before.
  std::string promise_of(const Event& enter) const {
    const auto grant = granted_.find({enter.host, enter.lock});
    return grant == granted_.end() ? "" : left(history_.events[grant->second]);
  }

  /// A client's attempts that followed each other, ended alike and changed nothing.
  struct Row {
    std::vector<std::vector<std::size_t>> attempts;  // events of each
    bool open = false;
    std::string outcome;  // busy, or in which words they failed
  };

  /// Hides the middle of a long row, and begins another one.
  void fold(Row& row) {
    const std::size_t count = row.attempts.size();
    if (count >= 4) {
      for (std::size_t a = 1; a + 1 < count; ++a) {
        for (const std::size_t i : row.attempts[a]) hidden_[i] = true;
      }
      summaries_[row.attempts[1].front()] =
          fmt::format("… {} more attempts, all {}, until {}", count - 2, row.outcome.empty() ? "busy" : "failed",
                      check::seconds_text(history_.events[row.attempts[count - 2].back()].at));
    }
    row = {};
  }

  /// The open attempt has ended with the event at this position. One that ended otherwise than those before it begins a
  /// row of its own.
  void end_attempt(Row& row, std::size_t position, std::string outcome) {
    if (!row.open) return;
    row.attempts.back().push_back(position);
    if (row.attempts.size() > 1 && outcome != row.outcome) {
      std::vector<std::size_t> last = std::move(row.attempts.back());
      row.attempts.pop_back();
      fold(row);
      row.attempts.push_back(std::move(last));
    }
    row.outcome = std::move(outcome);
    row.open = false;
  }

  /// Hides the middle of each row of attempts, and all that does not need a line of its own.
  void fold_polling() {
    std::map<HostIndex, Row> rows;
    const auto finish = [&](Row& row) {
      if (row.open) row.attempts.pop_back();
      fold(row);
    };
    for (std::size_t i = 0; i < history_.events.size(); ++i) {
      const Event& event = history_.events[i];
      if (event.what == What::granted) granted_[{event.host, event.lock}] = i;
      Row& row = rows[event.what == What::execute ? event.peer : event.host];
      switch (event.what) {
        case What::attempt:
          row.attempts.emplace_back();
          row.open = true;
          break;
        case What::busy: end_attempt(row, i, ""); break;
        case What::failed: end_attempt(row, i, describe(event)); break;
        case What::send:
        case What::receive:
        case What::execute:
          if (!event.effects.empty()) finish(row);
          break;
        case What::step:
        case What::read:
        case What::draw:
        case What::call:
        case What::answer: break;
        default: finish(row); break;
      }
      if (row.open) row.attempts.back().push_back(i);
    }
    for (auto& [client, row] : rows) finish(row);
  }

  const History& history_;
  const std::size_t most_;
  std::vector<bool> hidden_;
  std::map<std::size_t, std::string> summaries_;                      // shown before the event at this position
  std::map<std::pair<HostIndex, std::string>, std::size_t> granted_;  // the latest grant, by client and lock
};

}  // namespace

bool ends_work(const Event& event) {
  const bool killed = event.what == What::strike && (event.word == "crash" || event.word == "kill-task");
  return killed || event.what == What::exit;
}

std::string text(const Command& command, std::size_t most) {
  std::vector<std::string> words;
  if (!command.script().empty()) {
    words.push_back(command.script());
    for (std::size_t i = 3; i < command.args().size(); ++i) words.push_back(brief(command.args()[i], most));
  } else {
    for (const Value& word : command.args()) words.push_back(brief(word, most));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string text(const Reply& reply, std::size_t most) {
  switch (reply.kind()) {
    case Reply::Kind::nil: return "nil";
    case Reply::Kind::integer: return std::to_string(reply.integer());
    case Reply::Kind::status:
    case Reply::Kind::bulk: return brief(reply.value(), most);
    case Reply::Kind::error: return "error: " + brief(reply.value(), most);
    case Reply::Kind::array: break;
  }
  std::vector<std::string> items;
  for (const Reply& item : reply.items()) items.push_back(text(item, most));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::vector<ToldEvent> told_events(const History& history, std::size_t most) { return Teller(history, most).tell(); }

}  // namespace lockproof::harness
