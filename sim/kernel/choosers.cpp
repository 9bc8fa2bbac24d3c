// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/choosers.hpp"

#include <algorithm>
#include <utility>

namespace lockproof::sim {

std::size_t RandomChooser::first_of(std::size_t count, const NameOf&) {
  return count == 1 ? 0 : static_cast<std::size_t>(bits_.below(count));
}

Duration RandomChooser::duration(const harness::Window& window, Duration grid, const NameOf&) {
  return window.option(grid, bits_.below(window.options(grid)));
}

ScriptedChooser::ScriptedChooser(const std::vector<harness::Step>& steps, Chooser& otherwise)
    : steps_(steps), otherwise_(otherwise), used_(steps.size(), false) {}

std::size_t ScriptedChooser::first_of(std::size_t count, const NameOf& name) {
  if (steps_.empty()) return otherwise_.first_of(count, name);
  std::size_t best = steps_.size(), chosen = count;
  for (std::size_t i = 0; i < count; ++i) {
    const harness::EventName candidate = name(i);
    const auto step =
        std::ranges::find_if(steps_, [&](const harness::Step& s) { return !s.takes && s.event == candidate; });
    const auto rank = static_cast<std::size_t>(step - steps_.begin());
    if (rank < steps_.size()) used_[rank] = true;
    if (rank < best) best = rank, chosen = i;
  }
  return chosen < count ? chosen : otherwise_.first_of(count, name);
}

Duration ScriptedChooser::duration(const harness::Window& window, Duration grid, const NameOf& name) {
  const harness::EventName event = name(0);
  const auto step = std::ranges::find_if(steps_, [&](const harness::Step& s) { return s.takes && s.event == event; });
  if (step == steps_.end()) return otherwise_.duration(window, grid, name);
  used_[static_cast<std::size_t>(step - steps_.begin())] = true;
  return std::clamp(*step->takes, window.least, window.most);
}

std::vector<std::size_t> ScriptedChooser::unused() const {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < used_.size(); ++i) {
    const auto first = std::ranges::find_if(steps_, [&](const harness::Step& s) {
      return s.takes.has_value() == steps_[i].takes.has_value() && s.event == steps_[i].event;
    });
    if (!used_[static_cast<std::size_t>(first - steps_.begin())]) positions.push_back(i);
  }
  return positions;
}

std::optional<Ask> RecordingChooser::ask(const AskOffer& offer) {
  const std::optional<Ask> chosen = inner_.ask(offer);
  if (chosen) {
    steps_.push_back({.event = offer.name(chosen->client), .takes = std::nullopt, .at = offer.now + chosen->after});
  }
  return chosen;
}

bool RecordingChooser::asks_at_once(const AskOffer& offer) {
  const bool asks = inner_.asks_at_once(offer);
  if (asks) steps_.push_back({.event = offer.name(0), .takes = std::nullopt, .at = offer.now});
  return asks;
}

std::size_t RecordingChooser::first_of(std::size_t count, const NameOf& name) {
  const std::size_t chosen = inner_.first_of(count, name);
  if (count == 1 && !all_) return chosen;
  steps_.push_back({.event = name(chosen), .takes = std::nullopt});
  return chosen;
}

Duration RecordingChooser::duration(const harness::Window& window, Duration grid, const NameOf& name) {
  const Duration chosen = inner_.duration(window, grid, name);
  steps_.push_back({.event = name(0), .takes = chosen});
  return chosen;
}

}  // namespace lockproof::sim
