// SPDX-License-Identifier: Apache-2.0
#include "harness/report/trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "harness/check/properties.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::harness {
namespace {

// Columns. Of a value: names of 36 characters fit, and short statements in SQL.
constexpr std::size_t longest_value = 100, between = 2;

/// A script, or all that a server says of itself, would hide the run; the history has it whole.
class Words {
 public:
  explicit Words(std::size_t columns) : most_(std::min(columns * 3 / 4, longest_value)) {}

  [[nodiscard]] std::string of(const Command& command) const {
    std::vector<std::string> words;
    if (!command.script().empty()) {
      words.push_back(command.script());
      for (std::size_t i = 3; i < command.args().size(); ++i) words.push_back(brief(command.args()[i]));
    } else {
      for (const Value& word : command.args()) words.push_back(brief(word));
    }
    return fmt::format("{}", fmt::join(words, " "));
  }

  [[nodiscard]] std::string of(const Reply& reply) const {
    switch (reply.kind()) {
      case Reply::Kind::nil: return "nil";
      case Reply::Kind::integer: return std::to_string(reply.integer());
      case Reply::Kind::status:
      case Reply::Kind::bulk: return brief(reply.value());
      case Reply::Kind::error: return "error: " + brief(reply.value());
      case Reply::Kind::array: break;
    }
    std::vector<std::string> items;
    for (const Reply& item : reply.items()) items.push_back(of(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }

 private:
  [[nodiscard]] std::string brief(const Value& value) const { return shortened(printable(value.bytes()), most_); }

  const std::size_t most_;
};

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

/// "client-1, 2": what the first name ends with, and the others, of which only that differs.
std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const std::size_t stem = name.rfind('-') + 1;
    const bool alike = !text.empty() && names.front().compare(0, stem, name, 0, stem) == 0;
    text += (text.empty() ? "" : ", ") + name.substr(alike ? stem : 0);
  }
  return text;
}

/// One event as the table has it.
struct TableRow {
  std::string time, host, said, effects, inside;
  bool alarming = false, faint = false, crowded = false;
};

/// Columns as wide as what is in them; the events take what the width leaves.
class Table {
 public:
  Table(std::vector<TableRow> rows, const Style& style) : rows_(std::move(rows)), style_(style) {
    std::size_t widest = 0;
    for (const TableRow& row : rows_) {
      time_ = std::max(time_, row.time.size());
      host_ = std::max(host_, columns_of(row.host));
      inside_ = std::max(inside_, columns_of(row.inside));
      widest = std::max(widest, columns_of(whole(row)));
    }
    inside_ = std::min(inside_, style_.columns() / 4);
    if (inside_ > 0) inside_ = std::max(inside_, std::string_view("inside").size());
    event_ = std::min(widest, style_.columns() - begin() - (inside_ > 0 ? inside_ + between : 0));
  }

  [[nodiscard]] std::string text() const {
    const std::string heading =
        fmt::format("{:>{}}  {:<{}}  {:<{}}{}", "time (s)", time_, "host", host_, inside_ > 0 ? "event" : "",
                    inside_ > 0 ? event_ + between : 0, inside_ > 0 ? "inside" : "event");
    std::string all = style_.strong(heading) + "\n";
    for (const TableRow& row : rows_) all += lines(row);
    return all;
  }

 private:
  static constexpr std::size_t deeper = 2;

  [[nodiscard]] std::size_t begin() const { return time_ + host_ + 2 * between; }
  static std::string whole(const TableRow& row) {
    return row.effects.empty() ? row.said : row.said + "   " + row.effects;
  }

  /// What an event says, in lines of this width; what comes of it stands apart where it does not fit beside it.
  static std::vector<std::string> said(const TableRow& row, std::size_t columns) {
    std::string text = wrapped(whole(row), columns, deeper, LongWords::are_cut);
    if (!row.effects.empty() && columns_of(whole(row)) > columns) {
      text = wrapped(row.said, columns, deeper, LongWords::are_cut) + "\n" +
             wrapped(std::string(deeper, ' ') + row.effects, columns, deeper, LongWords::are_cut);
    }
    std::vector<std::string> lines{""};
    for (const char c : text) c == '\n' ? void(lines.emplace_back()) : lines.back().push_back(c);
    return lines;
  }

  [[nodiscard]] std::string lines(const TableRow& row) const {
    const std::size_t free = row.inside.empty() ? style_.columns() - begin() : event_;
    std::string all;
    for (const std::string& line : said(row, free)) {
      const bool first = all.empty();
      all += fmt::format("{:>{}}  {:<{}}  ", first ? row.time : "", time_, first ? row.host : "", host_);
      all += row.alarming ? style_.bad(line) : row.faint ? style_.faint(line) : line;
      if (first && !row.inside.empty()) {
        const std::string who = shortened(row.inside, inside_);
        all += std::string(event_ + between - columns_of(line), ' ') + (row.crowded ? style_.bad(who) : who);
      }
      all.erase(all.find_last_not_of(' ') + 1);
      all += "\n";
    }
    return all;
  }

