// SPDX-License-Identifier: Apache-2.0
// Works on tasks: each is a run of this program in a process of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/report/tasks/work_task.hpp"

namespace lockproof::execution {

struct WorkOrder {
  const std::vector<harness::WorkTask>& tasks;
  std::string build;  // of this lockproof
  unsigned jobs = 1;  // tasks at the same time
  /// Asked often; once it says no, no task begins.
  std::function<bool()> may_start;
  /// Gets the line of each answer as soon as it is there, in the process that worked on it.
  std::function<void(const harness::WorkTask& task, const std::string& line)> keep;
  /// Gets it in this process, in the order of the tasks.
  std::function<void(const harness::WorkTask& task, const std::string& line)> answered;
  /// Why a task has no answer. It may be worked on again.
  std::function<void(const harness::WorkTask& task, const std::string& why)> failed;
};

void work_on(const WorkOrder& order);

}  // namespace lockproof::execution
