// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/durations.hpp"

#include <algorithm>

#include "harness/scenario/names.hpp"
#include "harness/scenario/setup.hpp"

namespace lockproof::harness {
namespace {

Duration lease_of(const Scenario& s) {
  if (!s.clients.empty() && s.clients.front().plan.lease) return *s.clients.front().plan.lease;
  return s.algorithm->lease;
}

}  // namespace

Durations::Durations(const Scenario& scenario, const Window& latency, Duration grid)
    : symbols_{Symbol{"timeout", scenario.network.timeout},
               Symbol{"slack", scenario.clients.empty() ? Duration{} : lease_beside_work(scenario, latency)},
               Symbol{"T", lease_of(scenario)},
               Symbol{"down_after", scenario.sentinels.empty() ? Duration{} : scenario.sentinels.front().down_after}},
      grid_(grid) {}

std::optional<Duration> Durations::from(std::string_view text, bool sign) const {
  const auto [name, length] = symbol_in(text);
  const std::size_t at = text.find(name);
  if (name.empty()) return plain(text, sign);
  const bool negative = sign && text.starts_with('-');
  std::string_view factor = text.substr(0, at);
  if (sign && (factor.starts_with('-') || factor.starts_with('+'))) factor.remove_prefix(1);
  std::string_view rest = text.substr(at + name.size());
  Duration d = length;
  if (!factor.empty()) {
    if (factor.size() != 1 || factor[0] < '1' || factor[0] > '9') return std::nullopt;
    d *= factor[0] - '0';
  }
  if (rest.starts_with('/')) {
    if (rest.size() < 2 || rest[1] < '1' || rest[1] > '9') return std::nullopt;
    d /= rest[1] - '0';
    rest.remove_prefix(2);
  }
  if (!rest.empty()) {
    const auto more = plain(rest.substr(1), false);
    if (!more || (rest[0] != '+' && rest[0] != '-')) return std::nullopt;
    d += rest[0] == '+' ? *more : -*more;
  }
  return negative ? -d : d;
}

std::string_view Durations::missing_in(std::string_view text) const {
  const auto [name, length] = symbol_in(text);
  return length <= Duration{} ? name : std::string_view();
}

Durations::Symbol Durations::symbol_in(std::string_view text) const {
  const auto found = std::ranges::find_if(
      symbols_, [&](const Symbol& symbol) { return text.find(symbol.first) != std::string_view::npos; });
  return found == symbols_.end() ? Symbol{} : *found;
}

std::optional<Duration> Durations::plain(std::string_view text, bool sign) const {
  return text == "grid" ? std::optional(grid_) : duration_from(text, sign);
}

}  // namespace lockproof::harness
