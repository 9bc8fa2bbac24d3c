// SPDX-License-Identifier: Apache-2.0
// PathChooser: follows a schedule given as choices, then takes the first option of everything, and says what the other
// options were.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "sim/kernel/choices.hpp"
#include "sim/kernel/chooser.hpp"

namespace lockproof::sim {

class PathChooser final : public Chooser {
 public:
  explicit PathChooser(Choices path) : path_(std::move(path)) {}

  std::size_t first_of(std::size_t count, const NameOf&) override { return choose(count); }
  Duration duration(const harness::Window& window, Duration grid, const NameOf&) override {
    return window.option(grid, choose(window.options(grid)));
  }
  std::size_t strike(std::size_t count) override { return choose(count + 1); }
  /// No client asks behind the end of the path: an engine that varies asks adds them, see add_ask.
  std::optional<Ask> ask(const AskOffer& offer) override {
    const std::size_t first = fixed(), who = first & ~connects_bit;
    if (who == 0) return std::nullopt;
    Ask ask{.connects = (first & connects_bit) != 0};
    for (unsigned word = 0; word < words_of_instant; ++word) {
      ask.after += Duration(static_cast<std::int64_t>(fixed()) << (16 * word));
    }
    const auto place = std::ranges::find(offer.clients, static_cast<int>(who) - 1);
    if (place == offer.clients.end()) throw std::logic_error("a schedule does not fit the world that walks it");
    ask.client = static_cast<std::size_t>(place - offer.clients.begin());
    return ask;
  }
  bool asks_at_once(const AskOffer&) override {
    const bool asks = choose(2) == 1;
    asked_at_once_ |= asks;
    return asks;
  }

  /// Adds to the path that this client (by number) asks, so long after the event before.
  static void add_ask(Choices& to, int client, Duration after, bool connects) {
    to.push_back(static_cast<std::uint16_t>(static_cast<std::size_t>(client + 1) | (connects ? connects_bit : 0)));
    for (unsigned word = 0; word < words_of_instant; ++word) {
      to.push_back(static_cast<std::uint16_t>(after.count() >> (16 * word)));
    }
  }
  /// An answer that is 0 wherever the path does not give it, and that is not varied.
  std::size_t fixed() {
    if (made_ == path_.size()) path_.push_back(0);
    options_.push_back(1);
    return path_[made_++];
  }

  /// Whether a client has asked since the path was followed from its start.
  [[nodiscard]] bool asked_at_once() const { return asked_at_once_; }

  /// How many choices have been made.
  [[nodiscard]] std::size_t made() const { return made_; }
  [[nodiscard]] const Choices& path() const { return path_; }
  /// How many options each choice had.
  [[nodiscard]] const Choices& options() const { return options_; }

  /// The next path in the order of choices that is equal up to `from`. False: this was the last one.
  bool advance(std::size_t from) {
    while (path_.size() > from && path_.back() + 1u >= options_[path_.size() - 1]) path_.pop_back();
    if (path_.size() <= from) return false;
    ++path_.back();
    return true;
  }
  /// Follows another path, from its start.
  void follow(Choices path) {
    path_ = std::move(path);
    rewind();
  }
  /// Follows the path from its start again.
  void rewind() {
    made_ = 0;
    asked_at_once_ = false;
    options_.clear();
  }

 private:
  static constexpr unsigned words_of_instant = 3;
  static constexpr std::size_t connects_bit = 0x8000;

  std::size_t choose(std::size_t count) {
    if (count == 1) return 0;
    if (made_ == path_.size()) path_.push_back(0);
    options_.push_back(static_cast<std::uint16_t>(count));
    if (path_[made_] >= count) throw std::logic_error("a schedule does not fit the world that walks it");
    return path_[made_++];
  }

  Choices path_, options_;
  std::size_t made_ = 0;
  bool asked_at_once_ = false;
};

}  // namespace lockproof::sim
