// SPDX-License-Identifier: Apache-2.0
#include "cli/options/scenario_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <system_error>

#include "cli/output/out_lock.hpp"
#include "cli/output/output.hpp"
#include "execution/review/read_review.hpp"
#include "harness/cannot_judge.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/file/cases_file.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"
#include "harness/scenario/file/parse_twin.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/retired.hpp"
#include "harness/scenario/services.hpp"
#include "programs/programs.hpp"
#include "real/os/program_files.hpp"
#include "sim/program_key.hpp"

namespace lockproof::cli {
namespace {

/// Bounds that scenarios share are no scenarios, nor is the list of what they are about.
bool is_scenario(const std::filesystem::path& file) {
  return file.extension() == ".toml" && file.parent_path().filename() != "budgets" &&
         file.filename() != harness::cases_file;
}

/// Whether a command had the folder as its --out.
bool is_written(const std::filesystem::path& folder) {
  std::error_code failed;
  return std::filesystem::exists(folder / out_lock_file, failed);
}

/// What is below a folder and is not collected.
struct ExcludedEntries {
  std::set<std::string> written;  // folders that lockproof wrote
  std::vector<std::string> reviews;
  std::vector<harness::UnreadableFile> bad;  // what the machine does not let it read

  void print() const {
    if (!written.empty()) {
      complain(
          fmt::format("left out what lockproof wrote: {}; name the folder to include it", fmt::join(written, ", ")));
    }
    if (!reviews.empty()) {
      complain(fmt::format("left out, since lockproof review answers it: {}", fmt::join(reviews, ", ")));
    }
  }
};

void collect_file(const std::filesystem::path& path, std::vector<std::string>& files, ExcludedEntries& left_out) {
  if (!is_scenario(path)) return;
  const std::string file = path.lexically_normal().string();
  if (execution::is_review(file)) return left_out.reviews.push_back(file);
  files.push_back(file);
  if (harness::has_twin(file)) files.push_back(harness::twin_file(file));
}

/// What cannot be read is one bad entry, and the others are collected all the same.
void collect_below(const std::filesystem::path& folder, std::vector<std::string>& files, ExcludedEntries& left_out) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const auto note = [&](const fs::path& path) {
    const std::string name = path.lexically_normal().string();
    left_out.bad.push_back({name, fmt::format("{}: cannot be read: {}", name, failed.message())});
    failed.clear();
  };
  fs::directory_iterator entries(folder, failed);
  if (failed) return note(folder);
  for (const auto end = fs::directory_iterator(); entries != end;) {
    const fs::path path = entries->path();
    const bool is_folder = entries->is_directory(failed);
    if (failed && (failed == std::errc::no_such_file_or_directory || !is_scenario(path))) failed.clear();
    if (failed) {
      note(path);
    } else if (is_folder && is_written(path)) {
      left_out.written.insert(path.lexically_normal().string());
    } else if (is_folder && !fs::is_symlink(path, failed)) {
      collect_below(path, files, left_out);
    } else {
      collect_file(path, files, left_out);
    }
    entries.increment(failed);
    if (failed) return note(folder);
  }
}

/// All scenarios below a folder.
std::vector<std::string> scenarios_below(const std::string& folder, ExcludedEntries& left_out) {
  std::vector<std::string> files;
  collect_below(folder, files, left_out);
  std::ranges::sort(files);
  std::ranges::sort(left_out.reviews);
  return files;
}

/// What could be a name, and no path.
bool is_plain(const std::string& word) {
  return !word.empty() && word.find('/') == std::string::npos && !word.ends_with(".toml") &&
         word.find_first_not_of('.') != std::string::npos;
}

}  // namespace

std::string scenarios_folder() { return real::program_file("scenarios", "../share/lockproof/scenarios"); }

std::map<std::string, std::string> first_locks() {
  std::map<std::string, std::string> files;
  for (const char* const folder : {"new", "stand-ins"}) {
    std::error_code failed;
    const std::filesystem::path path = std::filesystem::path(scenarios_folder()) / "lua" / folder;
    for (const auto& entry : std::filesystem::directory_iterator(path, failed)) {
      if (harness::is_lock_file(entry.path().string())) files[entry.path().stem().string()] = entry.path().string();
    }
  }
  return files;
}

std::string scenario_path(const std::string& path_or_name) {
  std::error_code failed;
  if (std::filesystem::exists(path_or_name, failed) || !is_plain(path_or_name)) return path_or_name;
  std::vector<std::string> files, names;
  std::vector<harness::UnreadableFile> bad;
  for (const std::string& file : scenario_files({scenarios_folder()}, bad)) {
    names.push_back(std::filesystem::path(file).stem().string());
    if (names.back() == path_or_name) files.push_back(file);
  }
  if (files.size() == 1) return files.front();
  if (files.empty()) {
    const auto near = harness::nearest(path_or_name, names);
    throw harness::InputError(path_or_name, 0,
                              fmt::format("is neither a file nor a scenario of the catalogue{}; lockproof list "
                                          "scenarios names them",
                                          near ? fmt::format("; did you mean '{}'?", *near) : ""));
  }
  throw harness::InputError(path_or_name, 0,
                            fmt::format("is the name of several scenarios: {}", fmt::join(files, ", ")));
}

