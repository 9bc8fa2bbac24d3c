// SPDX-License-Identifier: Apache-2.0
#include "search/fuzz/guided.hpp"

#include <algorithm>

namespace lockproof::sim {

MutatingChooser::MutatingChooser(const harness::Scenario& scenario, std::uint64_t seed, const Strikes& strikes,
                                 std::shared_ptr<const Trail> parent)
    : parent_(std::move(parent)), seed_(seed), strikes_(strikes), bits_(mixed(seed, "mutation")),
      fresh_(scenario, seed, {}, StrikePlan(seed, parent_ ? Strikes() : strikes)) {
  if (parent_) draw_mutation();
}

/// One half draws anew from some event on; each of the others changes one answer and keeps the rest.
void MutatingChooser::draw_mutation() {
  const bool struck = std::ranges::any_of(parent_->strikes, [](std::uint32_t answer) { return answer > 0; });
  switch (bits_.below(8)) {
    case 0:
    case 1:
    case 2:
    case 3: mutation_.until = bits_.below(parent_->events + 1); return;
    case 4:
      if (parent_->orders.empty()) break;
      mutation_.what = Mutation::What::order;
      mutation_.place = bits_.below(parent_->orders.size());
      return;
    case 5:
      if (parent_->durations.empty()) break;
      mutation_.what = Mutation::What::duration;
      mutation_.place = bits_.below(parent_->durations.size());
      return;
    case 6: mutation_.spare = struck; [[fallthrough]];
    default: break;
  }
  if (parent_->strikes.empty()) return;
  mutation_.what = Mutation::What::strike;
  mutation_.place = bits_.below(parent_->strikes.size());
}

std::size_t MutatingChooser::given(Line line, std::size_t none) const {
  const std::size_t made = (trail_.*line).size();
  const bool follows = parent_ && trail_.events <= mutation_.until && made < (*parent_.*line).size();
  return follows ? (*parent_.*line)[made] : none;
}

std::uint32_t MutatingChooser::other_than(std::uint32_t old, std::size_t count) {
  if (count < 2) return 0;
  const auto drawn = static_cast<std::uint32_t>(bits_.below(count - 1));
  return drawn < old ? drawn : drawn + 1;
}

std::size_t MutatingChooser::first_of(std::size_t count, const NameOf& name) {
  ++trail_.events;
  if (count == 1) return 0;
  const std::size_t made = trail_.orders.size();
  std::size_t answer = given(&Trail::orders, count);
  if (mutation_.what == Mutation::What::order && made == mutation_.place && answer < count) {
    answer = other_than(static_cast<std::uint32_t>(answer), count);
  }
  if (answer >= count) answer = fresh_.first_of(count, name);
  trail_.orders.push_back(static_cast<std::uint32_t>(answer));
  return answer;
}

Duration MutatingChooser::duration(const harness::Window& window, Duration grid, const NameOf& name) {
  const std::size_t made = trail_.durations.size();
  const std::uint64_t count = window.options(grid);
  std::size_t answer = given(&Trail::durations, count);
  if (mutation_.what == Mutation::What::duration && made == mutation_.place && answer < count) {
    answer = other_than(static_cast<std::uint32_t>(answer), count);
  }
  if (answer >= count) {
    const harness::Window up_to{window.least, fresh_.duration(window, grid, name)};
    answer = up_to.options(grid) - 1;
  }
  trail_.durations.push_back(static_cast<std::uint32_t>(answer));
  return window.option(grid, answer);
}

std::size_t MutatingChooser::strike(std::size_t count) {
  const std::size_t made = trail_.strikes.size();
  std::size_t answer = given(&Trail::strikes, count + 1);
  if (answer <= count) {
    const bool here = mutation_.what == Mutation::What::strike && made == mutation_.place;
    if (mutation_.spare && !here) answer = 0;
    if (here) answer = 1 + bits_.below(count);
  }
  if (answer > count && !parent_) answer = fresh_.strike(count);
  if (answer > count) {
    const std::uint64_t left = strikes_.occasions > made ? strikes_.occasions - made : 1;
    const Strikes rest{.most = strikes_.most - used_, .occasions = left};
    if (!later_) later_ = std::make_unique<StrikePlan>(mixed(seed_, "later"), rest);
    answer = later_->strike(count);
  }
  used_ += answer > 0;
  trail_.strikes.push_back(static_cast<std::uint32_t>(answer));
  return answer;
}

std::optional<Ask> MutatingChooser::ask(const AskOffer& offer) {
  const std::size_t made = trail_.asks.size();
  std::optional<Ask> answer;
  if (parent_ && trail_.events <= mutation_.until && made < parent_->asks.size()) {
    answer = parent_->asks[made];
    const bool fits = answer && answer->client < offer.clients.size() && (!offer.next || answer->after <= *offer.next);
    if (!fits) answer.reset();
  } else {
    answer = fresh_.ask(offer);
  }
  trail_.asks.push_back(answer);
  return answer;
}

bool MutatingChooser::asks_at_once(const AskOffer& offer) {
  const std::size_t made = trail_.at_once.size();
  const bool follows = parent_ && trail_.events <= mutation_.until && made < parent_->at_once.size();
  const bool answer = follows ? parent_->at_once[made] : fresh_.asks_at_once(offer);
  trail_.at_once.push_back(answer);
  return answer;
}

bool Corpus::add(const std::set<std::string>& met, Trail trail) {
  const std::size_t before = met_.size();
  met_.insert(met.begin(), met.end());
  if (met_.size() == before) return false;
  kept_.push_back({std::make_shared<const Trail>(std::move(trail)), 0});
  return true;
}

std::shared_ptr<const Trail> Corpus::parent(RandomBits& bits) {
  constexpr std::uint64_t one_in_fresh = 4;
  if (bits.below(one_in_fresh) == 0 || kept_.empty()) return nullptr;
  CorpusEntry& one = kept_[bits.below(kept_.size())];
  CorpusEntry& other = kept_[bits.below(kept_.size())];
  CorpusEntry& chosen = other.chosen < one.chosen ? other : one;
  ++chosen.chosen;
  return chosen.trail;
}

}  // namespace lockproof::sim
