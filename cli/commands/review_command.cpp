// SPDX-License-Identifier: Apache-2.0
// review: which lock a job may use, from what its reviewer knows.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <thread>

#include "cli/commands.hpp"
#include "cli/commands/explore_watch.hpp"
#include "cli/options/limits.hpp"
#include "cli/output/output.hpp"
#include "execution/review/read_review.hpp"
#include "execution/review/reviewer.hpp"
#include "harness/input_error.hpp"
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

/// A thread may be within a run that goes on behind the stop, and is as long as a run may be.
constexpr std::uint64_t run_takes = 96 << 20, searches_take = 64 << 20;

/// As many as the memory has room for: the answer does not depend on their number.
unsigned threads_within(std::uint64_t memory, const Arguments& arguments) {
  if (memory < searches_take + run_takes) {
    throw harness::InputError("--memory", 0,
                              fmt::format("a review needs {} at least", text_of_bytes(searches_take + run_takes)));
  }
  const unsigned wanted = arguments.workers ? arguments.workers : std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::min<std::uint64_t>(wanted, (memory - searches_take) / run_takes));
}

std::string markdown_of(const Arguments& arguments, const harness::ReviewReport& report) {
  return arguments.all ? review_markdown_details(report) : review_markdown(report);
}

void save(const Arguments& arguments, harness::ReviewReport& report) {
  for (harness::ReviewRow& row : report.rows) {
    for (auto& [concern, cell] : row.cells) {
      for (harness::ReviewCause& cause : cell.causes) {
        cause.file = fmt::format("{}/{}/{}-by-{}.toml", report.out, in_a_file_name(row.lock),
                                 in_a_file_name(std::string(harness::name(concern))), in_a_file_name(cause.label));
        if (!save_file(cause.file, cause.scenario)) cause.file.clear();
      }
    }
  }
  save_file(report.out + "/review.json", review_json(report));
  save_file(report.out + "/review.md", markdown_of(arguments, report));
  save_file(report.out + "/review.svg", review_svg(report));
}

}  // namespace

int review_command(const Arguments& arguments) {
  const execution::Review review = execution::load_review(arguments.paths.front());
  const std::string time = arguments.time.empty() ? "60s" : arguments.time;
  execution::ReviewOrder order;
  const std::uint64_t memory = bytes_from(arguments.memory);
  order.workers = threads_within(memory, arguments);
  ExploreWatch watch(time_from(time), memory, true, order.workers * run_takes);
  order.limits.work = arguments.review_states;
  order.limits.stop = order.limits.stop_telling = watch.guard().stop();
  order.evidence = !arguments.out.empty();
  order.scenarios = order.evidence || arguments.format == "json";
  order.tell = [&](std::uint64_t done, std::uint64_t all, const std::string& what) {
    watch.line().show(done, all, what);
  };
  order.tell_rows = [&](const harness::ReviewReport& so_far) {
    watch.line().show_above(review_so_far(so_far, harness::Style(false)));
  };
  harness::ReviewReport report = execution::Reviewer(review, order).run();
  report.seconds = watch.seconds();
  report.stopped = harness::stop_text(watch.stop(), {time, arguments.memory});
  report.reproduce = "lockproof review " + harness::shell_word(arguments.paths.front());
  report.out = arguments.out;
  if (!report.out.empty()) save(arguments, report);
  if (!unwritten().empty()) report.out.clear();
  const harness::Style style = style_of_stdout();
  watch.line().clear();
  if (arguments.format == "json") {
    fmt::print("{}", review_json(report));
  } else if (arguments.format == "markdown") {
    fmt::print("{}", markdown_of(arguments, report));
  } else {
    fmt::print("{}", arguments.all ? review_details(report, style) : review_text(report, style));
  }
  return report.exit_code;
}

}  // namespace lockproof::cli
