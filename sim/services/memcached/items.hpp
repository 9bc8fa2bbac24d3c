// SPDX-License-Identifier: Apache-2.0
// Items: what one simulated memcached stores. A plain value. An expired item stays until a command looks for it; then
// it is gone, as in memcached, which unlinks an expired item when it finds one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "algorithms/port/value.hpp"

namespace lockproof::sim::memcached {

struct Item {
  Value value;
  std::int64_t unique = 0;                // the number that `gets` answers and `cas` compares
  std::optional<std::int64_t> ends_at{};  // the tick at which it expires; nothing: never

  [[nodiscard]] bool expired(std::int64_t tick) const { return ends_at && *ends_at <= tick; }
  bool operator==(const Item&) const = default;
};

class Items {
 public:
  /// Null if there is none with this key. An expired item is still returned.
  [[nodiscard]] Item* find(const std::string& key) {
    const auto found = items_.find(key);
    return found == items_.end() ? nullptr : &found->second;
  }
  /// Stores it, in place of any item, and gives it a new number.
  void store(const std::string& key, Value value, std::optional<std::int64_t> ends_at) {
    items_.insert_or_assign(key, Item{std::move(value), ++unique_, ends_at});
  }
  /// Writes another value into an existing item: its time to live stays, its number does not.
  void rewrite(Item& item, Value value) {
    item.value = std::move(value);
    item.unique = ++unique_;
  }
  bool erase(const std::string& key) { return items_.erase(key) > 0; }
  /// The process starts anew: the items and their numbers are lost.
  void forget_all() {
    items_.clear();
    unique_ = 0;
  }
  void clear() { items_.clear(); }

  [[nodiscard]] const std::map<std::string, Item, std::less<>>& all() const { return items_; }
  /// The number that was given last.
  [[nodiscard]] std::int64_t unique() const { return unique_; }
  bool operator==(const Items&) const = default;

 private:
  std::map<std::string, Item, std::less<>> items_;
  std::int64_t unique_ = 0;
};

}  // namespace lockproof::sim::memcached
