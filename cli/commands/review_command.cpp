// SPDX-License-Identifier: Apache-2.0
// review: which lock a job may use, from what its reviewer knows.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "cli/commands.hpp"
#include "cli/commands/explore_watch.hpp"
#include "cli/commands/review_output.hpp"
#include "cli/options/limits.hpp"
#include "execution/review/read_review.hpp"
#include "execution/review/reviewer.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/shell_word.hpp"

namespace lockproof::cli {
namespace {

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

}  // namespace

int review_command(const Arguments& arguments) {
  if (arguments.paths.size() > 1) {
    throw harness::InputError(arguments.paths[1], 0,
                              "one review is answered at a time; lockproof plan review makes a task of each");
  }
  const execution::Review review = execution::load_review(arguments.paths.front());
  const std::string time = arguments.time.empty() ? "60s" : arguments.time;
  execution::ReviewOrder order;
  const std::uint64_t memory = bytes_from(arguments.memory);
  order.workers = threads_within(memory, arguments);
  ExploreWatch watch(time_from(time), memory, true, order.workers * run_takes);
  order.limits.work = arguments.review_states;
  order.limits.stop = order.limits.stop_telling = watch.guard().stop();
  order.evidence = order.scenarios = !arguments.out.empty() || arguments.format == "json";
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
  watch.line().clear();
  print_review(arguments, report);
  return report.exit_code;
}

}  // namespace lockproof::cli
