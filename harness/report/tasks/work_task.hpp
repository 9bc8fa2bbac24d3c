// SPDX-License-Identifier: Apache-2.0
// WorkTask: a small part of a question, as a line of JSON that any machine with the same lockproof can work on; and its
// answer, as another line. Several tasks of one command make a plan. Both lines say what they are of, so that an answer
// to another question, of another build, or one that was changed on its way, is refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockproof::harness {

using CommandWords = std::vector<std::string>;  // without "lockproof"

struct WorkTask {
  CommandWords command;  // the part: "frontier", "redlock", "--entries", "1,3"
  CommandWords whole;    // the command that the plan is of
  std::size_t number = 1, of = 1;
  std::map<std::string, std::string> inputs{};  // digests of the files that it reads, by path
  std::string build;                            // of lockproof
  std::string id;                               // of all of it
};

/// Numbers the parts, and names each.
[[nodiscard]] std::vector<WorkTask> tasks_of(const CommandWords& whole, const std::vector<CommandWords>& parts,
                                             const std::map<std::string, std::string>& inputs,
                                             const std::string& build);
/// A line, with its newline.
[[nodiscard]] std::string task_line(const WorkTask& task);
/// Of a plan, or of some of its lines. `file`: for messages. Throws harness::InputError.
[[nodiscard]] std::vector<WorkTask> tasks_from(const std::string& file, std::string_view text);

struct TaskAnswer {
  std::string id;  // of the task
  int exit_code = 0;
  std::string document;  // JSON that the command printed
  double seconds = 0;    // wall time; no part of what is compared
};

/// A line, with its newline. Throws a std::exception if the document is no JSON.
[[nodiscard]] std::string answer_line(const TaskAnswer& answer);

/// Answers by task. One that comes twice is there once.
class AnswerSet {
 public:
  /// Each line of the text. Throws harness::InputError if one is no answer, was changed, or is not what another answer
  /// to the same task says.
  void add(const std::string& file, std::string_view text);
  [[nodiscard]] bool has(const WorkTask& task) const { return answers_.contains(task.id); }
  /// REQUIRES: it has.
  [[nodiscard]] const TaskAnswer& of(const WorkTask& task) const { return answers_.at(task.id).answer; }
  /// Throws harness::InputError if one is to none of the tasks.
  void refuse_others(const std::vector<WorkTask>& tasks) const;

 private:
  struct Entry {
    TaskAnswer answer;
    std::string content;  // the document without how long things took
    std::string file;
  };
  std::map<std::string, Entry> answers_;
};

}  // namespace lockproof::harness
