// SPDX-License-Identifier: Apache-2.0
// Owner release: a release or a renewal changed a lock that belongs to another client. It is derived from the servers'
// own events: a key belongs to the client whose command made it, or whose attempt took it over and was granted. Many
// locks store no token, so the connection is the owner, not the value.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "harness/check/by_lock.hpp"
#include "harness/check/keeper.hpp"
#include "harness/check/monitor.hpp"

namespace lockproof::check {
namespace {

using harness::Change;
using harness::Event;
using harness::HostIndex;
using harness::What;

/// Whether a key that an attempt took from its owner has changed hands is known only when the attempt has ended: until
/// then it is a claim, which keeps a possible violation until it is decided.
class OwnerRelease final : public CopyableMonitor<OwnerRelease> {
 public:
  OwnerRelease(const harness::Header& header, const harness::Scenario& scenario)
      : header_(header), key_(scenario.lock), keeper_(header, scenario) {}

  void see(std::size_t i, const Event& event) override {
    switch (event.what) {
      case What::strike:
        if (std::ranges::find(event.effects, key_, &harness::Effect::key) != event.effects.end())
          lose(keeper_.of(event.host));
        return;
      case What::attempt: return begin(event.host, Purpose::attempt);
      case What::granted: return granted(event.host);
      case What::busy:
      case What::failed:
        ++doing_[event.host].serial;  // what of it runs later claims nothing
        return drop_claims(event.host);
      case What::release: return begin(event.host, Purpose::release);
      case What::renew: return begin(event.host, Purpose::renewal);
      case What::send: sent_[{event.host, event.peer, event.message}] = doing_[event.host]; return;
      case What::execute:
        for (const harness::Effect& effect : event.effects) {
          if (effect.key == key_) changes(i, event, effect);
        }
        sent_.erase({event.peer, event.host, event.message});
        return;
      case What::drop:
        sent_.erase({event.host, event.peer, event.message});  // it did not run, or never will
        return;
      default: return;
    }
  }

  [[nodiscard]] Finding finding() const override { return found_; }
  void forget() override { found_ = {}; }

  void encode(MonitorEncoding& into) const override {
    auto& numbers = into.numbers;
    for (const auto& [server, owner] : owners_) numbers.insert(numbers.end(), {server, owner});
    for (const auto& [id, claim] : claims_) {
      numbers.insert(numbers.end(), {-1, id.first, id.second, claim.broken.has_value(), claim.gone});
    }
    for (const auto& [client, doing] : doing_) {
      numbers.insert(numbers.end(), {-2, client, static_cast<std::int64_t>(doing.purpose), doing.granted});
    }
    for (const auto& [id, task] : sent_) {
      const auto& [client, server, number] = id;
      if (!into.in_flight(client, server, number)) continue;
      const bool current = task.serial == doing_.at(client).serial;
      numbers.insert(numbers.end(), {-3, client, server, into.distance(client, server, number),
                                     static_cast<std::int64_t>(task.purpose), task.granted, current});
    }
  }

 private:
  enum class Purpose { attempt, release, renewal };
  struct Task {
    Purpose purpose = Purpose::attempt;
    int serial = 0;  // of this client's tasks
    bool granted = false;
  };
  /// A claim on one server by one client's attempt that has not ended.
  struct Claim {
    std::optional<Finding> broken;  // violation since then, if the claim proves valid
    bool gone = false;              // the key is gone since
  };
  using MessageId = std::tuple<HostIndex, HostIndex, int>;  // client, server, number

  void begin(HostIndex client, Purpose purpose) {
    Task& doing = doing_[client];
    doing = {purpose, doing.serial + 1, false};
  }

  void granted(HostIndex client) {
    Task& doing = doing_[client];
    doing.granted = true;
    for (auto& [id, task] : sent_) {
      if (std::get<0>(id) == client && task.serial == doing.serial) task.granted = true;
    }
    for (auto& [id, claim] : claims_) {
      if (id.second != client) continue;
      if (claim.broken) find(*claim.broken);
      if (!claim.gone) owners_[id.first] = client;
    }
    drop_claims(client);
  }

  void drop_claims(HostIndex client) {
    std::erase_if(claims_, [&](const auto& entry) { return entry.first.second == client; });
  }

  void find(Finding finding) {
    if (found_.verdict != Verdict::violated) found_ = std::move(finding);
  }

  void lose(HostIndex server) {
    owners_.erase(server);
    for (auto& [id, claim] : claims_) {
      if (id.first == server) claim.gone = true;
    }
  }

  /// One effect on the key.
  void changes(std::size_t i, const Event& event, const harness::Effect& effect) {
    const HostIndex server = keeper_.of(event.host), client = event.peer;
    if (effect.change == Change::expired || effect.change == Change::evicted) return lose(server);
    const auto found = sent_.find({client, event.host, event.message});
    const Task task = found == sent_.end() ? Task{} : found->second;
    const bool gives_back = task.purpose != Purpose::attempt;
    const auto owner = owners_.find(server);
    if (gives_back) {
      for (auto& [id, claim] : claims_) {
        if (id.first == server && id.second != client && !claim.gone && !claim.broken) {
          claim.broken = violation(i, event, effect, id.second);
        }
      }
      if (owner != owners_.end() && owner->second != client) {
        find(violation(i, event, effect, owner->second));
        if (effect.change == Change::released) lose(server);
        return;
      }
    }
    if (effect.change == Change::released) return lose(server);
    if (owner == owners_.end() || task.granted) {
      owners_[server] = client;
    } else if (task.purpose == Purpose::attempt && owner->second != client && task.serial == doing_[client].serial) {
      claims_[{server, client}] = {};
    }
  }

  [[nodiscard]] Finding violation(std::size_t i, const Event& event, const harness::Effect& effect,
                                  HostIndex owner) const {
    const char* did = effect.change == Change::released ? "deleted" : "changed";
    return {"",
            Verdict::violated,
            "",
            fmt::format("{}'s {} {} the lock that belongs to {}, on {}", header_.host_name(event.peer),
                        event.command->verb(), did, header_.host_name(owner), place(header_, event)),
            {i}};
  }

  const harness::Header& header_;
  const std::string key_;
  const Keeper keeper_;
  std::map<HostIndex, Task> doing_;
  std::map<MessageId, Task> sent_;
  std::map<HostIndex, HostIndex> owners_;                    // the key's owner on each server
  std::map<std::pair<HostIndex, HostIndex>, Claim> claims_;  // server, client
  Finding found_;
};

}  // namespace

std::unique_ptr<Monitor> watch_owner_release(const harness::Header& header, const harness::Scenario& scenario) {
  return watch_each_lock<OwnerRelease>(header, scenario);
}

Finding owner_release(const harness::History& history, const harness::Scenario& scenario) {
  return judge_with(watch_owner_release, history, scenario);
}

}  // namespace lockproof::check
