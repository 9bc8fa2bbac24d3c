// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/postgres_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include "execution/judge/lines/lock_name.hpp"
#include "execution/judge/lines/stamped_line.hpp"

namespace lockproof::execution {
namespace {

using harness::Change;
using Kind = AdvisoryCall::Kind;

constexpr std::array<std::string_view, 9> severities{"LOG",    "ERROR",  "FATAL", "PANIC",    "WARNING",
                                                     "NOTICE", "DETAIL", "HINT",  "STATEMENT"};

std::optional<PostgresLine> postgres_line_from(std::string_view line, int number) {
  const auto stamped = stamped_line_from(line);
  if (!stamped) return std::nullopt;
  const std::string_view rest = stamped->text;
  const auto open = rest.find('['), close = rest.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close <= open + 1) return std::nullopt;
  const std::string_view process = rest.substr(open + 1, close - open - 1);
  if (process.find_first_not_of("0123456789-") != std::string_view::npos) return std::nullopt;
  for (const std::string_view severity : severities) {
    const auto at = rest.find(std::string(severity) + ":  ", close);
    if (at == std::string_view::npos) continue;
    PostgresLine made{number, stamped->at_us, std::string(process), "", std::string(severity), ""};
    const std::string_view between = rest.substr(close + 1, at - close - 1);
    const auto user = between.find('@');
    if (user != std::string_view::npos) {
      made.database = std::string(between.substr(user + 1, between.find_first_of(" ,:", user) - user - 1));
    }
    made.text = std::string(rest.substr(at + severity.size() + 3));
    return made;
  }
  return std::nullopt;
}

/// The statement that a line has; empty: it has none.
std::string_view statement_in(const PostgresLine& line) {
  const std::string_view text = line.text;
  if (line.severity != "LOG") return "";
  if (text.starts_with("statement: ")) return text.substr(11);
  const auto colon = text.find(": ");
  return text.starts_with("execute ") && colon != std::string_view::npos ? text.substr(colon + 2) : "";
}

std::string first_word(std::string_view sql) {
  const auto begin = std::min(sql.find_first_not_of(" \t\n("), sql.size());
  return lower_case(sql.substr(begin, sql.find_first_of(" \t\n;", begin) - begin));
}

class PostgresReplay {
 public:
  explicit PostgresReplay(const std::vector<PostgresLine>& lines) : lines_(lines) {}

  ReplayedLog run() {
    log_.service = Service::postgres;
    log_.precision_us = 1000;
    for (at_ = 0; at_ < lines_.size(); ++at_) read();
    log_.begin_us = lines_.front().at_us;
    log_.end_us = lines_.back().at_us;
    return std::move(log_);
  }

 private:
  struct Session {
    int number = 0;
    bool in_transaction = false;
    std::optional<std::string> waits{};  // for this key
  };
  struct Holder {
    std::string session;
    int count = 1;
    bool of_transaction = false;
  };

  void read() {
    const PostgresLine& line = lines_[at_];
    const bool logs_ends = line.text.starts_with("duration: ") && line.text.find("advisory") != std::string::npos;
    if (logs_ends)
      log_.lacks = "statements are logged when they end: set log_statement, and not log_min_duration_statement";
    if (line.severity == "PANIC" || line.text.starts_with("database system")) return free_all();
    if (line.severity == "FATAL" || line.text.starts_with("disconnection: ")) return end_session(line.process);
    if (line.severity == "ERROR") return fail(line.process);
    const std::string_view sql = statement_in(line);
    if (sql.empty()) return;
    Session& session = session_of(line.process);
    require_granted(session);
    const AdvisoryCall call = advisory_call_in(sql, parameters_of());
    if (call.kind == Kind::unclear) {
      log_.lacks = fmt::format("line {} of the server's log has a call that is not followed", line.number);
    }
    const std::string key = line.database.empty() ? call.key : line.database + "/" + call.key;
    const std::string word = first_word(sql);
    add_execution(session, call, key);
    switch (call.kind) {
      case Kind::lock:
      case Kind::try_lock: ask(line.process, key, call); break;
      case Kind::unlock: unlock(line.process, key); break;
      case Kind::unlock_all: free_of(line.process, false); break;
      case Kind::none:
      case Kind::unclear: break;
    }
    if (word == "discard") free_of(line.process, false);
    if (word == "begin" || word == "start") session.in_transaction = true;
    const bool is_end = word == "commit" || word == "end" || word == "rollback" || word == "abort";
    if (is_end && lower_case(sql).find(" to ") == std::string::npos) session.in_transaction = false;
    if (!session.in_transaction) free_of(line.process, true);
  }

