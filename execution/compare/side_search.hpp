// SPDX-License-Identifier: Apache-2.0
// SideSearch: one search of one lock with one fault, and what it says: each least cause of a violation, and what was
// decided. Nothing is decided that was not searched whole and put to the test.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "execution/compare/question_pair.hpp"
#include "execution/explore/causes.hpp"
#include "search/search.hpp"

namespace lockproof::execution {

/// One fault of a cause, as both sides have it.
struct StruckFault {
  std::string label;                       // "pause (client)"
  std::string text;                        // the same with its amount: "pause 7s (client)"
  std::string amount;                      // "7s"; empty: it has none, or several
  std::optional<harness::Spot> spot{};     // it strikes there; nothing: anywhere, or
  std::vector<harness::Spot> elsewhere{};  // … at none of these
  std::string verb{};                      // of the command at which its witness has it; empty: at none
};

struct SideCause {
  Cause cause;
  std::vector<StruckFault> faults;
};

struct SideAnswer {
  std::vector<SideCause> causes;
  std::map<std::string, std::string> open;      // properties that were not decided, and why
  std::map<std::string, bool> unpreventable;    // of those: whether these faults break it with any lock
  std::vector<StruckFault> parts;               // what the search told apart
  std::map<std::string, std::string> unjudged;  // properties that say nothing of this lock, and why
  bool never = false;                           // no schedule has the faults
  std::uint64_t states = 0;
};

/// A search of one fault, or of a pair of them.
struct NamedPart {
  std::string text;  // "pause 7s (client)", and so for both sides
  harness::Bounds bounds;
};
/// What is to be searched of a side, each with another text. Together they are the side's bounds.
[[nodiscard]] std::vector<NamedPart> parts_of(const ComparedSide& side);

/// `bounds`: those of the side, with a part of their budget.
[[nodiscard]] SideAnswer search_side(const ComparedSide& side, const harness::Bounds& bounds,
                                     const search::Limits& limits);

struct SideTask {
  const ComparedSide& side;
  const harness::Bounds& bounds;
  SideAnswer& said;
};
/// Searches each, with few states at first, so that something is known of all of them when a limit comes; then further
/// what that has left open. `tell`: how many have ended, of how many.
void search_sides(const std::vector<SideTask>& tasks, search::Limits limits, unsigned workers,
                  const std::function<void(std::uint64_t done, std::uint64_t all)>& tell);

/// Whether one of `known` is broken by what breaks `cause` or by less of it: the same property in the same kind or a
/// worse one, by the same faults at the same places. `parts`: what the searches of `known` told apart; a place that
/// they do not have is compared by how far the client is with the lock.
[[nodiscard]] const SideCause* same_cause(const SideCause& cause, const std::vector<SideCause>& known,
                                          const std::vector<StruckFault>& parts);

/// Its schedule is made short and its instants round, since a person reads it, and it gets a title.
void make_readable(Cause& cause, const std::stop_token& stop);

}  // namespace lockproof::execution
