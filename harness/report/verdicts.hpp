// SPDX-License-Identifier: Apache-2.0
// Verdicts of one run, for people and for machines (JSON). For continuous integration: junit.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/check/expectation.hpp"
#include "harness/program/program_effort.hpp"
#include "harness/report/subject.hpp"
#include "harness/report/text/style.hpp"

namespace lockproof::harness {

struct RunReport : Subject {
  std::string world;  // simulated, real
  std::uint64_t seed = 0;
  std::size_t events = 0;
  std::string reproduce;  // the command
  std::string history;    // the folder that has its history, seen from that of the results; empty: none was kept
  std::vector<check::ComparedFinding> properties;
  std::optional<ExecutedPrograms> programs;  // in virtual time
  std::optional<ProgramKey> key;             // of a program on real servers
  std::string happened;  // the first sentence of the explanation of the worst violation; empty: there is none
  std::optional<std::int64_t> late_us;  // real runs: see harness/history/history.hpp
  std::vector<std::string> repeated;    // what was wrong with each run before this one, which were too late
  bool ignores_expect = false;          // a budget of one's own: [expect] is not used, and any violation fails
  double seconds = 0;                   // wall time of the run, for JUnit only
  std::uint64_t runs = 1;               // of a search: how many it made …
  std::map<std::string, std::uint64_t, std::less<>> violated;  // … and, by property, how many violated it
};

/// A scenario that could not be read, and why.
struct UnreadableFile {
  std::string file;
  std::string why;
};

[[nodiscard]] std::string verdict_text(const RunReport& report, const Style& style);
/// One object; the same run gives the same bytes.
[[nodiscard]] std::string verdict_json(const RunReport& report);
/// What verdict_json says, back from it; it does not say the title and the seconds.
[[nodiscard]] RunReport report_from_json(const std::string& text);
/// One object: the above of all runs, and the files that are no scenarios.
[[nodiscard]] std::string verdicts_json(const std::vector<RunReport>& reports,
                                        const std::vector<UnreadableFile>& unreadable = {});
/// The runs of it; throws a std::exception if it is no such object.
[[nodiscard]] std::vector<RunReport> reports_from_json(const std::string& text);

}  // namespace lockproof::harness
