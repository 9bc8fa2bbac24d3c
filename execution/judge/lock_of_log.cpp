// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/lock_of_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/input_error.hpp"
#include "harness/program/learned_key.hpp"
#include "harness/report/text/printable.hpp"

namespace lockproof::execution {
namespace {

using harness::Change;
using harness::Effect;
using harness::Event;
using harness::What;

constexpr std::size_t identity_least = 8;  // letters of a value that names its owner

bool is_conditional(std::string_view form) {
  return form == "SETNX" || form == "HSETNX" || form == "ADVISORY-LOCK" || form.starts_with("script ") ||
         (form.starts_with("SET ") && form.find(" NX") != std::string_view::npos);
}

/// Keys that were made by a command that could have been refused. If some of them end, by a command or by a time to
/// live, those that never do only count.
std::set<std::string> guarded_keys(const ReplayedLog& log) {
  std::set<std::string> keys, ending;
  for (const ServerExecution& one : log.executions) {
    if (!is_conditional(form_of(one.words))) continue;
    for (const Effect& effect : one.effects) {
      if (effect.change == Change::acquired || effect.change == Change::changed) keys.insert(effect.key);
    }
  }
  for (const ServerExecution& one : log.executions) {
    for (const Effect& effect : one.effects) {
      const bool ends = effect.change == Change::released || (effect.change == Change::renewed && effect.ttl);
      if (ends && keys.contains(effect.key)) ending.insert(effect.key);
    }
  }
  return ending.empty() ? keys : ending;
}

/// Keys of locks that have no command in common with this one.
std::vector<std::string> keys_apart_from(const ReplayedLog& log, const std::string& key) {
  const std::set<std::string> guarded = guarded_keys(log);
  std::set<std::string> apart;
  for (const ServerExecution& one : log.executions) {
    if (!is_conditional(form_of(one.words)) || names_word(one, key)) continue;
    for (const Effect& effect : one.effects) {
      if (effect.key != key && effect.change == Change::acquired && guarded.contains(effect.key)) {
        apart.insert(effect.key);
      }
    }
  }
  return {apart.begin(), apart.end()};
}

/// The log as the history by which a lock's key is learned: each connection is a client, which is inside from the
/// command that makes a key until it removes one.
class ContentionHistory {
 public:
  ContentionHistory(const ReplayedLog& log, std::set<std::string> keys) : log_(log), keys_(std::move(keys)) {
    for (const std::string& address : log.connections) {
      history_.header.hosts.push_back({address, harness::HostKind::client});
    }
    server_ = static_cast<harness::HostIndex>(log.connections.size());
    history_.header.hosts.push_back({"server", harness::HostKind::server});
  }

  harness::History make() {
    for (const ServerExecution& one : log_.executions) add(one);
    return std::move(history_);
  }

 private:
  void add(const ServerExecution& one) {
    std::vector<Effect> effects = one.effects;
    std::erase_if(effects, [&](const Effect& effect) { return !keys_.contains(effect.key); });
    const auto changes = [&](Change change) {
      return std::ranges::find(effects, change, &Effect::change) != effects.end();
    };
    const bool gets = is_conditional(form_of(one.words)) && (changes(Change::acquired) || changes(Change::changed));
    bool& inside = inside_[one.connection];
    if (inside && (gets || changes(Change::released))) {
      record({.what = What::exit, .host = one.connection});
      inside = false;
    }
    if (!inside) record({.what = What::attempt, .host = one.connection});
    record({.what = What::execute,
            .host = server_,
            .peer = one.connection,
            .command = Command(one.words),
            .effects = effects});
    if (!gets) return;
    record({.what = What::enter, .host = one.connection});
    inside = true;
  }
  void record(Event event) { history_.events.push_back(std::move(event)); }

  const ReplayedLog& log_;
  const std::set<std::string> keys_;
  harness::History history_;
  harness::HostIndex server_;
  std::map<int, bool> inside_;
};

std::string learned(const ReplayedLog& log, const std::string& pattern, const std::string& path) {
  const harness::History history = ContentionHistory(log, guarded_keys(log)).make();
  const harness::ProgramKey key = harness::learned_key(history, "", pattern);
  if (key.source == harness::KeySource::ambiguous || key.source == harness::KeySource::unmatched) {
    std::vector<std::string> names;
    for (const std::string& one : key.candidates) names.push_back(harness::printable(one));
    const char* const what = key.source == harness::KeySource::unmatched
                                 ? "no such key was made by a command that can be refused; these were: {}"
                                 : "which key is the lock? Say it by --key: {}";
    throw harness::InputError(path, 0, fmt::format(fmt::runtime(what), fmt::join(names, ", ")));
  }
  if (key.name.empty() || !key.is_known()) {
    throw harness::InputError(path, 0, "nobody takes a lock in it: no key was made by a command that can be refused");
  }
  return key.name;
}

/// Whose key it is, command by command.
class HoldFinder {
 public:
  HoldFinder(const ReplayedLog& log, LockOfLog& lock) : log_(log), lock_(lock) {}

