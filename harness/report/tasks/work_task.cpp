// SPDX-License-Identifier: Apache-2.0
#include "harness/report/tasks/work_task.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "harness/input_error.hpp"
#include "harness/report/text/digest.hpp"
#include "harness/report/text/headed.hpp"

namespace lockproof::harness {
namespace {

using Json = nlohmann::ordered_json;

// The member that says what a line is, and of which task.
constexpr const char* task_kind = "task";
constexpr const char* answer_kind = "answer";

std::string compact(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Without its id, which is the digest of the rest.
Json json_of(const WorkTask& task) {
  return {{"number", task.number}, {"of", task.of},         {"command", task.command},
          {"whole", task.whole},   {"inputs", task.inputs}, {"build", task.build}};
}

/// How long something took differs from run to run.
void remove_seconds(Json& json) {
  if (json.is_object()) json.erase("seconds");
  if (json.is_object()) json.erase("checksum");  // of FuzzReport: with the rest, it is compared as well
  for (Json& part : json) {
    if (part.is_structured()) remove_seconds(part);
  }
}

std::string content_of(const TaskAnswer& answer) {
  Json document = Json::parse(answer.document);
  remove_seconds(document);
  return fmt::format("{} {} {}", answer.id, answer.exit_code, compact(document));
}

using LineReader = std::function<void(int line, const Json& json)>;

/// Each line that is not empty, if it is of the kind.
void read_lines(const std::string& file, std::string_view text, const char* kind, const LineReader& read) {
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view one = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Json json = Json::parse(one, nullptr, false);
    if (!json.is_object() || !json.contains(kind)) {
      throw InputError(file, line,
                       fmt::format("it is no {}; {}", kind,
                                   kind == task_kind ? "lockproof plan writes tasks, one a line"
                                                     : "lockproof work writes answers, one a line"));
    }
    try {
      read(line, json);
    } catch (const Json::exception& e) {
      throw InputError(file, line, fmt::format("this {} is damaged: {}", kind, e.what()));
    }
  }
}

}  // namespace

std::vector<WorkTask> tasks_of(const CommandWords& whole, const std::vector<CommandWords>& parts,
                               const std::map<std::string, std::string>& inputs, const std::string& build) {
  std::vector<WorkTask> tasks;
  for (const CommandWords& part : parts) {
    WorkTask task{.command = part,
                  .whole = whole,
                  .number = tasks.size() + 1,
                  .of = parts.size(),
                  .inputs = inputs,
                  .build = build,
                  .id = {}};
    task.id = digest(compact(json_of(task)));
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::string task_line(const WorkTask& task) {
  Json json{{task_kind, task.id}};
  json.update(json_of(task));
  return compact(headed(json)) + "\n";
}

std::vector<WorkTask> tasks_from(const std::string& file, std::string_view text) {
  std::vector<WorkTask> tasks;
  read_lines(file, text, task_kind, [&](int line, const Json& json) {
    WorkTask task{.command = json.at("command"),
                  .whole = json.at("whole"),
                  .number = json.at("number"),
                  .of = json.at("of"),
                  .inputs = json.at("inputs"),
                  .build = json.at("build"),
                  .id = json.at(task_kind)};
    if (task.id != digest(compact(json_of(task))))
      throw InputError(file, line, "this task was changed after lockproof plan had written it; plan it again");
    tasks.push_back(std::move(task));
  });
  return tasks;
}

std::string answer_line(const TaskAnswer& answer) {
  const Json json{{answer_kind, answer.id},
                  {"exit_code", answer.exit_code},
                  {"seconds", answer.seconds},
                  {"checksum", digest(content_of(answer))},
                  {"document", Json::parse(answer.document)}};
  return compact(headed(json)) + "\n";
}

void AnswerSet::add(const std::string& file, std::string_view text) {
  read_lines(file, text, answer_kind, [&](int line, const Json& json) {
    Entry entry{{json.at(answer_kind), json.at("exit_code"), json.at("document").dump(), json.at("seconds")}, "", file};
    entry.content = content_of(entry.answer);
    if (digest(entry.content) != json.at("checksum"))
      throw InputError(file, line, "this answer was changed after lockproof work had written it; work on it again");
    const auto [there, is_new] = answers_.emplace(entry.answer.id, entry);
    if (!is_new && there->second.content != entry.content) {
      throw InputError(file, line,
                       fmt::format("{} has another answer to the same task; leave one of them out",
                                   there->second.file == file ? "an earlier line" : there->second.file));
    }
  });
}

void AnswerSet::refuse_others(const std::vector<WorkTask>& tasks) const {
  for (const auto& [id, entry] : answers_) {
    const auto is_asked = [&, known = id](const WorkTask& task) { return task.id == known; };
    if (std::ranges::any_of(tasks, is_asked)) continue;
    throw InputError(entry.file, 0, "it has an answer to a task that is not in this plan");
  }
}

}  // namespace lockproof::harness
