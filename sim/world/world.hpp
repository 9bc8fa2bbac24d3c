// SPDX-License-Identifier: Apache-2.0
// World: hosts, connections, clocks and faults of one scenario, run in a discrete-event simulation. There is no event
// queue: at each step the world looks at what could happen next (a message arriving, a timer, a fault), takes those at
// the earliest instant, and asks the Chooser which is first. A world depends on the scenario and the chooser's answers
// and on nothing else.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"
#include "harness/stop.hpp"
#include "sim/kernel/chooser.hpp"
#include "sim/kernel/passing_time.hpp"
#include "sim/world/asking.hpp"
#include "sim/world/budget.hpp"
#include "sim/world/connection.hpp"
#include "sim/world/model_factory.hpp"
#include "sim/world/process.hpp"
#include "sim/world/resource.hpp"
#include "sim/world/server.hpp"
#include "sim/world/whose_lock.hpp"

namespace lockproof::sim {

struct Options {
  bool record = true;         // whether to write a history at all
  bool record_inputs = true;  // … and to include in it what crosses the ports (read, draw, call, answer, step)
  /// How the n-th token of a client is written. Any names will do, as long as no two are equal.
  std::function<std::string(int client, int n)> token_name;
  /// Faults that the chooser may let strike, besides those of the scenario.
  const harness::Bounds* budget = nullptr;
  /// Keep what World::encoding needs.
  bool encoding = false;
  /// One factory can serve all worlds of one thread: making one takes longer than a short run. Null: the world makes
  /// its own.
  ModelFactory* models = nullptr;
  /// When a stop is requested, World::run throws Cancellation.
  std::stop_token stop = {};
  /// Hosts that run in another isolated host: here a client of these has no more than connections and a clock, what
  /// happens to one is told (World::tell_elsewhere), and the chooser is not asked which faults hold from the start.
  /// Null: all run here.
  std::function<bool(harness::HostIndex)> runs_elsewhere = {};
};

/// A lease that has been over for this long stays over, however far the faults of the scenario and of the budget set
/// its server's clock back.
[[nodiscard]] std::int64_t over_at_most_ms(const harness::Scenario& scenario, const harness::Bounds* bounds);

class World final : public PinnedObject {
 public:
  /// The scenario and the chooser must outlive the world.
  World(const harness::Scenario& scenario, Chooser& chooser, Options options = {});
  ~World();

  /// Runs one event. False: nothing can happen any more, or the horizon is reached.
  bool step();
  /// Runs to the end. Throws Cancellation.
  void run() {
    while (step()) look_at(options_.stop);
  }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] Duration now() const { return now_; }
  [[nodiscard]] const harness::History& history() const { return history_; }
  /// The events since the last call, for monitors that judge the run while it happens.
  [[nodiscard]] std::vector<harness::Event> take_events() { return std::exchange(history_.events, {}); }
  /// Whether a command of this client to this server may still run.
  [[nodiscard]] bool in_flight(harness::HostIndex client, harness::HostIndex server, int number) const;
  [[nodiscard]] harness::History take_history() { return std::move(history_); }

  // Clients that ask freely; see asking.hpp.
  [[nodiscard]] const AskingRule& asking() const { return asking_; }
  /// The clients that want the lock and can ask for it.
  [[nodiscard]] std::vector<int> may_ask() const;
  /// Those of the clients that may have had no connection until now: they have sent nothing, and the server has ended
  /// one of theirs, which they do not know.
  [[nodiscard]] std::vector<int> unconnected(const std::vector<int>& clients) const;
  /// The clients that have asked as if they connected only then.
  [[nodiscard]] const std::set<int>& late_connects() const { return late_connects_; }
  /// The time until the next event; nothing: none will come.
  [[nodiscard]] std::optional<Duration> until_next();
  /// What the program of some client would do is not known, so neither is what comes next.
  [[nodiscard]] bool has_given_up_program() const;
  /// The instants of Outlook that follow from events which are due are missing: only the search can find them.
  [[nodiscard]] Outlook outlook();
  [[nodiscard]] std::optional<Recurrence> ticks_of(std::size_t server) const;
  /// Attempts that a timer made although the client asks freely, and when they were made.
  [[nodiscard]] const std::vector<harness::Step>& asked() const { return asked_; }
  void asked(harness::EventName attempt) {
    asked_.push_back({.event = std::move(attempt), .takes = std::nullopt, .at = now_});
  }
  /// Whether a client that has just begun to want the lock asks at this instant.
  [[nodiscard]] bool asks_at_once(harness::HostIndex client);

