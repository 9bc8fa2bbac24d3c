// SPDX-License-Identifier: Apache-2.0
// What a comparison of two locks found, for people and for machines: what breaks one of them, and not the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/text/style.hpp"

namespace lockproof::harness {

/// The schedule that shows it.
struct ComparedWitness {
  std::string with;  // "with 1 fault (pause of client-1 for 7s, client-1 after WATCH)"
  int events = 0;
  std::string scenario;  // TOML
  std::string file;      // where that was saved; empty: nowhere
};

/// One least cause, and what it breaks.
struct ComparedRow {
  enum class Side : std::uint8_t {
    only_a,
    only_b,
    both,
    unpreventable,  // no lock on the service prevents it: it is held against nobody
    open_of_a,      // it breaks B, and of A it was not decided
    open_of_b,
  };
  Side side = Side::both;
  std::string world;                 // "1 server"; empty: there is one world
  std::string faults;                // "pause (client)"; empty: no fault
  std::vector<std::string> amounts;  // "7s", "11s"; empty: it has none
  std::string place;                 // "while it has the lock"; empty: anywhere
  std::vector<std::string> breaks;   // "mutual-exclusion (outlived)"
  std::optional<ComparedWitness> a, b;
};

/// What was not decided of B, or what is not the same for both.
struct ComparedGap {
  std::string why;                  // "of B: more than 250000 states"
  std::vector<std::string> faults;  // "pause 7s (client)"
  std::vector<std::string> properties;
  bool decisive = true;  // the answer may depend on it
};

struct ComparedReport {
  std::string a, b;            // as the command line says them
  std::string lock_a, lock_b;  // "set-px-token"
  std::string service;         // of the locks, where it is the same
  std::string bounds_of, scope;
  std::vector<ComparedRow> rows;
  std::vector<ComparedGap> gaps;
  std::uint64_t searches = 0, states = 0;
  std::string stopped;  // why not everything was searched; empty: it was
  double seconds = 0;
  std::string reproduce;

  /// No: B breaks where A does not. Nothing: that cannot be told.
  [[nodiscard]] std::optional<bool> is_no_worse() const;
};

[[nodiscard]] std::string_view name(ComparedRow::Side side);
/// In a sentence, what a reader wants to know first.
[[nodiscard]] std::string compared_answer(const ComparedReport& report);
[[nodiscard]] std::string compared_text(const ComparedReport& report, const Style& style);
[[nodiscard]] std::string compared_markdown(const ComparedReport& report);
[[nodiscard]] std::string compared_json(const ComparedReport& report);

}  // namespace lockproof::harness