  Session& session_of(const std::string& process) {
    const auto [known, is_new] = sessions_.emplace(process, Session{static_cast<int>(log_.connections.size())});
    if (is_new) log_.connections.push_back(process);
    return known->second;
  }

  /// Of the statement of this line; they follow it.
  [[nodiscard]] std::string_view parameters_of() const {
    const PostgresLine* const next = next_of_session();
    if (!next || next->severity != "DETAIL") return "";
    const auto at = lower_case(next->text).find("parameters: ");
    return at == std::string::npos ? std::string_view() : std::string_view(next->text).substr(at + 12);
  }
  [[nodiscard]] const PostgresLine* next_of_session() const {
    for (std::size_t i = at_ + 1; i < lines_.size(); ++i) {
      if (lines_[i].process == lines_[at_].process) return &lines_[i];
    }
    return nullptr;
  }
  /// The server says that this session had not what it gave back.
  [[nodiscard]] bool is_warned() const {
    for (std::size_t i = at_ + 1; i < lines_.size(); ++i) {
      if (lines_[i].process != lines_[at_].process) continue;
      if (lines_[i].severity == "WARNING") return lines_[i].text.find("own a lock") != std::string::npos;
      if (!statement_in(lines_[i]).empty()) return false;
    }
    return false;
  }

  void add_execution(const Session& session, const AdvisoryCall& call, const std::string& key) {
    ServerExecution done{
        .at_us = lines_[at_].at_us, .line = lines_[at_].number, .connection = session.number, .words = {}};
    const bool asks = call.kind == Kind::lock || call.kind == Kind::try_lock;
    done.words.emplace_back(asks ? "ADVISORY-LOCK" : call.kind == Kind::unlock ? "ADVISORY-UNLOCK" : "SQL");
    if (asks || call.kind == Kind::unlock) done.words.emplace_back(key);
    log_.executions.push_back(std::move(done));
  }

  void grant(const std::string& process, const std::string& key, bool of_transaction, bool sure) {
    holders_[key] = {process, 1, of_transaction};
    ServerExecution& done = log_.executions.back();
    done.effects.push_back({Change::acquired, "locked", key, {}});
    done.sure = sure;
  }

  void ask(const std::string& process, const std::string& key, const AdvisoryCall& call) {
    const bool is_known = !known_.insert(key).second;
    const auto holder = holders_.find(key);
    if (holder == holders_.end()) return grant(process, key, call.of_transaction, is_known);
    if (holder->second.session == process) {
      ++holder->second.count;
      log_.executions.back().effects.push_back({Change::changed, "locked", key, {}});
    } else if (call.kind == Kind::lock) {
      session_of(process).waits = key;
      queues_[key].push_back({process, 1, call.of_transaction});
    }
  }

  void unlock(const std::string& process, const std::string& key) {
    known_.insert(key);
    const auto holder = holders_.find(key);
    const bool is_own = holder != holders_.end() && holder->second.session == process && !holder->second.of_transaction;
    if (is_own == is_warned()) {
      log_.executions.back().lacks = is_own ? "gives back what the server says it had not"
                                            : "gives back what nobody saw it take: the log begins later, or the end of "
                                              "a session is not in it (log_disconnections)";
    }
    if (is_own && --holder->second.count == 0) free_key(key, Change::released, log_.executions.size() - 1);
  }

