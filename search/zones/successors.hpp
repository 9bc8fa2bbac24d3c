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

#include "harness/scenario/faults/triggers.hpp"
#include "harness/scenario/scenario.hpp"
#include "search/zones/client_automaton.hpp"
#include "search/zones/monitors.hpp"
#include "search/zones/place.hpp"
#include "search/zones/resource_states.hpp"
#include "sim/world/symbolic/symbolic_server.hpp"

namespace lockproof::zones {

/// The one property that no monitor judges but the successors, since it asks for two clients' deadlines.
inline constexpr std::string_view exclusion = "mutual-exclusion";
/// The host behind the server.
inline constexpr std::string_view resource_name = "resource";

struct Event {
  enum class Kind : std::uint8_t {
    begin,     // the first one
    step,      // a client's worker goes on
    ask,       // a client asks for the lock
    request,   // a client's command arrives
    serve,     // one that waited while the server stood still runs
    count,     // the server goes on counting seconds
    reply,     // the reply to it arrives, or the news that its connection has ended
    time_out,  // a client's call has waited for as long as it may
    resend,    // a driver sends a command once more
    strike,    // a fault of the budget strikes
    wake,      // a client's pause ends, or with the next number that of the server; with the one after: it is up again
    heal,      // a partition ends
  };
  /// Entry and form; behind the entries of the budget come the faults that the scenario places itself.
  using Fault = std::pair<std::size_t, std::size_t>;

  Kind kind = Kind::begin;
  std::size_t client = 0;
  /// The fault that strikes: by itself, before the last thing that the client was about to do in this event, or around
  /// the command that the server runs in it.
  std::optional<Fault> fault{};
  std::optional<std::size_t> peer{};  // of that fault: a client; else the server, or with the next number the resource
  bool after = false;                 // it strikes behind the command, and not before
  std::vector<Fault> marks{};         // what strikes the message that is sent, or holds from the beginning
  std::vector<Fault> placed{};        // what the scenario places here
  std::optional<Fault> late{};        // what struck a message before, and has an effect only now
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

class Successors : public PinnedObject {
 public:
  /// REQUIRES: both outlive the successors; see why_unsuited.
  Successors(const harness::Scenario& scenario, const harness::Bounds& bounds);

  /// `kept`: the place and all that follow from it keep the instants of all events, see Place::kept. Throws
  /// UnsuitedCode, as expand does.
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
  /// Whether the end of that connection changes anything for the client.
  [[nodiscard]] bool uses(const Place& place, std::size_t client, bool of_resource) const;
  /// A number for a fault, from 1; and the other way round.
  [[nodiscard]] std::uint32_t code(Event::Fault form) const;
  [[nodiscard]] Event::Fault fault_with(std::uint32_t code) const;
  /// Of a host's clocks, the servers' behind the clients', for the whole run.
  [[nodiscard]] std::int64_t rate_ppb(const Place& place, std::size_t host) const;
  [[nodiscard]] const harness::Fault& fault_of(Event::Fault form) const {
    const std::size_t entries = bounds_.budget.size();
    return form.first < entries ? bounds_.budget[form.first].forms[form.second]
                                : scenario_.faults[form.first - entries];
  }

 private:
  struct ServerStep {
    Id state, reply;
    std::vector<int> names;
    std::vector<harness::Effect> effects;
  };

  [[nodiscard]] const ClientAutomaton::State& state_of(const Place& place, std::size_t client) const {
    static const ClientAutomaton::State gone{.rests = true, .is_over = true};
    return place.clients[client].is_gone ? gone : automata_[client]->state(place.clients[client].state);
  }
  [[nodiscard]] std::optional<TimePoint> due_of(const Place& place, std::size_t client) const;
  [[nodiscard]] static TimePoint point(const ClientPlace& client, const NamedInstant& instant);
  [[nodiscard]] std::uint8_t tokens_in_use(const Place& place, std::size_t client) const;
  [[nodiscard]] HostInput input(const Place& place, std::size_t client, HostInput::Kind kind) const;

  /// A message that is about to leave, with what faults have laid on it.
  struct OutgoingMessage {
    Message message;
    harness::Window travel;
  };

