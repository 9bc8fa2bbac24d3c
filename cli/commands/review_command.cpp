// SPDX-License-Identifier: Apache-2.0
// review: which lock a job may use, from what its reviewer knows.
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
int review_command(const Arguments& arguments) {
  if (arguments.paths.size() > 1) {
    throw harness::InputError(arguments.paths[1], 0,
                              "one review is answered at a time; lockproof plan review makes a task of each");
  }
  const execution::Review review = execution::load_review(arguments.paths.front());
  const std::string time = arguments.time.empty() ? "60s" : arguments.time;
  ExploreWatch watch(time_from(time), bytes_from(arguments.memory));
  execution::ReviewOrder order;
  order.limits.work = arguments.review_states;
  order.limits.stop = order.limits.stop_telling = watch.guard().stop();
  order.evidence = order.scenarios = !arguments.out.empty() || arguments.format == "json";
  order.workers = arguments.workers ? arguments.workers : std::max(1u, std::thread::hardware_concurrency());
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
