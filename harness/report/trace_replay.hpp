// SPDX-License-Identifier: Apache-2.0
// What became of a trace replay on real servers, for people, for machines (JSON), and as a table of many.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/verdicts.hpp"

namespace lockproof::harness {

struct TraceReplayReport {
  RunReport run;        // what the simulator predicts, and what the scenario expects of it
  std::string outcome;  // confirmed, diverged, not-reproducible
  std::string reason;   // of the last one
  struct Difference {
    std::size_t event = 0;  // of the predicted history, from 0
    Duration at{};
    std::string what, predicted, real;
    bool operator==(const Difference&) const = default;
  };
  std::optional<Difference> difference;
  std::string servers;                                          // "redis-server 7.0.15"
  std::vector<std::pair<std::string, std::uint64_t>> compared;  // what, how often
  int times = 1;                                                // that it was done, with the same outcome
  bool same = true;                                             // false: the last time was different
};

[[nodiscard]] std::string trace_replay_text(const TraceReplayReport& report, const Style& style);
[[nodiscard]] std::string trace_replay_json(const TraceReplayReport& report);
/// What trace_replay_json says, back from it; it does not say the title and the seconds.
[[nodiscard]] TraceReplayReport trace_replay_from_json(const std::string& text);
[[nodiscard]] std::string trace_replay_json(const std::vector<TraceReplayReport>& reports,
                                            const std::vector<UnreadableFile>& unreadable = {});
/// docs/reference/trace-replay.md
[[nodiscard]] std::string trace_replay_page(const std::vector<TraceReplayReport>& reports);
/// One line of many, and what JUnit is told: the trace replay as one more property.
[[nodiscard]] std::string trace_replay_line(const TraceReplayReport& report, const Style& style);
[[nodiscard]] std::string trace_replay_junit(const std::vector<TraceReplayReport>& reports,
                                             const std::vector<UnreadableFile>& unreadable = {});
/// "mutual-exclusion: double-grant, resource-safety"; empty if nothing is violated.
[[nodiscard]] std::string violated_text(const RunReport& report);
[[nodiscard]] int exit_code_of(const TraceReplayReport& report);

}  // namespace lockproof::harness
