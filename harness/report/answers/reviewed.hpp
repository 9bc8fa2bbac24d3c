// SPDX-License-Identifier: Apache-2.0
// What a review found, lock by lock, for people and for machines. A cell says `held` only of what was searched whole;
// a cause is a schedule that was found and can be run again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/text/style.hpp"

namespace lockproof::harness {

/// What must not happen.
enum class Concern : std::uint8_t { two_at_once, runs_twice, stuck, data_lost };
[[nodiscard]] std::string_view name(Concern concern);  // "two at once"

/// The shortest schedule by which a set of faults breaks something.
struct ReviewCause {
  std::string words;  // "redis-1 loses its power for 1s just after it has run client-2's SET"
  std::string label;  // "power-cut"; "no fault"
  std::string property, kind;
  std::size_t faults = 0;
  int events = 0;
  std::string scenario;              // TOML
  std::string file;                  // where that was saved; empty: nowhere
  std::vector<std::string> picture;  // a line for each host: who is inside when; empty: none was drawn
};

struct ReviewCell {
  enum class Verdict : std::uint8_t { held, broken, unknown, not_asked };
  Verdict verdict = Verdict::not_asked;
  std::vector<ReviewCause> causes;  // fewest faults and events first
  std::string why;                  // it is unknown
};

struct ReviewRow {
  std::string lock;
  bool own = false;   // not of the catalogue
  std::string lease;  // with which it was searched; empty: it has none
  std::map<Concern, ReviewCell> cells;
  std::vector<std::string> measures;    // on which the cells rest: "command time-out 2s"
  std::string cost;                     // "2 commands, free 44 s after a crash"
  bool never_free = false;              // after a crash of its holder
  std::vector<std::string> boundaries;  // whole sentences without their full stop
  std::vector<std::string> searches;    // what was searched: "2 clients, 1 fault: 40609 states"
  std::uint64_t states = 0;
};

/// A change, and what a search says of the lock with it.
struct ReviewRemedy {
  std::string lock, what;  // "keep the lock until its lease ends (release_tries = 0)"
  std::map<Concern, ReviewCell> cells;
  std::vector<std::string> mends;  // the names of what was broken and is held now
  bool all_hold = false;           // of what was asked, each was searched whole with it, and is held
  std::string file;                // the scenario with it; empty: not saved
};

struct ReviewReport {
  std::string file, title;
  std::string question;        // what the reviewer knows, in a sentence
  std::vector<Concern> asked;  // in their order
  std::vector<ReviewRow> rows;
  std::vector<std::size_t> best;                             // numbers of rows, the best first
  std::vector<std::pair<std::string, std::string>> misfits;  // a lock, and why it does not fit
  std::vector<std::string> answer;                           // sentences
  std::vector<ReviewRemedy> remedies;
  std::vector<std::string> searched, not_searched;
  std::string stopped;  // why not everything was searched; empty: it was
  double seconds = 0;
  std::string out;  // the folder with the evidence; empty: none
  int exit_code = 0;
  std::string reproduce;
};

[[nodiscard]] std::string_view word(ReviewCell::Verdict verdict);  // "held"
/// The best three, and the reviewer's own: numbers of rows.
[[nodiscard]] std::vector<std::size_t> rows_of_page(const ReviewReport& report);
/// The answers for the rows of the page, while the review goes on.
[[nodiscard]] std::string review_so_far(const ReviewReport& report, const Style& style);
/// One page: the answer, the rows of the page, and what would make them safe.
[[nodiscard]] std::string review_text(const ReviewReport& report, const Style& style);
/// Everything: each lock, what was searched and what was not, which locks do not fit.
[[nodiscard]] std::string review_details(const ReviewReport& report, const Style& style);
[[nodiscard]] std::string review_markdown(const ReviewReport& report);
[[nodiscard]] std::string review_markdown_details(const ReviewReport& report);
[[nodiscard]] std::string review_json(const ReviewReport& report);
/// What review_json wrote. Throws a std::exception if it is something else.
[[nodiscard]] ReviewReport review_from_json(const std::string& text);
/// The table of the rows as a picture.
[[nodiscard]] std::string review_svg(const ReviewReport& report);

}  // namespace lockproof::harness
