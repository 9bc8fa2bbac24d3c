// SPDX-License-Identifier: Apache-2.0
#include "real/services/postgres/lock_watch.hpp"

#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "real/services/postgres/lock_snapshot.hpp"
#include "real/services/postgres/pq_control.hpp"

namespace lockproof::real {
namespace {

using harness::Change;
using harness::Effect;

class LockWatch final : public KeyWatch {
 public:
  explicit LockWatch(std::function<int()> port) : port_(std::move(port)) {}

  std::optional<Look> look(const std::string& key, int port) override {
    const auto text = ask("execute look");
    if (!text) return std::nullopt;
    const LockSnapshot now = lock_snapshot_from(*text);
    Look look;
    effects_ = &look.effects;
    compare_locks(now, port);
    compare_leases(now, port);
    was_standby_ = now.standby;
    const auto lease = leases_.find(key);
    look.there = locks_.contains(key) || now.locks.contains(key) || (lease != leases_.end() && lease->second.valid());
    if (lease != leases_.end() && lease->second.valid()) look.ttl = lease->second.left;
    return look;
  }

  /// A lock's, a standby's, or the time's.
  bool waits(int port) override {
    const auto answer =
        ask("select coalesce(bool_or(wait_event_type in ('Lock', 'Timeout') or wait_event = 'SyncRep'), false)"
            " from pg_stat_activity where state = 'active' and client_port = " +
            std::to_string(port));
    return answer == "t";
  }
  [[nodiscard]] bool sees_all() const override { return false; }

 private:
  /// Over another connection, if this one has ended with its server.
  std::optional<std::string> ask(const std::string& text) {
    for (int tries = 0; tries < 2; ++tries) {
      if (is_connected_ && !sees_rows_) prepare();
      const auto answer = is_connected_ ? said(control_.ask(text)) : std::nullopt;
      if (answer) return answer;
      is_connected_ = control_.connect(port_());
      sees_rows_ = false;
    }
    return std::nullopt;
  }

  /// So that it is planned once. A standby gets the definition from its primary, and may not have it yet.
  void prepare() {
    (void)control_.ask(locked_rows_definition());
    sees_rows_ = said(control_.ask(has_locked_rows())) == "t";
    (void)control_.ask("deallocate all");
    (void)control_.ask("prepare look as " + lock_snapshot_statement(sees_rows_));
  }

  static std::optional<std::string> said(const std::optional<Reply>& reply) {
    if (!reply || reply->kind() != Reply::Kind::array) return std::nullopt;
    return reply->items()[0].value().bytes();
  }

  void note(Change change, const char* word, const std::string& key, std::optional<milliseconds> ttl = {}) {
    effects_->push_back({change, word, key, ttl});
  }

  /// Locks that have ended come first: nobody gets one that another still has. One that was got over another connection
  /// than the one that was answered is that one's, and is seen when its own answer has come.
  void compare_locks(const LockSnapshot& now, int port) {
    std::erase_if(locks_, [&](const auto& entry) {
      const auto& [key, lock] = entry;
      const auto found = now.locks.find(key);
      if (found != now.locks.end() && found->second.backend == lock.backend) return false;
      const bool lives = now.backends.contains(lock.backend);
      lives ? note(Change::released, "unlocked", key) : note(Change::evicted, "freed", key);
      return true;
    });
    for (const auto& [key, lock] : now.locks) {
      const bool known = locks_.contains(key);
      if (known || !lock.is_meant || port == 0 || lock.port != port) continue;
      locks_[key] = lock;
      note(Change::acquired, "locked", key);
    }
  }

  void compare_leases(const LockSnapshot& now, int port) {
    writers_.insert(now.writers.begin(), now.writers.end());
    for (auto& [key, old] : leases_) {
      if (now.leases.contains(key)) continue;
      if (std::exchange(old, Lease{}).valid()) note(Change::released, "deleted", key);
    }
    for (const auto& [key, lease] : now.leases) {
      Lease& old = leases_[key];
      if (old.transaction == lease.transaction) {
        if (old.valid() && !lease.valid()) note(Change::expired, "expired", key);
        old.left = lease.left;
        old.endless = lease.endless;
        continue;
      }
      if (!was_standby_ && !is_written_by(port, lease)) continue;
      written(key, old, lease);
      old = lease;
    }
  }

  /// A transaction that no look has shown while it was open is that of the command that was answered.
  [[nodiscard]] bool is_written_by(int port, const Lease& lease) const {
    const auto writer = writers_.find(lease.transaction);
    return port != 0 && (writer == writers_.end() || writer->second == port);
  }

  void written(const std::string& key, const Lease& old, const Lease& lease) {
    const bool same = old.valid() && old.owner == lease.owner && old.fence == lease.fence;
    if (!lease.valid()) {
      if (old.valid()) note(Change::released, "given", key);
      return;
    }
    if (!same) note(Change::acquired, "taken", key);
    note(Change::renewed, "until", key, lease.left);
  }

  const std::function<int()> port_;
  PqControl control_;
  bool is_connected_ = false, sees_rows_ = false;
  bool was_standby_ = false;  // at the last look: what has come since may be its primary's
  std::map<std::string, LockSnapshot::Lock> locks_;
  std::map<std::string, Lease> leases_;
  std::map<std::string, int> writers_;  // ports of the connections whose transactions have written
  std::vector<Effect>* effects_ = nullptr;
};

}  // namespace

std::unique_ptr<KeyWatch> watch_locks(std::function<int()> port) {
  return std::make_unique<LockWatch>(std::move(port));
}

}  // namespace lockproof::real
