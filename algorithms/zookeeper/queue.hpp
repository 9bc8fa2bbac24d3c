// SPDX-License-Identifier: Apache-2.0
// Queue: the nodes under a lock, in the order of the numbers that the server has given them.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/value.hpp"

namespace lockproof::zookeeper {

/// The ten digits at the end of a node's name: they grow with each node that is made under the same parent.
inline std::int64_t number_of(const Name& node) {
  constexpr std::size_t digits = 10;
  const std::string_view name = node.bytes();
  const std::string_view end = name.substr(name.size() - std::min(digits, name.size()));
  std::int64_t number = 0;
  std::from_chars(end.data(), end.data() + end.size(), number);
  return number;
}

class Queue {
 public:
  Queue(const Name& lock, const std::vector<Name>& names) {
    for (const Name& name : names) nodes_.emplace_back(lock.bytes() + "/" + name.bytes());
    std::ranges::sort(nodes_, {}, number_of);
  }
  /// The first node whose name begins so.
  [[nodiscard]] std::optional<Name> first_of(const Name& prefix) const {
    const auto begins = [&](const Name& node) { return node.bytes().starts_with(prefix.bytes()); };
    const auto found = std::ranges::find_if(nodes_, begins);
    return found == nodes_.end() ? std::nullopt : std::optional(*found);
  }
  /// The node in front of one of them; nothing: it is the first.
  [[nodiscard]] std::optional<Name> before(const Name& node) const {
    const auto found = std::ranges::find(nodes_, node);
    return found == nodes_.begin() ? std::nullopt : std::optional(*std::prev(found));
  }

 private:
  std::vector<Name> nodes_;
};

}  // namespace lockproof::zookeeper