  const std::vector<TableRow> rows_;
  const Style& style_;
  std::size_t time_ = std::string_view("time (s)").size(), host_ = std::string_view("host").size();
  std::size_t inside_ = 0, event_ = 0;
};

class Writer {
 public:
  Writer(const History& history, const Style& style)
      : history_(history), style_(style), words_(style.columns()), hidden_(history.events.size()) {}

  std::string write() {
    fold_polling();
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < history_.events.size(); ++i) {
      const Event& event = history_.events[i];
      track(event);
      if (const auto summary = summaries_.find(i); summary != summaries_.end()) {
        rows.push_back(row(event, summary->second));
        rows.back().faint = true;
      }
      if (hidden_[i]) continue;
      const std::string said = printable(describe(event));
      if (said.empty()) continue;
      rows.push_back(row(event, said));
      if (event.what == What::execute || event.what == What::replicate) rows.back().effects = effects(event);
      rows.back().alarming = event.what == What::strike || (event.what == What::enter && inside_.size() > 1);
    }
    return Table(std::move(rows), style_).text();
  }

 private:
  [[nodiscard]] const std::string& peer(const Event& event) const { return history_.host_name(event.peer); }

  [[nodiscard]] TableRow row(const Event& event, const std::string& said) const {
    std::vector<std::string> names;
    for (const HostIndex client : inside_) names.push_back(history_.host_name(client));
    return {.time = fmt::format("{}.{:06}", event.at.count() / 1'000'000, event.at.count() % 1'000'000),
            .host = event.host == no_host ? "" : history_.host_name(event.host),
            .said = said,
            .inside = names_text(names),
            .crowded = names.size() > 1};
  }

  void track(const Event& event) {
    if (event.what == What::enter) inside_.insert(event.host);
    if (event.what == What::exit || ends_work(event)) inside_.erase(event.host);
  }

