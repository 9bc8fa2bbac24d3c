// SPDX-License-Identifier: Apache-2.0
// LockView: whose the lock's key is on one server, as the looks between commands have shown. The key belongs to the
// client whose command made it. Until when a client may count on it is another question: harness/program/key_lease.hpp.
#pragma once

#include <optional>

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
  /// When the owner got it.
  [[nodiscard]] Duration since() const { return since_; }

 private:
  harness::HostIndex owner_ = harness::no_host;
  Duration since_{};
};

/// Until when a client may count on its lock; `has`: false, it may not. An empty time: without end.
struct Entitlement {
  bool has = true;
  std::optional<Duration> until;
};

}  // namespace lockproof::real
