// SPDX-License-Identifier: Apache-2.0
#include "real/services/zookeeper/queue_changes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "algorithms/zookeeper/queue.hpp"

namespace lockproof::real {
namespace {

using harness::Change;
using harness::Effect;

/// Whether a command of this kind asks for such a change.
bool asks_for(const std::string& verb, Transaction::Kind kind) {
  switch (kind) {
    case Transaction::Kind::opens: return verb == "CONNECT";
    case Transaction::Kind::ends: return verb == "CLOSE";
    case Transaction::Kind::creates: return verb == "CREATE";
    case Transaction::Kind::deletes: return verb == "DELETE";
    case Transaction::Kind::other: break;
  }
  return false;
}

class QueueReader {
 public:
  QueueReader(const std::vector<ServerAnswer>& answered, const std::string& lock,
              const std::function<Duration(std::int64_t)>& when, const std::function<std::size_t(std::int64_t)>& leads)
      : lock_(lock), when_(when), leads_(leads) {
    for (const ServerAnswer& one : answered) {
      if (one.verb.empty() || one.verb == "CONNECT") connections_[one.session].push_back(&one);
      if (!one.verb.empty()) rest_.push_back(&one);
    }
  }

  std::vector<MemberExecution> read(const std::vector<Transaction>& transactions) {
    std::int64_t before = 0;
    for (const Transaction& transaction : transactions) {
      looks_until(transaction.id - 1, before);
      run(transaction);
      before = transaction.id;
    }
    for (const ServerAnswer* one : rest_) ran(*one, {});
    return std::move(ran_);
  }

 private:
  /// Commands that changed nothing ran behind the last change that their answers name.
  void looks_until(std::int64_t last, std::int64_t from) {
    std::erase_if(rest_, [&](const ServerAnswer* one) {
      const bool now = one->transaction >= from && one->transaction <= last && one->verb != "CONNECT";
      if (now) ran(*one, {});
      return now;
    });
  }

  void ran(const ServerAnswer& one, std::vector<Effect> effects) {
    Execution execution{.at = one.at, .port = one.port};
    execution.effects_of = [effects = std::move(effects)](const Command&) { return effects; };
    ran_.push_back({one.server, std::move(execution)});
  }

  void run(const Transaction& transaction) {
    const ServerAnswer* const asked = take(transaction);
    const bool ends_by_itself = transaction.kind == Transaction::Kind::ends && !asked;
    std::vector<Effect> effects;
    const auto before = first();
    apply(transaction, ends_by_itself, effects);
    const auto now = first();
    std::optional<std::int64_t> turn;
    if (before != now) {
      if (before) effects.push_back(left(ends_by_itself));
      if (now && *now == transaction.session) effects.push_back(comes_first());
      if (now && *now != transaction.session) turn = now;
    }
    const std::size_t leader = leads_(transaction.id);
    const Duration at = instant_of(transaction, asked, leader);
    if (asked) {
      ServerAnswer changed = *asked;
      changed.at = at;
      ran(changed, std::move(effects));
    } else if (const ServerAnswer* const last = connection_of(transaction.session, at); last && !effects.empty()) {
      Execution execution{.at = at, .port = last->port, .effects = effects};
      if (ends_by_itself) {
        execution.act = "session-end";
      } else {
        execution.effects_of = [effects](const Command&) { return effects; };
      }
      ran_.push_back({ends_by_itself ? leader : last->server, std::move(execution)});
    }
    const ServerAnswer* const next = turn ? connection_of(*turn, at) : nullptr;
    if (!next) return;
    const bool elsewhere = asked && asked->server != leader;  // servers' events of one instant have no order
    const Duration then = elsewhere ? at + Duration(1) : at;
    ran_.push_back({leader, {.at = then, .port = next->port, .effects = {comes_first()}, .act = "turn"}});
  }

