// SPDX-License-Identifier: Apache-2.0
#include "real/services/postgres/lock_changes.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace lockproof::real {
namespace {

using harness::Change;
using harness::Effect;

std::int64_t number(const Value& digits) {
  std::int64_t n = 0;
  std::from_chars(digits.bytes().data(), digits.bytes().data() + digits.bytes().size(), n);
  return n;
}

/// What a connection has, as far as replies say.
struct Session {
  bool in_transaction = false;
  std::map<std::string, int> advisory{};
  std::set<std::string> until_end{};
  std::vector<std::pair<std::string, std::optional<std::int64_t>>> rows{};  // changed, not committed: until_ms
  [[nodiscard]] bool has(const std::string& key) const { return advisory.contains(key) || until_end.contains(key); }
};

class Reader {
 public:
  std::vector<ObservedChange> read(std::vector<Observation> observed) {
    rest_ = std::move(observed);
    while (next_ < rest_.size()) {
      free_first(rest_[next_]);
      take(next_++);
    }
    return std::move(changed_);
  }

 private:
  static const std::string& name_in(const Observation& one) { return one.command.args()[3].bytes(); }
  static bool said(const Observation& one, const char* text) {
    return one.reply.kind() == Reply::Kind::array && one.reply.items()[0].value() == Value(text);
  }
  static bool is(const Observation& one, std::string_view statement) { return one.command.script() == statement; }
  static bool takes_advisory(const Observation& one) {
    return (is(one, "try-advisory") || is(one, "try-advisory-xact")) && said(one, "t");
  }

  [[nodiscard]] bool has(int port, const std::string& name) const {
    const auto session = sessions_.find(port);
    return session != sessions_.end() && session->second.has(name);
  }

  /// Before an advisory lock is taken that another connection still seems to have: what that connection did next comes
  /// first, up to what frees it.
  void free_first(const Observation& one) {
    if (!takes_advisory(one)) return;
    const std::string name = name_in(one);
    const int taker = one.port;
    std::vector<int> others;  // a session ends while what came early is taken
    for (const auto& [port, session] : sessions_) {
      if (port != taker && session.has(name)) others.push_back(port);
    }
    for (const int port : others) {
      for (std::size_t i = next_ + 1; has(port, name) && i < rest_.size();) {
        if (rest_[i].port != port) {
          ++i;
          continue;
        }
        Observation early = std::move(rest_[i]);
        rest_.erase(rest_.begin() + static_cast<std::ptrdiff_t>(i));
        early.at = rest_[next_].at;
        rest_.insert(rest_.begin() + static_cast<std::ptrdiff_t>(next_), std::move(early));
        take(next_++);
        i = next_ + 1;
      }
    }
  }

  void take(std::size_t place) {
    ObservedChange done{std::move(rest_[place]), {}};
    const Observation& one = done.observed;
    effects_ = &done.effects;
    wall_ms_ = one.wall_ms;
    if (one.ended) {
      end(one.port);
    } else if (!one.reply.is_error()) {
      run(one, sessions_[one.port]);
    }
    changed_.push_back(std::move(done));
  }

  void note(Change change, const char* word, const std::string& key, std::optional<milliseconds> ttl = {}) {
    effects_->push_back({change, word, key, ttl});
  }

  void run(const Observation& one, Session& session) {
    if (is(one, "begin")) session.in_transaction = true;
    if (is(one, "commit") || is(one, "rollback")) finish(session, one.reply.value() == Value("COMMIT"));
    if (takes_advisory(one)) lock(one, session);
    if (is(one, "unlock-advisory") && said(one, "t")) {
      const auto own = session.advisory.find(name_in(one));
      if (own != session.advisory.end() && --own->second == 0) session.advisory.erase(own);
      if (!session.has(name_in(one))) note(Change::released, "unlocked", name_in(one));
    }
    const bool row = one.reply.kind() == Reply::Kind::array;
    const auto& words = one.command.args();
    if (row && is(one, "take-row")) change(session, one, one.wall_ms + number(words[5]));
    if (row && is(one, "take-row-client-time")) change(session, one, number(words[6]));
    if (row && is(one, "give-row")) change(session, one, std::nullopt);
    if (row && is(one, "give-row-client-time")) change(session, one, std::nullopt);
    if (!session.in_transaction) commit(session);
  }

  void lock(const Observation& one, Session& session) {
    const bool of_transaction = is(one, "try-advisory-xact");
    if (of_transaction && !session.in_transaction) return;
    if (!session.has(name_in(one))) note(Change::acquired, "locked", name_in(one));
    of_transaction ? session.until_end.insert(name_in(one)), 0 : ++session.advisory[name_in(one)];
  }

  static void change(Session& session, const Observation& one, std::optional<std::int64_t> until_ms) {
    session.rows.emplace_back(name_in(one), until_ms);
    session.rows.back().first = name_in(one);
  }

  void commit(Session& session) {
    for (const auto& [name, until_ms] : std::exchange(session.rows, {})) {
      std::optional<std::int64_t>& stored = until_ms_[name];
      if (stored && *stored < wall_ms_) note(Change::expired, "expired", name);
      const bool held = stored && *stored >= wall_ms_;
      if (!until_ms) {
        if (held) note(Change::released, "given", name);
      } else {
        note(Change::acquired, "taken", name);
        note(Change::renewed, "until", name, milliseconds(*until_ms - wall_ms_));
      }
      stored = until_ms;
    }
  }

  void finish(Session& session, bool commits) {
    if (commits) commit(session);
    session.rows.clear();
    session.in_transaction = false;
    for (const std::string& name : std::exchange(session.until_end, {})) {
      if (!session.has(name)) note(Change::released, "unlocked", name);
    }
  }

  void end(int port) {
    const auto found = sessions_.find(port);
    if (found == sessions_.end()) return;
    std::set<std::string> free = found->second.until_end;
    for (const auto& [name, count] : found->second.advisory) free.insert(name);
    for (const std::string& name : free) note(Change::evicted, "freed", name);
    sessions_.erase(found);
  }

  std::vector<Observation> rest_;
  std::size_t next_ = 0;
  std::vector<ObservedChange> changed_;
  std::map<int, Session> sessions_;
  std::map<std::string, std::optional<std::int64_t>> until_ms_;  // of rows, as committed
  std::vector<Effect>* effects_ = nullptr;
  std::int64_t wall_ms_ = 0;
};

}  // namespace

std::vector<ObservedChange> changes_of(std::vector<Observation> observed) { return Reader().read(std::move(observed)); }

}  // namespace lockproof::real
