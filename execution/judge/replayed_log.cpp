// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/replayed_log.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "harness/sha1.hpp"
#include "sim/services/redis/node.hpp"

namespace lockproof::execution {
namespace {

using harness::Change;
using harness::Effect;

constexpr std::int64_t tick_us = 1000;
constexpr std::string_view of_script = "lua";

/// Of these the log has the calls, or they change no key and might hold up the simulated server.
bool is_run(std::string_view verb) {
  constexpr std::string_view left_out[] = {"EVAL",       "EVALSHA",    "EVAL_RO", "EVALSHA_RO", "FCALL",  "FCALL_RO",
                                           "CLIENT",     "WAIT",       "WAITAOF", "SUBSCRIBE",  "SCRIPT", "FUNCTION",
                                           "PSUBSCRIBE", "SSUBSCRIBE", "HELLO",   "AUTH",       "CONFIG", "DEBUG",
                                           "MONITOR",    "REPLCONF",   "PSYNC",   "SHUTDOWN",   "SELECT", "REPLICAOF",
                                           "SLAVEOF",    "PING",       "INFO",    "COMMAND",    "QUIT",   "CLUSTER"};
  return std::ranges::find(left_out, verb) == std::end(left_out);
}

class Replay {
 public:
  explicit Replay(const std::vector<MonitorRecord>& monitor) : monitor_(monitor) {}

  ReplayedLog run() {
    find_origins();
    for (std::size_t i = 0; i < monitor_.size(); ++i) {
      if (origins_[i]) {
        add_command(i);
      } else {
        add_call(i);
      }
    }
    log_.begin_us = monitor_.front().line.stamp_us;
    log_.end_us = monitor_.back().line.stamp_us;
    return std::move(log_);
  }

 private:
  static constexpr int connection_of_scripts = -2;

  /// A call of a script belongs to the command that is printed before it.
  void find_origins() {
    std::map<std::string, int> numbers;
    for (const MonitorRecord& record : monitor_) {
      const bool call = record.line.address == of_script;
      origins_.push_back(call ? std::nullopt : std::optional<int>(0));
      if (call) continue;
      const auto [known, is_new] = numbers.emplace(record.line.address, static_cast<int>(numbers.size()));
      if (is_new) log_.connections.push_back(record.line.address);
      origins_.back() = known->second;
    }
  }

  void add_command(std::size_t i) {
    const real::MonitorLine& line = monitor_[i].line;
    ServerExecution done{.at_us = line.stamp_us,
                         .line = monitor_[i].number,
                         .database = line.database,
                         .connection = *origins_[i],
                         .words = line.words};
    if (is_run(upper_case(line.words.front().bytes()))) done.reply = perform(i, done, *origins_[i]);
    log_.executions.push_back(std::move(done));
  }

  void add_call(std::size_t i) {
    if (log_.executions.empty()) return;  // the log begins inside a script
    ServerExecution& caller = log_.executions.back();
    caller.calls.push_back(monitor_[i].line.words);
    (void)perform(i, caller, connection_of_scripts);
  }

  Reply perform(std::size_t i, ServerExecution& into, int connection) {
    const real::MonitorLine& line = monitor_[i].line;
    std::int64_t at_us = line.stamp_us;
    const std::vector<Value>& words = line.words;
    const bool creates = words.size() > 1 && is_conditional(words);
    if (creates) {
      const std::string& key = words[1].bytes();
      const auto end = ends_us_.find({line.database, key});
      if (end != ends_us_.end() && std::abs(at_us - end->second) <= doubt_us) {
        into.sure = false;
        at_us = is_tried_again(i) ? std::min(at_us, end->second - tick_us) : std::max(at_us, end->second + tick_us);
      }
      if (!known_.contains({line.database, key})) {
        into.sure = false;  // whether the key was there before is not known
        if (is_tried_again(i)) return Reply::nil();
      }
    }
    const Command command(words);
    const sim::ServerTime at{.wall_ms = at_us / tick_us, .mono_us = at_us, .now = Duration(at_us)};
    sim::NodeAnswer done = node(line.database).execute({connection, command, at});
    if (!done.lacks.empty()) into.lacks = done.lacks;
    for (const Effect& effect : done.effects) keep_end(line.database, effect, at_us);
    if (!creates && words.size() > 1) known_.insert({line.database, words[1].bytes()});
    into.effects.insert(into.effects.end(), done.effects.begin(), done.effects.end());
    return done.reply;
  }

