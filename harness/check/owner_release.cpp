// SPDX-License-Identifier: Apache-2.0
// Owner release: a release or a renewal changed a lock that belongs to somebody else. Read off the servers' own events:
// a key belongs to the client whose command made it, or whose attempt took it over and was granted. Many locks store no
// token, so the connection is the owner, not the value.
#include <fmt/format.h>

#include <tuple>

#include "harness/check/properties.hpp"

namespace lockproof::check {
namespace {

using harness::Event;
using harness::HostIndex;
using harness::What;

class Search {
 public:
  Search(const harness::History& history, const std::string& key) : history_(history), key_(key) {}

  Finding run() {
    note_purposes();
    for (std::size_t i = 0; i < history_.events.size(); ++i) {
      const Event& event = history_.events[i];
      if (event.what == What::strike && !event.effects.empty()) owners_.erase(event.host);  // evicted or flushed
      if (event.what != What::execute) continue;
      for (const harness::Effect& effect : event.effects) {
        if (effect.key == key_ && changes(event, effect)) return violation(i, event, effect);
      }
    }
    return {};
  }

 private:
  enum class Purpose { attempt, granted_attempt, release, renewal };
  using MessageId = std::tuple<HostIndex, HostIndex, int>;  // client, server, number

  /// What each command was sent for. An attempt's outcome is known only after its commands.
  void note_purposes() {
    std::map<HostIndex, Purpose> now;
    std::map<HostIndex, std::vector<MessageId>> of_attempt;
    for (const Event& event : history_.events) {
      switch (event.what) {
        case What::attempt: now[event.host] = Purpose::attempt, of_attempt[event.host].clear(); break;
        case What::granted:
          for (const MessageId& id : of_attempt[event.host]) purposes_[id] = Purpose::granted_attempt;
          break;
        case What::release: now[event.host] = Purpose::release; break;
        case What::renew: now[event.host] = Purpose::renewal; break;
        case What::send: {
          const MessageId id{event.host, event.peer, event.message};
          purposes_[id] = now[event.host];
          if (now[event.host] == Purpose::attempt) of_attempt[event.host].push_back(id);
          break;
        }
        default: break;
      }
    }
  }

  /// Applies one effect on the key; true if it broke the rule.
  bool changes(const Event& event, const harness::Effect& effect) {
    const auto owner = owners_.find(event.host);
    const bool owned = owner != owners_.end();
    const auto found = purposes_.find({event.peer, event.host, event.message});
    const Purpose purpose = found == purposes_.end() ? Purpose::attempt : found->second;
    const bool gives_back = purpose == Purpose::release || purpose == Purpose::renewal;
    const bool foreign = owned && owner->second != event.peer && gives_back;

    if (effect.event == "expired") {
      owners_.erase(event.host);
      return false;
    }
    if (effect.event == "del") {
      if (foreign) was_ = owner->second;
      owners_.erase(event.host);
    } else if (foreign) {
      was_ = owner->second;
    } else if (!owned || purpose == Purpose::granted_attempt) {
      owners_[event.host] = event.peer;
    }
    return foreign;
  }

  [[nodiscard]] Finding violation(std::size_t i, const Event& event, const harness::Effect& effect) const {
    const char* did = effect.event == "del" ? "deleted" : "changed";
    return {"",
            Verdict::violated,
            "",
            fmt::format("{}'s {} {} the lock that belongs to {}, on {}", history_.host_name(event.peer),
                        event.command->verb(), did, history_.host_name(was_), place(history_, event)),
            {i}};
  }

  const harness::History& history_;
  const std::string& key_;
  std::map<MessageId, Purpose> purposes_;
  std::map<HostIndex, HostIndex> owners_;  // of the key on each server
  HostIndex was_ = harness::no_host;
};

}  // namespace

Finding owner_release(const harness::History& history, const harness::Scenario& scenario) {
  return Search(history, scenario.lock).run();
}

}  // namespace lockproof::check
