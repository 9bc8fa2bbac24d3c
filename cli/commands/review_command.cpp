// SPDX-License-Identifier: Apache-2.0
// review: which lock a job may use, from what its reviewer knows.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <thread>

#include "cli/commands.hpp"
#include "cli/options/limits.hpp"
#include "cli/output/output.hpp"
#include "cli/reports/explore_watch.hpp"
#include "execution/review/read_review.hpp"
#include "execution/review/reviewer.hpp"
#include "harness/report/text/shell_word.hpp"

namespace lockproof::cli {
namespace {

/// "power-cut 1s" as a part of a file's name.
std::string in_a_file_name(std::string text) {
  for (char& c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  }
  return text;
}

void save(harness::ReviewReport& report) {
  for (harness::ReviewRow& row : report.rows) {
    for (auto& [concern, cell] : row.cells) {
      for (harness::ReviewCause& cause : cell.causes) {
        cause.file = fmt::format("{}/{}/{}-by-{}.toml", report.out, in_a_file_name(row.lock),
                                 in_a_file_name(std::string(harness::name(concern))), in_a_file_name(cause.label));
        write_file(cause.file, cause.scenario);
      }
    }
  }
  write_file(report.out + "/review.json", review_json(report));
  write_file(report.out + "/review.md", review_markdown(report));
  write_file(report.out + "/review.svg", review_svg(report));
}

std::string stopped_text(Stop stop, const std::string& time, const Arguments& arguments) {
  switch (stop) {
    case Stop::time: return fmt::format("the time limit of {} was reached (--time)", time);
    case Stop::memory: return fmt::format("the memory limit of {} was reached (--memory)", arguments.memory);
    case Stop::interrupted: return "it was interrupted";
    case Stop::exhausted: return "the machine gave no more memory";
    case Stop::none:
    case Stop::first:
    case Stop::horizon:
    case Stop::difference:
    case Stop::unrepresentable: break;
  }
  return "";
}

}  // namespace

int review_command(const Arguments& arguments) {
  const execution::Review review = execution::load_review(arguments.paths.front());
  const std::string time = arguments.time.empty() ? "60s" : arguments.time;
  ExploreWatch watch(time_from(time), bytes_from(arguments.memory));
  execution::ReviewLimits limits;
  limits.search.states = arguments.review_states;
  limits.search.stop = watch.guard().stop();
  limits.evidence = !arguments.out.empty();
  limits.workers = arguments.workers ? arguments.workers : std::max(1u, std::thread::hardware_concurrency());
  limits.tell = [&](const std::string& doing) { watch.line().show("searching " + doing); };
  harness::ReviewReport report = execution::Reviewer(review, limits).run();
  report.seconds = watch.seconds();
  report.stopped = stopped_text(watch.stop(), time, arguments);
  report.reproduce = "lockproof review " + harness::shell_word(arguments.paths.front());
  report.out = arguments.out;
  if (!report.out.empty()) save(report);
  const harness::Style style = style_of_stdout();
  watch.line().clear();
  if (arguments.format == "json") {
    fmt::print("{}", review_json(report));
  } else if (arguments.format == "markdown") {
    fmt::print("{}", review_markdown(report));
  } else {
    fmt::print("{}", arguments.all ? review_details(report, style) : review_text(report, style));
  }
  return report.exit_code;
}

}  // namespace lockproof::cli