  /// The key is nobody's, or that of who has waited longest. `by`: the execution that did it.
  void free_key(const std::string& key, Change how, std::size_t by) {
    log_.executions[by].effects.push_back({how, "freed", key, {}});
    holders_.erase(key);
    std::deque<Holder>& queue = queues_[key];
    if (queue.empty()) return;
    const Holder next = queue.front();
    queue.pop_front();
    Session& session = session_of(next.session);
    session.waits.reset();
    ServerExecution granted{.at_us = lines_[at_].at_us,
                            .line = lines_[at_].number,
                            .connection = session.number,
                            .words = {Value("ADVISORY-LOCK"), Value(key)}};
    log_.executions.push_back(std::move(granted));
    grant(next.session, key, next.of_transaction, true);
  }

  void free_of(const std::string& process, bool of_transaction) {
    std::vector<std::string> keys;
    for (const auto& [key, holder] : holders_) {
      if (holder.session == process && holder.of_transaction == of_transaction) keys.push_back(key);
    }
    const std::size_t by = log_.executions.size() - 1;
    for (const std::string& key : keys) free_key(key, Change::released, by);
  }

  void end_session(const std::string& process) {
    if (!sessions_.contains(process)) return;
    fail(process);
    for (const bool of_transaction : {false, true}) {
      std::vector<std::string> keys;
      for (const auto& [key, holder] : holders_) {
        if (holder.session == process && holder.of_transaction == of_transaction) keys.push_back(key);
      }
      for (const std::string& key : keys) {
        add_end(process, key);
        free_key(key, Change::evicted, log_.executions.size() - 1);
      }
    }
  }

  void add_end(const std::string& process, const std::string& key) {
    log_.executions.push_back({.at_us = lines_[at_].at_us,
                               .line = lines_[at_].number,
                               .connection = session_of(process).number,
                               .words = {Value("DISCONNECT"), Value(key)}});
  }

  void free_all() {
    std::set<std::string> processes;
    for (const auto& [key, queue] : queues_) {
      for (const Holder& waiting : queue) session_of(waiting.session).waits.reset();
    }
    queues_.clear();
    for (const auto& [key, holder] : holders_) processes.insert(holder.session);
    for (const std::string& process : processes) end_session(process);
  }

  /// It waits no more.
  void fail(const std::string& process) {
    const auto session = sessions_.find(process);
    if (session == sessions_.end() || !session->second.waits) return;
    std::erase_if(queues_[*session->second.waits], [&](const Holder& one) { return one.session == process; });
    session->second.waits.reset();
  }

  /// A session that goes on has got what it waited for: then another one's end is not in the log.
  void require_granted(Session& session) {
    if (!session.waits) return;
    log_.lacks = fmt::format(
        "the session of line {} of the server's log goes on, and nobody is seen to give back what it waited for",
        lines_[at_].number);
    fail(lines_[at_].process);
  }

  const std::vector<PostgresLine>& lines_;
  std::size_t at_ = 0;
  std::map<std::string, Session> sessions_;           // by process
  std::map<std::string, Holder> holders_;             // by key
  std::map<std::string, std::deque<Holder>> queues_;  // who waits for a key
  std::set<std::string> known_;                       // keys that were used before
  ReplayedLog log_;
};

}  // namespace

std::optional<std::vector<PostgresLine>> postgres_lines_in(const std::vector<std::string_view>& lines) {
  std::vector<PostgresLine> read;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (auto line = postgres_line_from(lines[i], static_cast<int>(i) + 1)) {
      read.push_back(std::move(*line));
    } else if (!read.empty()) {
      read.back().text += "\n" + std::string(lines[i]);  // a statement of several lines
    } else if (!lines[i].empty()) {
      return std::nullopt;
    }
  }
  std::ranges::stable_sort(read, {}, &PostgresLine::at_us);
  return read.empty() ? std::nullopt : std::optional(std::move(read));
}

ReplayedLog replay_postgres(const std::vector<PostgresLine>& lines) { return PostgresReplay(lines).run(); }

}  // namespace lockproof::execution