  void run() {
    find_identities();
    for (const std::size_t i : lock_.executions) {
      const ServerExecution& one = log_.executions[i];
      if (lock_.asks(one) && !extends_own(one)) end_earlier(one);
      for (const Effect& effect : one.effects) {
        if (effect.key == lock_.key) change(i, effect);
      }
    }
    for (Hold& hold : lock_.holds) hold.until_us = std::min(hold.until_us, log_.end_us);
  }

 private:
  /// Values that only one connection asks with.
  void find_identities() {
    std::map<std::string, std::set<int>> users;
    for (const std::size_t i : lock_.executions) {
      const ServerExecution& one = log_.executions[i];
      if (!lock_.asks(one)) continue;
      for (std::size_t w = 2; w < one.words.size(); ++w) users[one.words[w].bytes()].insert(one.connection);
    }
    for (const auto& [value, connections] : users) {
      if (value.size() >= identity_least && value != lock_.key && connections.size() == 1) identities_.insert(value);
    }
  }

  [[nodiscard]] bool extends_own(const ServerExecution& one) const {
    return owner_ && belongs(lock_.holds[*owner_], one) && !has_change(one, lock_.key, {Change::expired}) &&
           has_change(one, lock_.key, {Change::acquired, Change::changed, Change::renewed});
  }

  /// Who asks is not inside any more.
  void end_earlier(const ServerExecution& one) {
    const auto latest = latest_.find(one.connection);
    if (latest == latest_.end()) return;
    Hold& hold = lock_.holds[latest->second];
    hold.until_us = std::min(hold.until_us, one.at_us);
  }

  void change(std::size_t i, const Effect& effect) {
    const ServerExecution& one = log_.executions[i];
    switch (effect.change) {
      case Change::expired:
      case Change::evicted: owner_.reset(); return;
      case Change::released:
        if (owner_) release(lock_.holds[*owner_], i);
        owner_.reset();
        return;
      case Change::renewed: return renew(i, effect);
      case Change::acquired:
      case Change::changed: break;
    }
    if (owner_ && belongs(lock_.holds[*owner_], one)) return;    // it has written its own key once more
    if (has_change(one, lock_.key, {Change::released})) return;  // to remove it
    const bool taken_over = owner_.has_value();
    owner_ = lock_.holds.size();
    latest_[one.connection] = *owner_;
    lock_.holds.push_back({.connection = one.connection, .taken = i, .from_us = one.at_us});
    lock_.holds.back().sure = one.sure && !taken_over;
  }

  void renew(std::size_t i, const Effect& effect) {
    if (!owner_) return;
    Hold& hold = lock_.holds[*owner_];
    const std::int64_t at_us = log_.executions[i].at_us;
    hold.lease_end_us = effect.ttl ? at_us + effect.ttl->count() * 1000 : INT64_MAX;
    if (i != hold.taken && belongs(hold, log_.executions[i])) hold.renewals.push_back(i);
    if (hold.lease_us == 0 && effect.ttl) hold.lease_us = effect.ttl->count() * 1000;
  }

  void release(Hold& hold, std::size_t i) {
    if (belongs(hold, log_.executions[i])) {
      hold.released = i;
    } else {
      hold.removed_by = i;
    }
  }

  /// From the connection that made the key, or with the value by which it did: programs have several connections.
  [[nodiscard]] bool belongs(const Hold& hold, const ServerExecution& one) const {
    if (hold.connection == one.connection) return true;
    return std::ranges::any_of(log_.executions[hold.taken].words, [&](const Value& word) {
      return identities_.contains(word.bytes()) && names_word(one, word.bytes());
    });
  }

  const ReplayedLog& log_;
  LockOfLog& lock_;
  std::set<std::string> identities_;
  std::optional<std::size_t> owner_;   // a hold
  std::map<int, std::size_t> latest_;  // of each connection: its latest hold
};

}  // namespace

LockOfLog lock_of(const ReplayedLog& log, const std::string& pattern, const std::string& path) {
  LockOfLog lock{.key = learned(log, pattern, path)};
  std::set<int> databases;
  for (std::size_t i = 0; i < log.executions.size(); ++i) {
    const ServerExecution& one = log.executions[i];
    const bool about =
        names_word(one, lock.key) || std::ranges::find(one.effects, lock.key, &Effect::key) != one.effects.end();
    if (!about) continue;
    databases.insert(one.database);
    lock.executions.push_back(i);
    const std::string form = form_of(one.words);
    if (is_conditional(form) &&
        (!form.starts_with("script ") || has_change(one, lock.key, {Change::acquired, Change::changed}))) {
      lock.asking_forms.insert(form);
    }
  }
  if (databases.size() > 1) {
    throw harness::InputError(
        path, 0,
        fmt::format("the key is used in several databases ({}): judge the lines of one", fmt::join(databases, ", ")));
  }
  lock.database = *databases.begin();
  lock.others = keys_apart_from(log, lock.key);
  HoldFinder(log, lock).run();
  return lock;
}

}  // namespace lockproof::execution
