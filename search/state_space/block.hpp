// SPDX-License-Identifier: Apache-2.0
// Block: some states that are expanded together from what is known, in stages: each stage looks up one thing for all of
// them, and asks for the memory that the next one reads. What a block passes is what Successors passes, in the same
// order; a state of which something is not known is left out, and nothing of it is passed. A block that learns has one
// state, and has Successors work out what is missing. Threads: several blocks may look up at once, while none learns.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "search/state_space/expansions.hpp"
#include "search/state_space/known_steps.hpp"

namespace lockproof::sim {

class Block final : public PinnedObject {
 public:
  static constexpr std::size_t most = 64;
  static constexpr std::uint32_t nobody = UINT32_MAX;
  using Tuple = Product::Tuple;

  /// `successors`: learns if the block is to learn, and not otherwise.
  /// `alone`: there are no other workers.
  Block(Product& product, KnownSteps& known, const PackedSet& states, Successors& successors, Expansions& into,
        bool alone)
      : p_(product), known_(known), states_(states), successors_(successors), into_(into), clients_(product.clients_),
        hosts_(product.host_count_), columns_(product.columns()), monitors_(product.monitor_states_.count()),
        watch_(product.watch_column_), alone_(alone), has_rows_(has_rows(product)), asks_(product.asking_.applies()),
        summaries_(hosts_) {}

  /// Expands at most `most` states. `worker` is put into their results, `nobody` into those of states that are left
  /// out.
  void expand(std::span<const std::uint32_t> states, std::uint32_t worker, ExpandedState* results);
  /// Expands one state, and has what is missing worked out.
  [[nodiscard]] ExpandedState learn(std::uint32_t number, const Tuple& tuple, std::uint32_t worker);
  /// How often something was missing, beside what Successors counts.
  [[nodiscard]] std::uint64_t learned() const { return learned_; }

 private:
  static constexpr std::size_t columns_most = token_clients + Product::most_servers + 2 + MonitorStates::most;

  /// `far`: something in it is in no row, and Successors expands it.
  enum class Fate : std::uint8_t { known, far, unknown };
  struct State {
    std::array<Id, columns_most> before, now;  // and at the instant of its next event
    std::array<Id, token_clients> rows;
    Fate fate;
    bool quiet;
    std::uint8_t acts;  // a bit for each client
  };
  struct Event {
    std::uint32_t entry;  // in Rows
    std::uint16_t client;
    std::uint16_t site;  // of the server that runs a request
  };

  [[nodiscard]] static bool has_rows(const Product& product);
  void look();
  void stages(std::size_t count, const std::uint32_t* numbers, std::uint32_t worker, ExpandedState* results);
  void begin(State& state);
  bool age(State& state, Duration by);
  void learn_ages(const State& state, Duration by);
  void find_rows(State& state);
  void ask_for_runs(const State& state);
  // The events of a state.
  void collect(State& state);
  bool collect_fewer(State& state);
  bool collect_buffered(State& state);
  void collect(State& state, std::size_t client, std::uint32_t entry);
  template <class Wanted>
  void collect_arrivals(State& state, Wanted wanted);
  // What comes of them.
  void ask_for_notes(std::size_t n);
  void pass(std::size_t n, std::uint32_t number);
  bool pass_far(const State& state);
  bool pass(const State& state, const Event& event);
  bool pass_renamed(bool is_plain);
  bool spend(Id used);
  bool settle(const Entry& entry);
  bool judge(const State& state, const Event& event, const Entry& entry);
  [[nodiscard]] bool is_plain() const;
  [[nodiscard]] bool contends(const Event& event, const Entry& entry) const;
  [[nodiscard]] std::string_view exclusion(const State& state, const Event& event, const Entry& entry) const;

  template <class Do>
  void each_actor(const State& state, Do what);
  [[nodiscard]] const Summary& summary(std::size_t i, Id number) const { return summaries_[i][number]; }
  [[nodiscard]] const Summary& summary(const State& state, std::size_t i) const { return summary(i, state.now[i]); }
  void whole(const std::array<Id, columns_most>& of) {
    whole_.assign(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(columns_));
  }
  /// Something is not known. True: it is to be learnt.
  [[nodiscard]] bool missing(State& state) {
    if (!learns_) state.fate = Fate::unknown;
    return missing();
  }
  [[nodiscard]] bool missing() {
    learned_ += learns_;
    return learns_;
  }

  Product& p_;
  KnownSteps& known_;
  const PackedSet& states_;
  Successors& successors_;
  Expansions& into_;
  const std::size_t clients_, hosts_, columns_, monitors_, watch_;  // the monitors' columns are from `watch_` on
  const bool alone_;
  const bool has_rows_;  // else Successors expands all states
  const bool asks_;      // clients may ask when they like
  bool learns_ = false;
  std::uint64_t learned_ = 0;
  std::vector<const Summary*> summaries_;  // by column
  std::array<State, most> block_;
  std::vector<Event> events_;
  std::array<std::uint32_t, most + 1> first_{};  // of its events
  Id* after_ = nullptr;                          // the state after an event
  Tuple whole_;
};

}  // namespace lockproof::sim