std::vector<std::string> scenario_files(const std::vector<std::string>& paths,
                                        std::vector<harness::UnreadableFile>& bad) {
  std::vector<std::string> files;
  ExcludedEntries left_out;
  for (const std::string& word : paths) {
    const std::string path = scenario_path(word);
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed)) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> below = scenarios_below(path, left_out);
    if (below.empty() && left_out.bad.empty()) {
      left_out.print();
      throw harness::InputError(path, 0, "there is no scenario below this folder");
    }
    files.insert(files.end(), below.begin(), below.end());
  }
  left_out.print();
  std::ranges::move(left_out.bad, std::back_inserter(bad));
  return files;
}

void print_hint_on_old_words(const std::string& file, std::string_view text) {
  const std::string hint = harness::hint_on_old_words(text);
  if (!hint.empty()) complain(fmt::format("{}: {}", file, hint));
}

harness::Scenario scenario_from_file(const std::string& file, const harness::AlgorithmRef& algorithm) {
  harness::Scenario scenario = harness::load_scenario(scenario_path(file), algorithm);
  scenario.called = file;
  print_hint_on_old_words(written_in(scenario).file, scenario.text);
  return scenario;
}

LoadedScenarios load_scenarios(const std::vector<std::string>& paths) {
  LoadedScenarios loaded;
  std::vector<std::string> resolved;
  std::map<std::string, std::string, std::less<>> words;  // by the path that each of them is
  for (const std::string& word : paths) {
    resolved.push_back(scenario_path(word));
    words.emplace(resolved.back(), word);
  }
  for (const std::string& file : scenario_files(resolved, loaded.unreadable)) {
    const auto word = words.find(file);
    const std::string& called = word == words.end() ? file : word->second;
    try {
      loaded.scenarios.push_back(harness::load_scenario(file));
      loaded.scenarios.back().called = called;
    } catch (const harness::InputError& e) {
      loaded.unreadable.push_back({called, e.what()});
    } catch (const harness::CannotJudge& e) {
      loaded.open.push_back({called, e.what()});
    }
  }
  const auto is_old = [](const harness::Scenario& one) { return !harness::hint_on_old_words(one.text).empty(); };
  const auto first = std::ranges::find_if(loaded.scenarios, is_old);
  if (first != loaded.scenarios.end()) {
    const auto more = std::count_if(first + 1, loaded.scenarios.end(), is_old);
    print_hint_on_old_words(written_in(*first).file + (more > 0 ? fmt::format(" and {} more", more) : ""), first->text);
  }
  return loaded;
}

harness::ScenarioSource written_in(const harness::Scenario& scenario) {
  std::error_code failed;
  const std::string of_twin = harness::file_of_twin(scenario.file);
  const bool derived = !of_twin.empty() && !std::filesystem::exists(scenario.file, failed);
  return {derived ? of_twin : scenario.file, scenario.text, derived};
}

void leave_out_programs(LoadedScenarios& loaded, const std::string& why) {
  for (const harness::Scenario& scenario : loaded.scenarios) {
    if (!scenario.program) continue;
    loaded.unreadable.push_back({scenario.file, fmt::format("{}: the lock is {}, a program of its own, {}",
                                                            scenario.file, scenario.algorithm->name, why)});
  }
  std::erase_if(loaded.scenarios, [](const harness::Scenario& scenario) { return scenario.program.has_value(); });
}

void refuse_program(const harness::Scenario& scenario, const std::string& what) {
  throw harness::InputError(
      scenario.file, 0,
      fmt::format("{} is a program of its own, which {} does not take: lockproof run, explore, "
                  "explain, frontier and minimize do, in virtual time, and lockproof real, sweep and "
                  "check --allow-clients on real servers that lockproof starts",
                  scenario.algorithm->name, what));
}

harness::Scenario scenario_of(const Arguments& arguments) {
  harness::Scenario scenario =
      scenario_from_file(arguments.paths.front(), harness::algorithm_from(arguments.algorithm));
  const std::string& verb = arguments.verb;
  const bool only_real = verb == "sweep" || (verb == "real" && arguments.redis.empty());
  const bool needs_servers = only_real || verb == "real" || verb == "replay" || verb == "soak";
  const std::string_view simulated_only = harness::simulated_only(scenario);
  if (needs_servers && !simulated_only.empty()) {
    throw harness::InputError(scenario.file, 0, std::string(simulated_only));
  }
  if (!scenario.program || only_real) return scenario;
  const bool liveness = verb == "explore" && arguments.liveness;
  if ((verb != "run" && verb != "explore" && verb != "minimize") || liveness) {
    refuse_program(scenario, "lockproof " + verb + (liveness ? " --liveness" : ""));
  }
  put_in_virtual_time(scenario, arguments);
  return scenario;
}

void put_in_virtual_time(harness::Scenario& scenario, const Arguments& arguments) {
  programs::put_in_virtual_time(scenario, arguments.live);
  scenario.program->known_key = sim::key_of_program(scenario);
  const bool judges_each = arguments.verb == "run" || arguments.verb == "check";  // they print what happened as well
  if (check::is_never_granted(scenario) && !judges_each) {
    throw harness::NoGrantError(fmt::format("{}: cannot be judged: {}; lockproof run shows what happened",
                                            scenario.file, key_sentence(scenario.program->known_key)));
  }
}

std::string algorithm_words(const Arguments& arguments) {
  return arguments.algorithm.empty() ? "" : " --algorithm " + harness::shell_word(arguments.algorithm);
}

}  // namespace lockproof::cli
