// SPDX-License-Identifier: Apache-2.0
// What was found of schedules that break one lock and, with the same faults at the same events, not another one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/report/text/style.hpp"

namespace lockproof::harness {

/// One least cause of a violation of A.
struct NotInCause {
  enum class Fate : std::uint8_t {
    not_in_b,        // these faults at these events leave B without it, in every schedule
    in_b,            // they break B so, or worse
    not_comparable,  // B has no such event
    open,
  };
  std::string property, kind;
  std::string with;  // "with 1 fault (pause of client-1 for 7s, client-1 after WATCH)"
  int events = 0;
  Fate fate = Fate::open;
  std::string why;                           // of what is not comparable, or open
  std::string scenario_of_a, scenario_of_b;  // TOML; of the first that is not in B
  History history{};                         // of A's
};

struct NotInReport {
  std::string a, b, bounds_of, scope;
  std::vector<NotInCause> causes;  // the fewest faults first, then the fewest events
  std::vector<std::string> open;   // faults with which A was not searched whole
  std::string stopped;             // why not everything was searched; empty: it was
  std::string file_of_a, file_of_b, reproduce;

  /// Null: there is none.
  [[nodiscard]] const NotInCause* found() const;
  /// Everything was decided, but for what is not comparable.
  [[nodiscard]] bool is_whole() const;
};

[[nodiscard]] std::string_view name(NotInCause::Fate fate);
/// The schedule, and what became of the other causes.
[[nodiscard]] std::string not_in_text(const NotInReport& report, const Style& style);
[[nodiscard]] std::string not_in_json(const NotInReport& report);

}  // namespace lockproof::harness
