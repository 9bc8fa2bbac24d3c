// SPDX-License-Identifier: Apache-2.0
// The plain choosers: the first option always, a random one, one that follows a script, and one that writes the script.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/kernel/chooser.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::sim {

/// Takes the first event and the shortest duration.
class FirstChooser final : public Chooser {
 public:
  std::size_t first_of(std::size_t, const NameOf&) override { return 0; }
  Duration duration(const harness::Window& window, Duration, const NameOf&) override { return window.least; }
};

/// Uniform at every choice. The same seed gives the same run.
class RandomChooser final : public Chooser {
 public:
  explicit RandomChooser(std::uint64_t seed) : bits_(seed) {}
  std::size_t first_of(std::size_t count, const NameOf& name) override;
  Duration duration(const harness::Window& window, Duration grid, const NameOf& name) override;

 private:
  RandomBits bits_;
};

/// Follows the [[step]] entries of a scenario and leaves what they do not name to another chooser. Steps with `takes`
/// fix durations; the others are an order: of the events that are due together, the one listed first happens first.
class ScriptedChooser final : public Chooser {
 public:
  ScriptedChooser(const std::vector<harness::Step>& steps, Chooser& otherwise);
  std::size_t first_of(std::size_t count, const NameOf& name) override;
  Duration duration(const harness::Window& window, Duration grid, const NameOf& name) override;
  std::size_t strike(std::size_t count) override { return otherwise_.strike(count); }
  std::optional<Ask> ask(const AskOffer& offer) override { return otherwise_.ask(offer); }
  bool asks_at_once(const AskOffer& offer) override { return otherwise_.asks_at_once(offer); }
  /// Steps that no choice has used, as positions in the list: the script and the run do not match. Of steps that name
  /// the same event the first stands for all.
  [[nodiscard]] std::vector<std::size_t> unused() const;

 private:
  const std::vector<harness::Step>& steps_;
  Chooser& otherwise_;
  std::vector<bool> used_;
};

/// Records the answers of another chooser as steps with which a ScriptedChooser makes the same run.
class RecordingChooser final : public Chooser {
 public:
  /// `all`: also events that were no choice. Where a client asks at an instant of its own, a run must choose between
  /// the ask and the event.
  explicit RecordingChooser(Chooser& inner, bool all = false) : inner_(inner), all_(all) {}
  std::size_t first_of(std::size_t count, const NameOf& name) override;
  Duration duration(const harness::Window& window, Duration grid, const NameOf& name) override;
  std::size_t strike(std::size_t count) override { return inner_.strike(count); }
  std::optional<Ask> ask(const AskOffer& offer) override;
  bool asks_at_once(const AskOffer& offer) override;
  [[nodiscard]] const std::vector<harness::Step>& steps() const { return steps_; }

 private:
  Chooser& inner_;
  const bool all_;
  std::vector<harness::Step> steps_;
};

}  // namespace lockproof::sim
