// SPDX-License-Identifier: Apache-2.0
// PullRequest: verdicts for whoever reviews a change: a page in Markdown for the summary of a job, and commands that
// make GitHub show each missed expectation at its line. What a file says can be no markup and no command there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/pull_request/baseline.hpp"
#include "harness/report/pull_request/file_line.hpp"
#include "harness/report/verdicts.hpp"

namespace lockproof::harness {

struct PullRequest {
  std::vector<RunReport> runs;
  std::vector<UnreadableFile> unreadable;
  std::optional<BaselineReport> baseline;
  std::map<std::string, ScenarioSource> written;  // by the name of the scenario's file
  std::string more;                               // of a single search: what it covered
};

[[nodiscard]] std::string summary_markdown(const PullRequest& pull_request);
/// verdicts_json, with what has changed since the baseline.
[[nodiscard]] std::string check_json(const PullRequest& pull_request);
/// A line for each: `::error file=locks/ours.toml,line=9,title=…::…`
[[nodiscard]] std::string github_annotations(const PullRequest& pull_request);

}  // namespace lockproof::harness