  static bool ends_work(const Event& e) {
    return e.what == What::strike && (e.word == "crash" || e.word == "kill-task");
  }

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
      case What::send: return fmt::format("-> {}: {}", peer(e), words_.of(*e.command));
      case What::execute:
        if (e.message == 0) return by_itself(e);
        return fmt::format("runs {}'s {} = {}", peer(e), e.command->verb(), e.reply ? words_.of(*e.reply) : "?");
      case What::receive: return fmt::format("<- {}: {}", peer(e), words_.of(*e.reply));
      case What::discard:
        return fmt::format("<- {}: {}, too late: no call waits for it any more", peer(e), words_.of(*e.reply));
      case What::drop: return fmt::format("the {} of command {} to {} is lost", e.word, e.message, peer(e));
      case What::time_out: return fmt::format("gives up waiting for {}'s answer to command {}", peer(e), e.message);
      case What::refused: return fmt::format("{} refuses the connection", peer(e));
      case What::broken: return fmt::format("loses its connection to {}", peer(e));
      case What::replicate: return fmt::format("applies {} of {}", e.command->verb(), peer(e));
      case What::copy: return fmt::format("makes a copy of everything for {}", peer(e));
      case What::push: return fmt::format("is told on {}", e.word);
      case What::failed:
        return fmt::format("attempt {}{}", ended(e), definite(*e.error) ? "" : ": it may hold the lock");
      case What::granted: return e.value ? fmt::format("acquires once more: depth {}", *e.value) : "";
      case What::enter: return "ENTERS" + promise_of(e.host);
      case What::exit: return e.word == "finished" ? "leaves" : fmt::format("leaves: {}", e.word);
      case What::released:
        return (e.error ? "release " + ended(e) : fmt::format("released: {}", e.word)) +
               (e.value ? fmt::format(", depth {}", *e.value) : "");
      case What::renewed: return "renewed" + left(e);
      case What::renewal_failed: return e.error ? "renewal " + ended(e) : "renewal finds the lock lost";
      case What::lost:
        return e.word == "notified" ? "learns that the lock is lost" : "the lock is lost; the holder is not told";
      case What::gave_up: return "gives up";
      case What::strike: return struck(e);
      case What::heal: return fmt::format("{} ends", e.word);
      case What::unmet: return fmt::format("never happened: {}", e.word);
      case What::end: return e.word == "finished" ? "end: nothing more can happen" : "end: the horizon is reached";
      default: return "";
    }
  }

  /// A program's own words say more than the error that they stand for.
  static std::string ended(const Event& e) {
    return e.word.empty() ? fmt::format("ends with {}", name(*e.error)) : fmt::format("fails: \"{}\"", e.word);
  }

  std::string struck(const Event& e) const {
    const std::string time = e.value ? to_text(Duration(*e.value)) : "";
    if (e.word == "pause") return "PAUSED for " + time;
    if (e.word == "suspend") return fmt::format("SUSPENDED for {}, its monotonic clock too", time);
    if (e.word == "clock-jump") return fmt::format("CLOCK JUMPS by {}{}", *e.value > 0 ? "+" : "", time);
    if (e.word == "clock-rate") return fmt::format("CLOCKS RUN at {:+} ppb", *e.value);
    if (e.word == "crash") return "CRASHES";
    if (e.word == "kill-task") return "WORKER DIES, its process goes on";
    if (e.word == "drop") return "CONNECTION GOES SILENT";
    if (e.word == "delay") return fmt::format("MESSAGE DELAYED by {}", time);
    if (e.word == "resend") return fmt::format("REPLY LOST, sent again after {}", time);
    if (e.word == "retry") return "CALL TIMES OUT, its library sends the command again";
    if (e.word == "pool-switch") return "GETS ANOTHER CONNECTION from its pool";
    if (e.word == "break-connection") return "CONNECTION BREAKS";
    if (e.word == "partition") {
      return e.peer == harness::no_host ? "CUT OFF for " + time
                                        : fmt::format("CUT OFF from {} for {}", history_.host_name(e.peer), time);
    }
    if (e.word == "restart") return fmt::format("RESTARTS, down for {}", time);
    if (e.word == "power-cut") return fmt::format("LOSES POWER, down for {}", time);
    if (e.word == "failover" && e.fault == 0) {
      const Duration silent(*e.value);
      return fmt::format("FAILOVER by a sentinel that had not heard it for {}", check::seconds_text(silent));
    }
    if (e.word == "failover") return "FAILOVER: a replica is promoted";
    if (e.word == "catch-up") return fmt::format("CATCHES UP with {}", history_.host_name(e.peer));
    if (e.word == "election") return "IS ELECTED: it leads from now on";
    if (e.word == "demotion") return "BECOMES A REPLICA of the new master";
    if (e.word == "replication-stall") return fmt::format("REPLICATION STALLS for {}", time);
    if (e.word == "evict") return "EVICTS the lock's key";
    if (e.word == "script-flush") return "FORGETS its scripts";
    if (e.word == "client-pause") return fmt::format("IS TOLD TO PAUSE its clients for {}", time);
    return e.word == "flush" ? "IS FLUSHED" : e.word;
  }

  /// What the grant promised, from the `granted` event just before.
  std::string promise_of(HostIndex client) const {
    const auto grant = granted_.find(client);
    return grant == granted_.end() ? "" : left(history_.events[grant->second]);
  }

  /// Hides the middle of each row of busy attempts, and all that does not need a line of its own.
  void fold_polling() {
    struct Row {
      std::vector<std::vector<std::size_t>> attempts;  // events of each
      bool open = false;
    };
    std::map<HostIndex, Row> rows;
    const auto finish = [&](Row& row) {
      const std::size_t busy = row.attempts.size();
      if (busy >= 4) {
        for (std::size_t a = 1; a + 1 < busy; ++a) {
          for (const std::size_t i : row.attempts[a]) hidden_[i] = true;
        }
        summaries_[row.attempts[1].front()] =
            fmt::format("… {} more attempts, all busy, until {}", busy - 2,
                        check::seconds_text(history_.events[row.attempts[busy - 2].back()].at));
      }
      row = {};
    };
    for (std::size_t i = 0; i < history_.events.size(); ++i) {
      const Event& event = history_.events[i];
      if (event.what == What::granted) granted_[event.host] = i;
      const HostIndex client = event.what == What::execute ? event.peer : event.host;
      Row& row = rows[client];
      switch (event.what) {
        case What::attempt:
          row.attempts.emplace_back();
          row.open = true;
          break;
        case What::busy: row.open = false; break;
        case What::send:
        case What::receive:
        case What::execute:
          if (!event.effects.empty()) row.open ? row.attempts.pop_back(), finish(row) : finish(row);
          break;
        case What::step:
        case What::read:
        case What::draw:
        case What::call:
        case What::answer: break;
        default:
          if (row.open) row.attempts.pop_back();
          finish(row);
          break;
      }
      if (row.open && !row.attempts.empty()) row.attempts.back().push_back(i);
    }
    for (auto& [client, row] : rows) finish(row);
  }

  const History& history_;
  const Style& style_;
  const Words words_;
  std::vector<bool> hidden_;
  std::map<std::size_t, std::string> summaries_;  // shown before the event at this position
  std::map<HostIndex, std::size_t> granted_;
  std::set<HostIndex> inside_;
};

}  // namespace

std::string trace(const History& history, const Style& style) { return Writer(history, style).write(); }

}  // namespace lockproof::harness