  /// One of the events that are due now, while the chooser is asked which is first.
  struct DueEvent {
    bool arrives = false;  // from one host at another; else the event is a host's own
    bool reply = false;
    int client = 0, server = 0;  // for an arrival; servers are counted from 0
    harness::HostIndex host = 0;
    bool may_undo = false;  // a request, or the end of a connection: see undo.hpp
  };
  [[nodiscard]] DueEvent candidate(std::size_t i) const;
  /// For an arriving reply: see Process::only_buffers.
  [[nodiscard]] bool only_buffers(std::size_t candidate) const;

  // The interface for the hosts of this world.
  [[nodiscard]] const harness::Scenario& scenario() const { return scenario_; }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] Chooser& chooser() { return chooser_; }
  /// The scenario's faults, and behind them those of the budget that have struck.
  [[nodiscard]] const std::deque<harness::Fault>& faults() const { return faults_; }
  [[nodiscard]] const Budget& budget() const { return budget_; }
  /// The faults of the budget that have struck since the last call.
  [[nodiscard]] std::vector<Budget::Offer> take_struck() { return budget_.take_struck(); }
  void watch_budget(Budget::Watch watch) { budget_.watch(std::move(watch)); }
  /// The state as bytes; it needs Options::encoding.
  [[nodiscard]] std::string encoding(ClockDetail detail) const;
  /// The number of a client's round, as the encoding has it.
  [[nodiscard]] int encoded_round(harness::HostIndex client, int round) const;
  /// What a state must tell of the clocks by what has been read: their offsets matter to locks that compare stamps, the
  /// instant to scripts of a server that make numbers of its time.
  [[nodiscard]] ClockDetail clocks_read() const { return clocks_read_; }
  /// For states of this world alone, which are compared with those before.
  [[nodiscard]] ClockDetail detail_of_its_past() const { return std::max(ClockDetail::offsets, clocks_read_); }
  /// No client will ask for the lock any more.
  [[nodiscard]] bool is_quiescent() const;
  /// What a probe client would find on a server if it came when all leases have run out or, `with_leased`, before.
  [[nodiscard]] std::string remains(std::size_t server, bool with_leased) const;
  /// The longest remaining time to live over all keys, by each server's wall clock.
  [[nodiscard]] Duration longest_lease() const;
  /// Whether events are noted: somebody reads them, or a fault is placed by what they tell.
  [[nodiscard]] bool is_noted() const { return options_.record || whose_lock_; }
  /// Names effects on the lock's key as the scenario names the lock, as all that judges them does.
  void name_as_the_lock(std::vector<harness::Effect>& effects) const;
  /// What a command with these effects has done to the key of a program's lock.
  [[nodiscard]] std::optional<harness::KeyChange> change_of_program(const std::vector<harness::Effect>& effects) const;
  /// Whose the lock is at a server, for a client, if a fault is placed by that.
  [[nodiscard]] harness::EventPlace::LockState lock_state(harness::HostIndex server, const Process& client) const;
  /// Ends the faults that end at this event of a client.
  void look_at_ends(const harness::EventPlace& event);
  [[nodiscard]] bool has_ends() const { return !ends_at_.empty(); }
  [[nodiscard]] const std::string& name(harness::HostIndex host) const { return history_.host_name(host); }
  [[nodiscard]] harness::HostIndex host_named(const std::string& name) const { return history_.host_named(name); }
  [[nodiscard]] harness::HostIndex first_server() const {
    return static_cast<harness::HostIndex>(scenario_.clients.size());
  }
  [[nodiscard]] std::size_t server_count() const { return servers_.size(); }  // with the resource, which is the last
  /// Of the process that this client is a task of; null: it has no other task.
  [[nodiscard]] SharedMemory* memory_of(harness::HostIndex client);
  [[nodiscard]] Process& process(std::size_t i) { return *processes_.at(i); }
  [[nodiscard]] const Process& process(std::size_t i) const { return *processes_.at(i); }
  [[nodiscard]] Server& server(std::size_t i) { return *servers_.at(i); }
  [[nodiscard]] Connection& connect(harness::HostIndex client, harness::HostIndex server);
  /// Sends a request.
  void send(Connection& connection, Message message);
  /// The client closes its end. `name`: of the message that says so, by its occurrence and its round.
  void hang_up(Connection& connection, int occurrence, int round);
  void drew(const Token& token) {
    if (options_.encoding) tokens_.push_back(token.bytes());
  }
  void read_clocks(ClockDetail detail) { clocks_read_ = std::max(clocks_read_, detail); }
  /// Handles a fault placed by an event: it strikes now, or after its delay. If the event is about a message,
  /// `connection` and `number` name it.
  void trigger_fault(std::size_t fault, Connection* connection, int number);
  void strike(std::size_t fault);
  /// Asks the chooser whether faults of the budget strike here.
  void offer_faults(const Occasion& occasion, harness::HostIndex actor, Connection* connection, int number);
  /// What an event of this world does to a host that runs in another one: a fault that the event places there, or the
  /// server to which a client turns.
  struct RemoteEffect {
    harness::HostIndex host;
    std::optional<std::size_t> fault{};
    harness::HostIndex from = harness::no_host, to = harness::no_host;
  };
  /// Who is told. REQUIRES before the first event: Options::runs_elsewhere is given.
  void tell_elsewhere(std::function<void(const RemoteEffect&)> tell) { tell_elsewhere_ = std::move(tell); }
  /// A paused host does nothing; pauses may overlap. On waking it first does what fell due during the pause.
  void pause(harness::HostIndex host);
  void wake(harness::HostIndex host);
  /// Adds an event of `host` to the history, stamped with its clocks.
  void note(harness::HostIndex host, const HostClocks& clocks, harness::Event event);

 private:
  [[nodiscard]] const std::string& key_of_program() const;  // empty: the lock's name
  friend class IsolatedHost;                                // runs one of the hosts alone
  struct Candidate {
    enum class Kind : std::uint8_t {
      request,
      reply,
      replication,
      word,
      timer,
      unblock,
      serve,
      sentinel,
      election,
      strike,
      heal
    };
    Kind kind;
    std::size_t index;  // in the list of connections, servers, processes, sentinels or plans
    Timer timer{};
    Connection* waits = nullptr;  // the one whose oldest request a server serves
  };
  struct PlannedFault {
    Duration at;
    std::size_t fault;
    bool heals;
  };
  /// Two hosts cannot reach each other until an instant; messages under way arrive then.
  struct Cut {
    harness::HostIndex from, to;
    Duration until;
    bool stall;                          // it holds back replication only: other messages pass
    std::optional<std::size_t> fault{};  // which may end it earlier
  };
  /// A fault that has struck and ends at an event, if it does not end before.
  struct EndsAt {
    std::size_t fault;
    int connection, message;  // of a message that is late; 0: another fault
    int seen = 0;             // such events since it struck
  };

  void add_hosts();
  void offer_faults_at_start();
  void offer(Duration at, Candidate candidate);
  void collect();
  void perform(const Candidate& candidate);
  [[nodiscard]] harness::EventName name_of(const Candidate& candidate) const;
  void count_event(const Candidate& candidate);
  [[nodiscard]] harness::EventName name_of(const Connection& connection, const Message& message) const;
  [[nodiscard]] Duration latency(const Connection& connection, const Message& message);
  void deliver(Server::UnreadRequest unseen, bool is_oldest = false);
  void end_connection(Connection& connection);
  void note_end(const Connection& connection, std::vector<harness::Effect> effects);
  void report_lack(const std::string& lack) const;
  void execute(Connection& connection, Message request);
  void finish(Connection& connection, Message message, NodeAnswer executed);
  void leave(Connection& connection, Message answer);
  void answer(Connection& connection, Message reply);
  [[nodiscard]] Message pushed(const Connection& to, Reply message);
  [[nodiscard]] AskOffer offer_to_ask(std::vector<int> clients, std::optional<Duration> next);
  bool somebody_asks();
  void each_arrival(const Connection& connection, const std::function<void(Duration)>& see) const;
  void each_instant_of_links(const std::function<void(Duration)>& see) const;
  void each_instant_of_servers(const std::function<void(Duration)>& see) const;
  [[nodiscard]] bool keeps_answers_back(const PlannedFault& plan) const;
  [[nodiscard]] bool wakes_client(const PlannedFault& plan) const;
  void offer_servers();
  [[nodiscard]] static bool is_among(const std::vector<Server::UnreadRequest>& waiting, const Connection& connection);
  [[nodiscard]] static bool holds_back(const Server& server, const Connection& connection);
  static void put_behind(std::vector<Server::UnreadRequest>& waiting, Server::UnreadRequest unseen);
  void offer_waiting(const Server& server, std::size_t index);
  void serve(Connection& connection);
  void unblock(harness::HostIndex host);
  void note_acts(harness::HostIndex host, std::vector<OwnAct> acts);
  void heal(std::size_t fault);
  void strike(std::size_t fault, harness::HostIndex host);
  [[nodiscard]] std::vector<harness::HostIndex> struck_hosts(const harness::Fault& fault,
                                                             harness::HostIndex target) const;
  std::vector<harness::Effect> change(const harness::Fault& fault, harness::HostIndex target);
  std::vector<harness::Effect> store_changes(const harness::Fault& fault, Server& server, harness::HostIndex host);
  void mark_message(std::size_t fault, Connection& connection, int number);
  void cut(const harness::Fault& fault, harness::HostIndex target);
  void cut(const Cut& cut);
  [[nodiscard]] Duration arrival(const Message& message, harness::HostIndex from, harness::HostIndex to) const;
  std::vector<harness::Effect> take_down(Server& server, harness::HostIndex host, bool without_warning);
  void bring_up(harness::HostIndex host);
  void break_connection(const harness::Fault& fault, harness::HostIndex client);
  void reset_all(harness::HostIndex server);
  void reset(harness::HostIndex client, harness::HostIndex server);
  void reset(Connection& connection);
  void close_at_server(harness::HostIndex server, const std::vector<int>& connections);
  void fail_over(const harness::Fault& fault, harness::HostIndex old);
  void promote(harness::HostIndex old, harness::HostIndex promoted, const std::vector<std::string>& to_clients);
  void demote(harness::HostIndex old, harness::HostIndex master);
  void redirect(harness::HostIndex client, harness::HostIndex from, harness::HostIndex to);
  void refuse(Connection& connection, Message request);
  void add_ensemble();
  void offer_election();
  void plan_next_look();
  void look_at_ensemble();
  void look_at_leader();
  void look_at_follower(harness::HostIndex host);
  bool elect();
  void lead(harness::HostIndex leader, const std::vector<harness::HostIndex>& voters);
  void stand(harness::HostIndex host, Standing standing);
  void leave_ensemble(harness::HostIndex host);
  void join_ensemble(harness::HostIndex host);
  void share(harness::HostIndex from, const std::vector<std::string>& changed);
  void take(harness::HostIndex host, const ServiceModel::OwnActs& acted);
  [[nodiscard]] bool in_touch(harness::HostIndex one, harness::HostIndex other) const;
  [[nodiscard]] bool runs(harness::HostIndex host) const;
  [[nodiscard]] bool sync_timeout_is_over(const Server& server) const;
  [[nodiscard]] std::vector<harness::HostIndex> members() const;
  [[nodiscard]] const Server& member(harness::HostIndex host) const;
  [[nodiscard]] bool has_majority(std::size_t members) const { return members > scenario_.servers.size() / 2; }
  [[nodiscard]] ServerTime time_of(const Server& server) const;
  void encode_ensemble(StateEncoder& into) const;
  void add_sentinels();
  [[nodiscard]] Duration reconnected(const Sentinel& sentinel) const;
  [[nodiscard]] bool runs(const Sentinel& sentinel) const;
  [[nodiscard]] std::optional<Duration> waits_since(const Sentinel& sentinel) const;
  [[nodiscard]] std::optional<Duration> acts_at(const Sentinel& sentinel) const;
  void listen_for_masters();
  void look_at_ended_cuts();
  void offer_sentinels();
  void decide(std::size_t sentinel);
  void replicate(harness::HostIndex master, std::vector<Command> commands);
  void replicate_to(std::size_t replica, const Command& command);
  void turn(harness::HostIndex replica, harness::HostIndex master);
  void apply(std::size_t server);
  [[nodiscard]] Duration replication_latency(const Message& message, harness::HostIndex from, harness::HostIndex to);
  void say(std::size_t replica, const char* verb);
  void hear(std::size_t replica);
  void ask_for_copy(std::size_t replica);
  void link_up(harness::HostIndex host);
  void link_down(harness::HostIndex host);
  void unlink(Server& replica);
  [[nodiscard]] bool is_silent(const Server& replica) const;
  [[nodiscard]] std::optional<Duration> silent_since(const Server& replica) const;
  void listen();
  void listen_to_servers();
  void look_at_followers(harness::HostIndex master);
  [[nodiscard]] bool is_cut(harness::HostIndex from, harness::HostIndex to) const;
  [[nodiscard]] bool is_elsewhere(harness::HostIndex host) const {
    return options_.runs_elsewhere && options_.runs_elsewhere(host);
  }
  void push(const std::vector<Push>& pushes);
  void note_drop(const Connection& connection, int number, const char* what);
  [[nodiscard]] HostClocks& clocks(harness::HostIndex host);
  [[nodiscard]] const HostClocks& clocks_of(harness::HostIndex host) const;
  [[nodiscard]] static bool holds_something_of(const Server& server, const Connection& connection);
  static void encode_faults(StateEncoder& into, const Line& line, int next);
  [[nodiscard]] int distance(const Server::UnreadRequest& unseen) const;
  void encode_connections(StateEncoder& into, const Process& process, std::map<int, int>& numbers) const;
  void encode_server(StateEncoder& into, std::size_t server, const std::map<int, int>& numbers) const;
  void encode_links(StateEncoder& into, const Server& server) const;
  void encode_difference(StateEncoder& into, const Server& server) const;
  void plan(const PlannedFault& added);
  void encode_plans(StateEncoder& into) const;
  void encode_sentinels(StateEncoder& into) const;
  void encode_clocks(StateEncoder& into, harness::HostIndex host, ClockDetail detail) const;
  [[nodiscard]] Server& server_of(const Connection& connection);
  [[nodiscard]] Server& server_at(harness::HostIndex host);
  void end_by_event(const EndsAt& ending);
  void server_happens(harness::EventPlace::Moment moment, Connection& connection, const Message& message);
  void forget_closed();

  const harness::Scenario& scenario_;
  Chooser& chooser_;
  const Options options_;
  const std::unique_ptr<ModelFactory> own_models_;
  ModelFactory& models_;
  Budget budget_;
  const AskingRule asking_;
  const std::int64_t over_at_most_ms_;
  std::deque<harness::Fault> faults_;
  harness::History history_;
  Duration now_{};
  std::uint64_t events_ = 0;
  PassingTime passing_;
  bool ended_ = false;
  std::vector<std::unique_ptr<Server>> servers_;
  std::vector<std::unique_ptr<Connection>> connections_;
  int connections_made_ = 0;
  /// Messages pushed by a server to a client, over whichever connection: the next one is named by this.
  std::map<std::pair<harness::HostIndex, harness::HostIndex>, int> pushed_;
  std::vector<PlannedFault> plans_;
  std::vector<Cut> cuts_;
  std::vector<EndsAt> ends_at_;
  std::optional<WhoseLock> whose_lock_;  // nothing: no event is named by it
  std::vector<harness::Step> asked_;
  std::set<int> late_connects_;
  std::vector<Sentinel> sentinels_;
  Ensemble ensemble_;
  std::vector<std::string> tokens_;  // all tokens drawn so far
  std::function<void(const RemoteEffect&)> tell_elsewhere_{};
  ClockDetail clocks_read_ = ClockDetail::relative;
  bool listens_ = false;  // a server requires replicas for its writes: whether it hears from them matters
  std::map<std::string, std::unique_ptr<SharedMemory>> memories_;  // by the name of the process
  std::vector<std::unique_ptr<Process>> processes_;
  // Scratch space of collect(): the events that are due at the earliest instant.
  std::vector<Candidate> candidates_;
  Duration next_{};
};

}  // namespace lockproof::sim