  /// What a follower was asked for has happened when its leader noted it: others may hear of it before the answer.
  [[nodiscard]] Duration instant_of(const Transaction& transaction, const ServerAnswer* asked,
                                    std::size_t leader) const {
    if (!asked) return when_(transaction.wall_ms);
    return asked->server == leader ? asked->at : std::min(asked->at, when_(transaction.wall_ms + 1));
  }

  /// The answer to the command that asked for it; nothing: none was seen, or nobody asked.
  const ServerAnswer* take(const Transaction& transaction) {
    const auto is_it = [&](const ServerAnswer* one) {
      const bool opens = transaction.kind == Transaction::Kind::opens;
      return one->session == transaction.session && asks_for(one->verb, transaction.kind) &&
             (opens || one->transaction == transaction.id);
    };
    const auto found = std::ranges::find_if(rest_, is_it);
    if (found == rest_.end()) return nullptr;
    const ServerAnswer* const one = *found;
    rest_.erase(found);
    return one;
  }

  void apply(const Transaction& transaction, bool ends_by_itself, std::vector<Effect>& effects) {
    const bool child = transaction.node.starts_with(lock_ + "/");
    if (transaction.kind == Transaction::Kind::creates && child && transaction.ephemeral) {
      nodes_.emplace(transaction.node, transaction.session);
    }
    if (transaction.kind == Transaction::Kind::deletes) nodes_.erase(transaction.node);
    if (transaction.kind != Transaction::Kind::ends) return;
    std::erase_if(nodes_, [&](const auto& node) {
      if (node.second != transaction.session) return false;
      if (ends_by_itself) effects.push_back({Change::expired, "deleted", node.first, {}});
      return true;
    });
  }

  [[nodiscard]] std::optional<std::int64_t> first() const {
    const auto number = [](const auto& node) { return zookeeper::number_of(Name(node.first)); };
    const auto lowest = std::ranges::min_element(nodes_, {}, number);
    return lowest == nodes_.end() ? std::nullopt : std::optional(lowest->second);
  }
  [[nodiscard]] Effect comes_first() const { return {Change::acquired, "first", lock_, {}}; }
  [[nodiscard]] Effect left(bool expired) const {
    return {expired ? Change::expired : Change::released, expired ? "expired" : "left", lock_, {}};
  }

  /// The handshake of its client's connection at that time; null: it is none of a client's.
  [[nodiscard]] const ServerAnswer* connection_of(std::int64_t session, Duration at) const {
    const auto known = connections_.find(session);
    if (known == connections_.end()) return nullptr;
    const ServerAnswer* last = known->second.front();
    for (const ServerAnswer* one : known->second) {
      if (one->at <= at) last = one;
    }
    return last;
  }

  const std::string& lock_;
  const std::function<Duration(std::int64_t)>& when_;
  const std::function<std::size_t(std::int64_t)>& leads_;
  std::map<std::int64_t, std::vector<const ServerAnswer*>> connections_;  // of each session, the oldest first
  std::vector<const ServerAnswer*> rest_;
  std::map<std::string, std::int64_t> nodes_;  // the queue: whose each node is
  std::vector<MemberExecution> ran_;
};

}  // namespace

std::vector<MemberExecution> ran_by_ensemble(const std::vector<ServerAnswer>& answered,
                                             const std::vector<Transaction>& transactions, const std::string& lock,
                                             const std::function<Duration(std::int64_t)>& when,
                                             const std::function<std::size_t(std::int64_t)>& leads) {
  return QueueReader(answered, lock, when, leads).read(transactions);
}

std::vector<Execution> executions_of(const std::vector<ServerAnswer>& answered,
                                     const std::vector<Transaction>& transactions, const std::string& lock,
                                     const std::function<Duration(std::int64_t wall_ms)>& when) {
  std::vector<Execution> executions;
  for (MemberExecution& ran :
       ran_by_ensemble(answered, transactions, lock, when, [](std::int64_t) { return std::size_t{0}; })) {
    executions.push_back(std::move(ran.execution));
  }
  return executions;
}

}  // namespace lockproof::real
