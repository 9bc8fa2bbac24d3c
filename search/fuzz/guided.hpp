// SPDX-License-Identifier: Apache-2.0
// The strategy guided: runs that met a combination which no run before had are kept, changed in one place, and run
// again. Their choices are the corpus.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "search/fuzz/random.hpp"

namespace lockproof::sim {

/// The answers of a run, by the kind of question. If a mutation makes a run ask for more faults, the later answers
/// about order keep their meaning.
struct Trail {
  std::vector<std::uint32_t> orders, durations, strikes;
  std::vector<std::optional<Ask>> asks;  // in the order of the questions, including those at which no client asks
  std::vector<bool> at_once;
  std::uint64_t events = 0;
};

/// How a run follows a trail: up to an event; with one change, if any; then with new draws, or to its end.
struct Mutation {
  enum class What : std::uint8_t { nothing, order, duration, strike };
  What what = What::nothing;
  std::size_t place = 0;
  std::uint64_t until = UINT64_MAX;  // event
  bool spare = false;                // faults that struck in the trail do not strike again
};

/// Follows a trail with a mutation, and records its answers. Without a trail it draws all answers.
class MutatingChooser final : public Chooser {
 public:
  MutatingChooser(const harness::Scenario& scenario, std::uint64_t seed, const Strikes& strikes,
                  std::shared_ptr<const Trail> parent);
  std::size_t first_of(std::size_t count, const NameOf& name) override;
  Duration duration(const harness::Window& window, Duration grid, const NameOf& name) override;
  std::size_t strike(std::size_t count) override;
  std::optional<Ask> ask(const AskOffer& offer) override;
  bool asks_at_once(const AskOffer& offer) override;
  [[nodiscard]] const Trail& trail() const { return trail_; }

 private:
  void draw_mutation();
  using Line = std::vector<std::uint32_t> Trail::*;
  /// The trail's next answer to this kind of question; `none` if it is not followed any more.
  [[nodiscard]] std::size_t given(Line line, std::size_t none) const;
  [[nodiscard]] std::uint32_t other_than(std::uint32_t old, std::size_t count);

  const std::shared_ptr<const Trail> parent_;
  const std::uint64_t seed_;
  const Strikes strikes_;
  int used_ = 0;
  RandomBits bits_;
  Mutation mutation_;
  SamplingChooser fresh_;
  std::unique_ptr<StrikePlan> later_;  // for the part after the trail
  Trail trail_;
};

class Corpus {
 public:
  /// Keeps the run's trail if it met something new. Call in the order of the runs.
  bool add(const std::set<std::string>& met, Trail trail);
  /// The trail that a run continues: none, for one of four; otherwise, of two drawn, the one chosen less often.
  [[nodiscard]] std::shared_ptr<const Trail> parent(RandomBits& bits);
  [[nodiscard]] const std::set<std::string>& met() const { return met_; }

 private:
  struct CorpusEntry {
    std::shared_ptr<const Trail> trail;
    std::uint64_t chosen = 0;
  };
  std::vector<CorpusEntry> kept_;
  std::set<std::string> met_;
};

}  // namespace lockproof::sim
