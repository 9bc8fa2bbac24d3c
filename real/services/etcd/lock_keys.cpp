// SPDX-License-Identifier: Apache-2.0
#include "real/services/etcd/lock_keys.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace lockproof::real {
namespace {

using harness::Change;
using harness::Effect;

class LockKeys {
 public:
  LockKeys(const std::vector<EtcdAnswer>& answers, const std::string& lock) : lock_(lock) {
    for (const EtcdAnswer& answer : answers) {
      if (answer.lease != 0) ports_[answer.lease] = answer.port;
      rest_.push_back(&answer);
    }
  }

  /// What one lease takes with it has one revision.
  std::vector<Execution> read(const std::vector<SeenChange>& changes) {
    for (auto next = changes.begin(); next != changes.end();) {
      const std::int64_t revision = next->change.revision;
      const auto end =
          std::find_if(next, changes.end(), [&](const SeenChange& seen) { return seen.change.revision != revision; });
      looked_before(revision);
      run(std::vector<SeenChange>(next, end), take(revision));
      next = end;
    }
    for (const EtcdAnswer* const answer : rest_) ran(*answer, {});
    return std::move(executions_);
  }

 private:
  struct Key {
    int port = 0;  // of the client whose it is; 0: it is not known
    std::int64_t created = 0;
    bool operator==(const Key&) const = default;
  };

  /// Commands that changed nothing ran behind the last change that their answers name.
  void looked_before(std::int64_t revision) {
    std::erase_if(rest_, [&](const EtcdAnswer* answer) {
      const bool before = answer->revision < revision && !answer->changes;
      if (before) ran(*answer, {});
      return before;
    });
  }

  /// The answer to the command that asked for the change; nothing: none was seen, or nobody asked.
  const EtcdAnswer* take(std::int64_t revision) {
    const auto is_it = [&](const EtcdAnswer* answer) { return answer->changes && answer->revision == revision; };
    const auto found = std::ranges::find_if(rest_, is_it);
    if (found == rest_.end()) return nullptr;
    const EtcdAnswer* const answer = *found;
    rest_.erase(found);
    return answer;
  }

  void ran(const EtcdAnswer& answer, std::vector<Effect> effects) {
    Execution execution{.at = answer.at, .port = answer.port};
    execution.effects_of = [effects = std::move(effects)](const Command&) { return effects; };
    executions_.push_back(std::move(execution));
  }

  void run(const std::vector<SeenChange>& changes, const EtcdAnswer* asked) {
    const Duration at = asked ? asked->at : changes.front().at;
    const bool lease_ends = !asked && changes.front().change.deleted;
    std::vector<Effect> effects;
    const auto before = holder();
    int port = asked ? asked->port : 0;
    for (const SeenChange& seen : changes) {
      const int whose = apply(seen.change, port);
      if (port == 0) port = whose;
      if (lease_ends && seen.change.key != lock_) effects.push_back({Change::expired, "deleted", seen.change.key, {}});
    }
    const auto now = holder();
    if (before != now) {
      if (before)
        effects.push_back(
            {lease_ends ? Change::expired : Change::released, lease_ends ? "expired" : "left", lock_, {}});
      if (now && now->port == port) effects.push_back(comes_first());
    }
    if (asked) {
      ran(*asked, std::move(effects));
    } else if (lease_ends && port != 0) {
      executions_.push_back({.at = at, .port = port, .effects = std::move(effects), .act = "lease-end"});
    } else if (port != 0) {
      ran({.at = at, .port = port}, std::move(effects));
    }
    if (before != now && now && now->port != port) {
      executions_.push_back({.at = at, .port = now->port, .effects = {comes_first()}, .act = "turn"});
    }
  }

  /// Whose key it is or was, by a port of its client's.
  int apply(const KeyChange& change, int asker) {
    if (change.key != lock_ && !change.key.starts_with(lock_ + "/")) return 0;
    if (change.deleted) {
      const auto gone = keys_.extract(change.key);
      return gone.empty() ? 0 : gone.mapped().port;
    }
    const auto lease = ports_.find(change.lease);
    const Key key{lease == ports_.end() ? asker : lease->second, change.revision};
    keys_[change.key] = key;
    return key.port;
  }

  [[nodiscard]] std::optional<Key> holder() const {
    const auto first = std::ranges::min_element(keys_, {}, [](const auto& entry) { return entry.second.created; });
    return first == keys_.end() ? std::nullopt : std::optional(first->second);
  }
  [[nodiscard]] Effect comes_first() const { return {Change::acquired, "first", lock_, {}}; }

  const std::string& lock_;
  std::map<std::int64_t, int> ports_;  // of each lease: that at which its client asked for it
  std::vector<const EtcdAnswer*> rest_;
  std::map<std::string, Key> keys_;
  std::vector<Execution> executions_;
};

}  // namespace

EtcdAnswer answer_of(const Command& command, std::string_view bytes) {
  EtcdAnswer answer{.verb = std::string(command.verb()), .revision = revision_in(bytes)};
  const Reply reply = EtcdCodec().reply(command, bytes);
  const bool is_list = reply.kind() == Reply::Kind::array && !reply.items().empty();
  if (answer.verb == "LEASE-GRANT" && is_list) answer.lease = reply.items().front().integer();
  if (answer.verb == "PUT-IF-ABSENT" && is_list) answer.changes = reply.items().front().is_integer(1);
  const bool deletes = answer.verb == "DELETE" || answer.verb == "DELETE-IF" || answer.verb == "LEASE-REVOKE";
  if (deletes) answer.changes = reply.is_integer(1);
  return answer;
}

std::vector<Execution> executions_of(const std::vector<EtcdAnswer>& answers, const std::vector<SeenChange>& changes,
                                     const std::string& lock) {
  return LockKeys(answers, lock).read(changes);
}

}  // namespace lockproof::real
