// SPDX-License-Identifier: Apache-2.0
#include "execution/tasks/work.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <fstream>
#include <iterator>

#include "harness/check/expectation.hpp"
#include "harness/report/text/digest.hpp"
#include "real/os/captured_program.hpp"
#include "real/os/side_by_side.hpp"

namespace lockproof::execution {
namespace {

using harness::WorkTask;
using Clock = std::chrono::steady_clock;

constexpr char without_answer = '!';  // before the reason; a line of JSON begins otherwise

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Empty if it is what was planned.
std::string why_another(const WorkTask& task, const std::string& build) {
  if (task.build != build) return "it was planned by another build of lockproof";
  for (const auto& [path, digest] : task.inputs) {
    if (harness::digest(text_of(path)) != digest) return fmt::format("{} is not the file that was planned with", path);
  }
  return "";
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

/// Results and refusals of a verdict are answers; what could not be run has none.
bool is_answer(int status) { return status <= check::exit_code::changed; }

std::string work_on_one(const WorkTask& task, const WorkOrder& order) {
  if (const std::string why = why_another(task, order.build); !why.empty()) return without_answer + why;
  const Clock::time_point begin = Clock::now();
  const real::CapturedRun run = real::run_again(task.command);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!is_answer(run.status)) {
    const std::string said = last_line(run.errors);
    return fmt::format("{}exit code {}{}", without_answer, run.status, said.empty() ? "" : ": " + said);
  }
  try {
    std::string line = harness::answer_line({task.id, run.status, run.output, seconds});
    order.keep(task, line);
    return line;
  } catch (const std::exception& e) {
    return fmt::format("{}{}", without_answer, e.what());
  }
}

}  // namespace

void work_on(const WorkOrder& order) {
  real::side_by_side(
      order.tasks.size(), order.jobs, [&](std::size_t i) { return work_on_one(order.tasks[i], order); },
      [&](std::size_t i, const std::string& text) {
        const bool failed = text.starts_with(without_answer);
        failed ? order.failed(order.tasks[i], text.substr(1)) : order.answered(order.tasks[i], text);
      },
      order.may_start);
}

}  // namespace lockproof::execution
