// SPDX-License-Identifier: Apache-2.0
// work: answers tasks that lockproof plan made.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "cli/commands.hpp"
#include "cli/options/limit_guard.hpp"
#include "cli/options/limits.hpp"
#include "cli/output/checkpoint_file.hpp"
#include "cli/output/output.hpp"
#include "execution/tasks/work.hpp"
#include "harness/check/expectation.hpp"
#include "harness/input_error.hpp"

namespace lockproof::cli {
namespace {

using harness::WorkTask;

std::string file_of(const Arguments& arguments, const WorkTask& task) {
  return fmt::format("{}/{}.json", arguments.out, task.id);
}

/// An answer that cannot be read is no answer.
bool is_answered(const Arguments& arguments, const WorkTask& task) {
  if (arguments.out.empty()) return false;
  const std::string file = file_of(arguments, task);
  harness::AnswerSet answers;
  try {
    answers.add(file, text_of(file));
  } catch (const harness::InputError&) {
    return false;
  }
  return answers.has(task);
}

}  // namespace

int work_command(const Arguments& arguments) {
  std::vector<WorkTask> tasks = harness::tasks_from("standard input", text_of("/dev/stdin"));
  if (tasks.empty()) throw harness::InputError("standard input", 0, "there is no task; lockproof plan writes them");
  const std::size_t all = tasks.size();
  std::erase_if(tasks, [&](const WorkTask& task) { return is_answered(arguments, task); });
  std::size_t answered = all - tasks.size();
  LimitGuard guard(time_from(arguments.time), {});
  const execution::WorkOrder order{
      .tasks = tasks,
      .build = build_of_lockproof(),
      .jobs = arguments.workers ? arguments.workers : std::max(1U, std::thread::hardware_concurrency()),
      .may_start = [&guard] { return guard.may_go_on() && !std::ferror(stdout); },
      .keep =
          [&](const WorkTask& task, const std::string& line) {
            if (!arguments.out.empty()) write_file(file_of(arguments, task), line);
          },
      .answered =
          [&](const WorkTask&, const std::string& line) {
            ++answered;
            if (!arguments.out.empty()) return;
            fmt::print("{}", line);
            std::fflush(stdout);
          },
      .failed =
          [&](const WorkTask& task, const std::string& why) {
            complain(fmt::format("task {} of {} has no answer: {}", task.number, task.of, why));
          }};
  execution::work_on(order);
  if (answered < all) complain(fmt::format("{} of {} tasks have an answer", answered, all));
  return answered == all ? check::exit_code::met : check::exit_code::unknown;
}

}  // namespace lockproof::cli
