// SPDX-License-Identifier: Apache-2.0
// KnownSteps: what a search has learnt of its states' parts, laid out to be read: summaries of clients and servers,
// rows of events, notes to monitors. All of it follows from the Product, whose numbers it uses; nothing of it has a
// number that stands in a state. Threads: several may read at once, while none adds.
#pragma once

#include <vector>

#include "search/state_space/rows.hpp"
#include "search/state_space/summaries.hpp"

namespace lockproof::sim {

class KnownSteps final : public PinnedObject {
 public:
  explicit KnownSteps(Product& product);

  /// Glances at what the product has that was not there at the last call.
  void look();
  /// The number of a span of time; Glance::no_span: it has none.
  [[nodiscard]] std::uint32_t span(Duration of) const {
    return spans_.find(static_cast<std::uint32_t>(of.count()), static_cast<std::uint32_t>(of.count() >> 32));
  }
  std::uint32_t add_span(Duration of);
  [[nodiscard]] std::uint64_t bytes() const;

  std::vector<Summaries> hosts;  // by column: clients with their links, then sites of servers
  Notes notes;
  Rows rows;

 private:
  [[nodiscard]] static Summary of_group(const Group& group, std::size_t client);
  [[nodiscard]] static Summary of_site(const Host::Summary& site);

  Product& p_;
  PairMap spans_;
  std::uint32_t span_count_ = 0;
};

}  // namespace lockproof::sim
