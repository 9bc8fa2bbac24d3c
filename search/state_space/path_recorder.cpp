// SPDX-License-Identifier: Apache-2.0
#include "search/state_space/path_recorder.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/kernel/path_chooser.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {
namespace {

class GuidedChooser final : public Chooser {
 public:
  explicit GuidedChooser(const Sites& sites) : sites_(sites) {}
  void follow(const World* world, const Leg& leg) {
    world_ = world;
    leg_ = &leg;
    next_ = 0;
    strikes_.reset();
  }
  /// The world's budget could strike with `ever`, and with what is left of it with `now`.
  void offered(const std::vector<Budget::Offer>& ever, const std::vector<Budget::Offer>& now) {
    const std::size_t answer = next_answer();
    strikes_ = 0;
    if (answer == 0) return;
    const auto place = std::ranges::find(now, ever.at(answer - 1));
    if (place == now.end()) throw std::logic_error("the world's budget is more used up than the product's");
    strikes_ = static_cast<std::size_t>(place - now.begin()) + 1;
  }
  [[nodiscard]] bool followed() const { return next_ == leg_->answers.size(); }
  [[nodiscard]] const Choices& choices() const { return choices_; }

  std::size_t first_of(std::size_t count, const NameOf&) override {
    int before = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!fits(world_->candidate(i)) || before++ < wanted()) continue;
      if (count > 1) choices_.push_back(static_cast<std::uint16_t>(i));
      return i;
    }
    throw std::logic_error("the world offers no such event");
  }
  Duration duration(const harness::Window& window, Duration grid, const NameOf&) override {
    return window.option(grid, choose(window.options(grid)));
  }
  std::size_t strike(std::size_t) override {
    // While a world is made, its choices are numbers of what it offers.
    const std::size_t chosen = strikes_ ? *std::exchange(strikes_, {}) : next_answer();
    choices_.push_back(static_cast<std::uint16_t>(chosen));
    return chosen;
  }
  std::optional<Ask> ask(const AskOffer& offer) override {
    if (!leg_->move.asks) {
      choices_.push_back(0);
      return std::nullopt;
    }
    const auto place = std::ranges::find(offer.clients, leg_->move.host);
    if (place == offer.clients.end()) throw std::logic_error("the world offers no such event");
    PathChooser::add_ask(choices_, leg_->move.host, leg_->move.after, leg_->move.connects);
    return Ask{static_cast<std::size_t>(place - offer.clients.begin()), leg_->move.after, leg_->move.connects};
  }
  bool asks_at_once(const AskOffer&) override { return choose(2) == 1; }

 private:
  [[nodiscard]] int wanted() const { return leg_->move.local ? leg_->move.n : leg_->move.before; }
  [[nodiscard]] bool fits(const World::DueEvent& coming) const {
    const Move& move = leg_->move;
    if (move.local) return !coming.arrives && sites_.of_host(coming.host) == static_cast<std::size_t>(move.host);
    return coming.arrives && coming.client == move.client && coming.server == move.server && coming.reply == move.reply;
  }
  std::size_t next_answer() {
    if (followed()) throw std::logic_error("the world asks for more than the product did");
    return leg_->answers[next_++];
  }
  std::size_t choose(std::size_t count) {
    if (count == 1) return 0;
    const std::size_t chosen = next_answer();
    choices_.push_back(static_cast<std::uint16_t>(chosen));
    return chosen;
  }

  const Sites& sites_;
  const World* world_ = nullptr;
  const Leg* leg_ = nullptr;
  std::size_t next_ = 0;
  std::optional<std::size_t> strikes_{};  // the answer to the next question about the budget
  Choices choices_;
};

}  // namespace

Choices choices_of(const harness::Scenario& scenario, const harness::Bounds& bounds, const Choices& start,
                   const std::vector<Leg>& legs) {
  ModelFactory models;
  const Sites sites(scenario);
  GuidedChooser chooser(sites);
  const Leg first{{}, start};
  chooser.follow(nullptr, first);
  World world(scenario, chooser,
              {.record = false, .record_inputs = false, .token_name = {}, .budget = &bounds, .models = &models});
  world.watch_budget([&](const auto& ever, const auto& now) { chooser.offered(ever, now); });
  for (const Leg& leg : legs) {
    chooser.follow(&world, leg);
    if (!world.step() || !chooser.followed()) throw std::logic_error("the world asks for less than the product did");
  }
  return chooser.choices();
}

}  // namespace lockproof::sim