  // Events.
  void offer_steps(const Place& place, std::size_t client);
  void ask_anew(Place place, std::size_t client);
  void offer_messages(const Place& place, std::size_t client);
  void offer_timers(const Place& place, std::size_t client);
  void offer_heals(const Place& place);
  void offer_strikes(const Place& place);
  void offer_form(const Place& place, Event::Fault form);
  void set_store(Place& place, const sim::SymbolicServer::Step& step) const;
  void change_store(Place& place, Event::Fault form);
  void offer_cuts(const Place& place, Event::Fault form);
  void offer_breaks(const Place& place, std::size_t client, Event::Fault form);
  [[nodiscard]] bool can_strike(const Place& place, std::size_t entry) const;
  [[nodiscard]] Event::Fault placed(std::size_t number) const;
  void count(Place& place, Event::Fault form) const;
  void place_fault(Place& place, std::size_t number);
  void strike_as_placed(Place place, std::size_t number);
  void end_process_in_event(Place& place, std::size_t client, Event::Fault form);
  [[nodiscard]] bool is_void(const Place& place, const harness::Fault& fault) const;
  [[nodiscard]] std::vector<Place> struck_as_placed(Place place, Event::Fault form);
  [[nodiscard]] std::uint32_t lines_of(const harness::Fault& fault) const;
  [[nodiscard]] std::size_t host_named(const std::string& name) const;
  [[nodiscard]] std::size_t peer_named(const std::string& name) const;
  void add_cut(Place& place, Event::Fault form, std::optional<std::size_t> peer, std::uint32_t lines);
  [[nodiscard]] std::optional<std::size_t> client_named(const std::string& name) const;
  [[nodiscard]] bool strike_server(Place& place, Event::Fault form);
  [[nodiscard]] std::optional<Place> outlasted_at_server(Place place, Event::Fault form) const;
  [[nodiscard]] std::vector<Place> take_down(Place place, Event::Fault form);
  [[nodiscard]] std::optional<Place> outlasted(Place place, std::size_t client, Event::Fault form) const;
  [[nodiscard]] std::vector<Place> end_at_server(Place place, std::size_t client, bool of_resource);
  [[nodiscard]] bool strike_client(Place& place, std::size_t client, Event::Fault form);
  void end_process(Place& place, std::size_t client) const;
  void close(Place& place, std::size_t client, bool of_resource) const;
  void drop_laid(ClientPlace& client) const;
  [[nodiscard]] bool can_be_late(const Place& place, std::size_t client) const;

  // Faults that the scenario places at an event. A host is a client's number, or a server's behind those.
  using Then = std::function<void(Place)>;
  [[nodiscard]] std::size_t host_of(bool of_resource) const { return scenario_.clients.size() + (of_resource ? 1 : 0); }
  [[nodiscard]] std::string server_name(bool of_resource) const {
    return of_resource ? std::string(resource_name) : scenario_.servers.front().name;
  }
  [[nodiscard]] static bool places_at(const Place& place, std::size_t host) {
    return !place.triggers.empty() && !place.triggers[host].empty();
  }
  [[nodiscard]] harness::Triggers triggers_of(const Place& place, std::size_t host) const;
  [[nodiscard]] bool awaits_anything(const Place& place, std::size_t host) const;
  [[nodiscard]] harness::EventPlace event_of_server(const CommandInHand& command,
                                                    harness::EventPlace::Moment moment) const;
  void record_begun(Place& place, std::size_t client, Id events);
  void happen(Place place, std::size_t host, const harness::EventPlace& event, const Then& then);
  [[nodiscard]] std::vector<Place> triggered(Place place, std::size_t host, std::size_t number);
  void lay_in_event(Place& place, std::size_t host, Event::Fault form) const;
  void move_in_or_out(Place place, std::size_t client);
  void approach(Place place, std::size_t client);
  void proceed(Place place, std::size_t client);

  // Clocks. What a host's clock shows at `one` is before what it shows at `other`, where these are so long after what
  // it showed at the instant of their row. False: it cannot be.
  [[nodiscard]] HostRate rate_of(const Place& place, std::size_t host) const {
    return HostRate(rate_ppb(place, host), may_be_suspended_[host] ? 1 : 0);
  }
  [[nodiscard]] static bool require_earlier(Zone& zone, const HostRate& rate, const TimePoint& one,
                                            const TimePoint& other);
  [[nodiscard]] static bool require_not_earlier(Zone& zone, const HostRate& rate, const TimePoint& one,
                                                const TimePoint& other);
  [[nodiscard]] bool require_timer(Place& place, std::size_t client, const TimePoint& timer,
                                   Duration spread = {}) const;
  [[nodiscard]] static Row add_reached(Place& place, const HostRate& rate, Duration least, Duration most,
                                       Row after = now_row);
  void choose_rates(Place place, std::size_t first);
  void jump_clock_of_server(Place& place, Event::Fault form) const;
  void stop_clock_of_server(Place& place, Event::Fault form) const;
  void stop_clock(Place& place, std::size_t client, Event::Fault form) const;
  void shift_clock(Place& place, std::size_t client) const;
  [[nodiscard]] std::vector<std::pair<Place, TimePoint>> clock_now(const Place& place, std::size_t client,
                                                                   ReadClock clock) const;

