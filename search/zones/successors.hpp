// SPDX-License-Identifier: Apache-2.0
// Successors: the events of a place, and where each leads. A place is closed under delay: now may be any instant up to
// the first event that is due. Clients that want the lock ask at any of these instants, and a fault strikes at any of
// them, and before whatever a client is about to do. Events of one instant happen in every order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "search/zones/client_automaton.hpp"
#include "search/zones/monitors.hpp"
#include "search/zones/place.hpp"
#include "search/zones/resource_states.hpp"
#include "sim/world/symbolic/symbolic_server.hpp"

namespace lockproof::zones {

/// The one property that no monitor judges but the successors, since it asks for two clients' deadlines.
inline constexpr std::string_view exclusion = "mutual-exclusion";

struct Event {
  enum class Kind : std::uint8_t {
    begin,    // the first one
    step,     // a client's worker goes on
    ask,      // a client asks for the lock
    request,  // a client's command arrives
    reply,    // the reply to it arrives
    strike,   // a fault of the budget strikes
    wake,     // a client's pause ends
  };
  Kind kind = Kind::begin;
  std::size_t client = 0;
  /// The fault that strikes: by itself, or before the last thing that the client was about to do in this event.
  std::optional<std::pair<std::size_t, std::size_t>> fault{};  // entry and form
  bool operator==(const Event&) const = default;
};

/// What a step of a client has shown besides, for what a search claims.
struct Milestone {
  harness::What what;
  bool contends;  // it asked while another client was interested, or was refused
};

class Sink {
 public:
  using Violation = Monitors::Violation;

  /// A place that the event leads to, closed and canonical, and its bytes.
  virtual void reach(Place place, std::string bytes, const Event& event) = 0;
  /// A property breaks; `place` has the valuations that show it, and is not canonical.
  virtual void violate(const Violation& violation, const Place& place, const Event& event) = 0;
  virtual void record(const Milestone& milestone) = 0;

 protected:
  ~Sink() = default;
};

class Successors : public Pinned {
 public:
  /// REQUIRES: both outlive the successors; see why_unsuited.
  Successors(const harness::Scenario& scenario, const harness::Bounds& bounds);

  /// `kept`: the place and all that follow from it keep the instants of all events, see Place::kept. Throws Unsuited,
  /// as expand does.
  void begin(Sink& sink, bool kept = false);
  void expand(const Place& place, Sink& sink);

  /// Whether nothing is under way, and nothing happens unless a client likes to ask.
  [[nodiscard]] bool is_quiescent(const Place& place) const;
  /// The client in whose place a new one comes.
  static constexpr std::size_t probe_client = 0;
  /// The place, once all leases are over, with a new client that has just started; monitors do not follow it. REQUIRES:
  /// the place is quiescent.
  void begin_probe(Place place, Sink& sink);

  /// How often the code of a client was run.
  [[nodiscard]] std::uint64_t runs() const;
  [[nodiscard]] const ClientAutomaton& automaton(std::size_t client) const { return *automata_[client]; }
  [[nodiscard]] const Payloads& payloads() const { return payloads_; }
  [[nodiscard]] Monitors& monitors() { return monitors_; }

 private:
  struct ServerStep {
    Id state, reply;
    std::vector<int> names;
    std::vector<harness::Effect> effects;
  };

  [[nodiscard]] const ClientAutomaton::State& state_of(const Place& place, std::size_t client) const {
    return automata_[client]->state(place.clients[client].state);
  }
  [[nodiscard]] std::optional<TimePoint> due_of(const Place& place, std::size_t client) const;
  [[nodiscard]] static TimePoint point(const ClientPlace& client, const Named& instant);
  [[nodiscard]] std::uint8_t tokens_in_use(const Place& place, std::size_t client) const;
  [[nodiscard]] HostInput input(const Place& place, std::size_t client, HostInput::Kind kind) const;

  // Events.
  void offer_steps(const Place& place, std::size_t client);
  void offer_messages(const Place& place, std::size_t client);
  void offer_strikes(const Place& place);
  [[nodiscard]] bool can_strike(const Place& place, std::size_t entry) const;
  [[nodiscard]] bool strike(Place& place, std::size_t client, std::size_t entry, std::size_t form) const;

  // What they lead to. Each ends with as many places as there are cases.
  void act(Place place, std::size_t client, const HostInput& input);
  void take(Place place, std::size_t client, const ClientAutomaton::Step& step);
  void order(Place place, std::size_t client);
  void strike_before(const Place& place, std::size_t client);
  void perform(Place place, std::size_t client);
  void send(Place place, std::size_t client);
  void arrive_at_server(Place place, std::size_t client);
  void execute(Place place, std::size_t client, std::vector<bool> over);
  const ServerStep& server_step(Id state, Id command, const std::vector<bool>& over);
  void answer(Place place, std::size_t client, Id reply);
  void wake(Place place, std::size_t client);
  void judge(const Place& place, std::size_t client);
  void show(Place& place, Id events);
  void record(Place& place, std::size_t client, const ClientAutomaton::Step& step);
  void finish(Place place);

  const harness::Scenario& scenario_;
  const harness::Bounds& bounds_;
  Payloads payloads_;
  Monitors monitors_;
  ResourceStates resource_;
  std::vector<std::unique_ptr<ClientAutomaton>> automata_;
  std::unique_ptr<sim::SymbolicServer> server_;
  std::map<std::tuple<Id, Id, std::vector<bool>>, ServerStep> server_steps_;
  Sink* sink_ = nullptr;
  Event event_{};
};

}  // namespace lockproof::zones