  void keep_end(int database, const Effect& effect, std::int64_t at_us) {
    const std::pair key{database, effect.key};
    known_.insert(key);
    if (effect.change == Change::renewed && effect.ttl) {
      ends_us_[key] = at_us + effect.ttl->count() * tick_us;
    } else if (effect.change != Change::changed) {
      ends_us_.erase(key);
    }
  }

  static bool is_conditional(const std::vector<Value>& words) {
    const std::string form = form_of(words);
    return form == "SETNX" || form == "HSETNX" || (form.starts_with("SET ") && form.find(" NX") != std::string::npos);
  }

  /// Whether the next command of the same connection about that key is the same again: then it had not got it.
  [[nodiscard]] bool is_tried_again(std::size_t i) const {
    const std::string& key = monitor_[i].line.words[1].bytes();
    std::size_t caller = i;
    while (caller > 0 && !origins_[caller]) --caller;
    if (!origins_[caller]) return false;
    const std::string form = form_of(monitor_[caller].line.words);
    for (std::size_t next = i + 1; next < monitor_.size(); ++next) {
      if (origins_[next] != origins_[caller]) continue;
      const std::vector<Value>& words = monitor_[next].line.words;
      const bool about = std::ranges::any_of(words, [&](const Value& word) { return word.bytes() == key; });
      if (about) return form_of(words) == form;
    }
    return false;
  }

  sim::redis::Node& node(int database) {
    auto& found = nodes_[database];
    if (!found) found = std::make_unique<sim::redis::Node>(engine_);
    return *found;
  }

  const std::vector<MonitorRecord>& monitor_;
  std::vector<std::optional<int>> origins_;  // the connection of each line; nothing: a call of a script
  sim::redis::ScriptEngine engine_;
  std::map<int, std::unique_ptr<sim::redis::Node>> nodes_;       // by database
  std::map<std::pair<int, std::string>, std::int64_t> ends_us_;  // when a key expires
  std::set<std::pair<int, std::string>> known_;                  // keys of which it is known whether they are there
  ReplayedLog log_;
};

}  // namespace

std::string upper_case(std::string_view word) {
  std::string raised(word);
  for (char& c : raised) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return raised;
}

ReplayedLog replay_log(const std::vector<MonitorRecord>& monitor) { return Replay(monitor).run(); }

std::string form_of(const std::vector<Value>& words) {
  const std::string verb = upper_case(words.front().bytes());
  if ((verb == "EVAL" || verb == "EVAL_RO") && words.size() > 1) return "script " + harness::sha1_hex(words[1].bytes());
  if ((verb == "EVALSHA" || verb == "EVALSHA_RO" || verb == "FCALL") && words.size() > 1) {
    return "script " + words[1].bytes();
  }
  if (verb != "SET") return verb;
  std::set<std::string> options;
  for (std::size_t i = 3; i < words.size(); ++i) {
    const std::string option = upper_case(words[i].bytes());
    for (const char* const known : {"NX", "XX", "PX", "EX", "PXAT", "EXAT", "GET", "KEEPTTL"}) {
      if (option == known) options.insert(option);
    }
  }
  std::string form = verb;
  for (const std::string& option : options) form += " " + option;
  return form;
}

bool names_word(const ServerExecution& execution, const std::string& word) {
  const auto has = [&](const std::vector<Value>& words) {
    return std::any_of(words.begin() + 1, words.end(), [&](const Value& one) { return one.bytes() == word; });
  };
  return has(execution.words) || std::ranges::any_of(execution.calls, has);
}

bool has_change(const ServerExecution& execution, const std::string& key, std::initializer_list<Change> any_of) {
  return std::ranges::any_of(execution.effects, [&](const Effect& effect) {
    return effect.key == key && std::ranges::find(any_of, effect.change) != any_of.end();
  });
}

}  // namespace lockproof::execution