  // What they lead to. Each ends with as many places as there are cases.
  void act(Place place, std::size_t client, const HostInput& input);
  void take(Place place, std::size_t client, const ClientAutomaton::Step& step);
  void order(Place place, std::size_t client);
  void strike_before(const Place& place, std::size_t client);
  void perform(Place place, std::size_t client);
  void send(Place place, std::size_t client);
  void mark(const Place& place, std::size_t client, const OutgoingMessage& sending, std::size_t first);
  [[nodiscard]] bool lay(Place& place, std::size_t client, Event::Fault form, OutgoingMessage& sending) const;
  void depart(Place place, std::size_t client, const OutgoingMessage& sending);
  [[nodiscard]] static int free_number(const ClientPlace& client, bool of_resource);
  void send_again(Place place, std::size_t client);
  static std::vector<Place> pushed(Place place, std::size_t client, Message message, const harness::Window& travel);
  static void add_passage(Place& place, Passage passage);
  void hear(Place place, std::size_t client, std::size_t message);
  void take_in(Place place, std::size_t client, const Message& message);
  [[nodiscard]] bool waits_for(const Place& place, std::size_t client, bool of_resource) const;
  void end_call(Place place, std::size_t client, HostInput::Kind how, Id reply = 0);
  void time_out(Place place, std::size_t client);
  void lose(Place place, std::size_t client, bool of_resource);
  void arrive_at_server(Place place, std::size_t client, std::size_t message);
  void reset(Place place, std::size_t client, const Message& message, bool after);
  void execute(Place place, std::size_t client, const Message& message, std::vector<bool> over);
  const ServerStep& server_step(Id state, Id command, const std::vector<bool>& over);
  void offer_serves(const Place& place);
  void serve(Place place, std::size_t client, std::size_t message);
  void run(Place place, std::size_t client, Message message);
  void run_now(Place place, std::size_t client, const Message& message);
  void refuse(Place place, std::size_t client, Message request);
  void hold_answer(const Place& place, std::size_t client, const Message& answer);
  static void hold(Place& place, std::size_t client, const Message& answer);
  void wake_server(Place place);
  void send_held(Place place);
  [[nodiscard]] std::vector<Place> pushed_answer(Place place, std::size_t client, Message answer) const;
  void answer(Place place, std::size_t client, const Message& message, Id reply);
  void give_answer(Place place, std::size_t client, const Message& message, Id reply);
  void wake(Place place, std::size_t client);
  void go_on(Place place, std::size_t client);
  void heal(Place place, std::size_t cut);
  void judge(const Place& place, std::size_t client);
  void judge_overlap(const Place& place, std::size_t client, std::size_t other, const TimePoint& of_other);
  void show(Place& place, Id events);
  /// Which monitor that counts time comes next, which list of events it sees, and the row of this instant.
  struct Position {
    std::size_t monitor = 0, list = 0;
    Row now = forgotten;
  };
  static void add_unseen(Place& place, Id events);
  void judge_in_time(Place place, Position next, std::vector<bool> answers);
  void answer_in_time(Place place, Position next, std::vector<bool> answers, const TimedWatcher::Question& question);
  void lose_requests(Place& place, std::size_t client, bool of_resource);
  void record(Place& place, std::size_t client, const ClientAutomaton::Step& step);
  void forget_past(Place& place);
  void finish(Place place);
  void settle(Place place);
  void forget(Place& place, std::size_t client) const;
  [[nodiscard]] static bool comes(const Place& place, std::size_t client, const Message& message);
  /// When its call has waited for as long as it may.
  [[nodiscard]] TimePoint time_out_of(const ClientPlace& client) const {
    return {client.sent, scenario_.network.timeout.count()};
  }

  const harness::Scenario& scenario_;
  const harness::Bounds& bounds_;
  Payloads payloads_;
  Monitors monitors_;
  ResourceStates resource_;
  std::vector<std::unique_ptr<ClientAutomaton>> automata_;
  std::unique_ptr<sim::SymbolicServer> server_;
  const bool counts_ticks_;  // the server: leases in seconds of its monotonic clock
  const bool is_one_queue_;  // what waits while it stands still
  std::map<std::tuple<Id, Id, std::vector<bool>>, ServerStep> server_steps_;
  std::vector<bool> may_be_suspended_;         // of each host, the servers last
  std::vector<harness::Triggers> triggers_{};  // … and the resource, at the beginning; none: no event places a fault
  Sink* sink_ = nullptr;
  Event event_{};
};

}  // namespace lockproof::zones
