// SPDX-License-Identifier: Apache-2.0
// LockView: whose the lock's key is on one server, as the looks between commands have shown, and until when. The key
// belongs to the client whose command made it.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "harness/history/event.hpp"
#include "harness/scenario/fault.hpp"
#include "real/services/key_watch.hpp"

namespace lockproof::real {

class LockView {
 public:
  /// What a look has shown after a command of this client, which was sent then; no_host: after nobody's.
  void see(const KeyWatch::Look& look, const std::string& key, harness::HostIndex client, Duration sent);
  /// The server has lost its keys, or is another one now.
  void forget() { owner_ = harness::no_host; }

  [[nodiscard]] harness::HostIndex owner() const { return owner_; }
  /// Scenario time until which the owner has it; nothing: without end.
  [[nodiscard]] std::optional<Duration> until() const { return until_; }
  /// When the owner got it.
  [[nodiscard]] Duration since() const { return since_; }

 private:
  harness::HostIndex owner_ = harness::no_host;
  Duration since_{};
  std::optional<Duration> until_;
};

/// Until when a client has the key on a majority of the servers. `has`: false, it has not. An empty time: without end.
struct Entitlement {
  bool has = false;
  std::optional<Duration> until;
};
[[nodiscard]] Entitlement entitlement(const std::vector<const LockView*>& masters, harness::HostIndex client);

}  // namespace lockproof::real
