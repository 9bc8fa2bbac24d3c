// SPDX-License-Identifier: Apache-2.0
// CommutingChooser: a partial-order reduction of ties. Commands that reach different servers at one instant commute:
// the effect of each stays on its server, and its answer takes time. So it offers only those of one server. A reply
// that is only buffered, for a gather that waits for others, commutes with all events elsewhere and with other replies:
// if there is one, it comes first and alone. A fault of the budget that strikes there only delays or ends the client,
// which shows no earlier than at the reply that is waited for; and there the fault can strike as well. Sound where
// messages take time and no remaining fault reaches beyond its host in no time; else it offers everything. A fault that
// ends a server's connections loses what clients have sent until then, so a client's event at the same instant does not
// commute with a command that such a fault may strike at. (Godefroid: Partial-Order Methods for the Verification of
// Concurrent Systems, 1996: a persistent set.) Where the bounds say so, of the replies to one client it offers only
// those of the first server as well. These do not commute: what is left out then is left out of the verdict, which says
// so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/kernel/chooser.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

/// Whether a fault of this kind, striking at one host, changes what another one does at the same instant.
[[nodiscard]] bool reaches_others(harness::FaultKind kind);
/// Whether a fault of the scenario strikes in the midst of an event that the reduction might leave out or put off: one
/// that reaches others, or that an event places on another host, or on the connections of its own.
[[nodiscard]] bool strikes_elsewhere_at_once(const harness::Fault& fault);
/// Whether the budget has a fault that ends connections at the server.
[[nodiscard]] bool ends_connections(const harness::Bounds& bounds);

class CommutingChooser final : public Chooser {
 public:
  /// Passes the remaining choices to `inner`. REQUIRES: all arguments outlive it.
  CommutingChooser(Chooser& inner, const harness::Scenario& scenario, const harness::Bounds& budget);

  std::size_t first_of(std::size_t count, const NameOf& name) override;
  Duration duration(const harness::Window& window, Duration grid, const NameOf& name) override {
    return inner_.duration(window, grid, name);
  }
  std::size_t strike(std::size_t count) override { return inner_.strike(count); }
  std::optional<Ask> ask(const AskOffer& offer) override { return inner_.ask(offer); }
  bool asks_at_once(const AskOffer& offer) override { return inner_.asks_at_once(offer); }

  /// The world whose budget says which faults are left. Until it is set, everything is offered.
  void follow(const World& world) { world_ = &world; }

 private:
  std::size_t first_of_the_rest(std::size_t count, const NameOf& name);
  [[nodiscard]] bool faults_stay_home() const;
  [[nodiscard]] std::optional<std::size_t> buffered(std::size_t count) const;

  Chooser& inner_;
  const harness::Bounds& budget_;
  const bool messages_take_time_, ends_connections_;
  std::vector<std::string> servers_;
  const World* world_ = nullptr;
  std::vector<std::size_t> offered_, rest_;
};

}  // namespace lockproof::sim
