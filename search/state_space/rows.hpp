// SPDX-License-Identifier: Apache-2.0
// Rows: the events that can happen next to one client, each row worked out once by Successors and read from then on.
// An entry depends on the key of its row and on nothing else. The key is the client, its group (itself and its links),
// which of its tokens are in use anywhere, and the rest of the budget; for a request that a server runs, the state of
// the server's site as well. What else an event depends on is not in a row: monitors see its note (see Notes), and who
// else is inside is looked at when it happens. No row serves while a paused server holds messages, and none has an
// event that reaches another client.
#pragma once

#include <map>
#include <vector>

#include "search/state_space/notes.hpp"
#include "search/state_space/successors.hpp"

namespace lockproof::sim {

/// One outcome of an event of the client, or a request that arrives and whose outcomes are a row of their own.
struct Entry {
  static constexpr Id unchanged = UINT32_MAX, no_quiet = UINT32_MAX;
  enum class Kind : std::uint8_t { local, reply, request };

  Id group = 0;                // the client's after it; of a request: its place among the link's arrivals
  Id site_state = unchanged;   // the site's after it, if a server has run a request
  Id note = Notes::nothing;    // to the monitors
  Id quiet = no_quiet;         // a list of inputs to servers: see Rows::quiet_steps
  Id used = Budgets::nothing;  // of the budget
  std::uint16_t event = 0;     // which of the row's: outcomes of one event stand together
  std::uint8_t server = 0;     // of an arrival
  Kind kind : 2 = Kind::local;
  bool buffered : 1 = false;  // of a reply: its first outcome is only put down, for a gather that waits for others
  bool enters : 1 = false, promised : 1 = false, asks : 1 = false, contends : 1 = false;  // see EventLists
};

struct Row {
  std::uint32_t first = 0;
  std::uint16_t locals = 0, arrivals = 0;  // the entries of the client's own events, then those of arrivals
  bool requests = false;                   // some entries are requests
  bool far = false;                        // an event of it reaches another client: it has no entries
};

class Rows final : public PinnedObject {
 public:
  static constexpr Id none = PairMap::none;

  Rows(Notes& notes, const EventLists& events, const Sites& sites) : notes_(notes), events_(events), sites_(sites) {}

  /// The part of a key beside the group.
  [[nodiscard]] static Id key(std::size_t client, std::uint64_t tokens, Id rest) {
    return rest << (token_names + client_bits) | static_cast<Id>(tokens) << client_bits | static_cast<Id>(client);
  }
  [[nodiscard]] Id find(Id group, Id key) const { return of_clients_.find(group, key); }
  void prefetch(Id group, Id key) const { of_clients_.prefetch(group, key); }
  /// The row of a request, which is the entry with this number, for a state of its server's site.
  [[nodiscard]] Id find_run(std::uint32_t request, Id site_state) const { return runs_.find(request, site_state); }
  void prefetch_run(std::uint32_t request, Id site_state) const { runs_.prefetch(request, site_state); }
  [[nodiscard]] const Row& at(Id row) const { return rows_[row]; }
  [[nodiscard]] const Entry& entry(std::uint32_t number) const { return entries_[number]; }
  [[nodiscard]] const Entry* entries(const Row& row) const { return entries_.data() + row.first; }

  /// What the inputs of a list are, and to which sites.
  struct QuietStep {
    Id input;
    std::size_t site;
  };
  [[nodiscard]] const std::vector<QuietStep>& quiet_steps(Id list) const { return quiet_lists_[list]; }
  /// The state of the site after the input; `none`: not known.
  [[nodiscard]] Id find_quiet(Id input, Id state) const { return quiet_.find(input, state); }

  // REQUIRES: it is not known. `tuple`: a state with this key, at the instant of its next event.
  Id learn(Id group, Id key, const Product::Tuple& tuple, std::size_t client, Successors& successors);
  Id learn_run(std::uint32_t request, const Product::Tuple& tuple, std::size_t client, Successors& successors);
  Id learn_quiet(Id input, Id state, Successors& successors);

  /// For tests of the search: the row is found with any rest of the budget from now on.
  void forget_budget(Id group, Id key, Id row);

  [[nodiscard]] std::uint64_t bytes() const {
    return of_clients_.bytes() + runs_.bytes() + quiet_.bytes() + rows_.capacity() * sizeof(Row) +
           entries_.capacity() * sizeof(Entry);
  }

 private:
  static constexpr unsigned client_bits = 3;
  static_assert(1u << client_bits >= token_clients);

  class Collector;
  Id kept(const Collector& collected);
  [[nodiscard]] Entry entry_of(Id events, const std::vector<Id>& losses);
  Id quiet_list(const std::vector<NoOpInput>& inputs);

  Notes& notes_;
  const EventLists& events_;
  const Sites& sites_;
  PairMap of_clients_, runs_, quiet_;
  std::vector<Row> rows_;
  std::vector<Entry> entries_;
  std::vector<NoOpInput> quiet_inputs_;
  std::map<std::pair<std::size_t, std::uint64_t>, Id> quiet_numbers_;  // by site, and key of the input
  std::vector<std::vector<QuietStep>> quiet_lists_;
};

}  // namespace lockproof::sim
