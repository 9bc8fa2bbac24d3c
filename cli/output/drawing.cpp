// SPDX-License-Identifier: Apache-2.0
#include "cli/output/drawing.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "cli/output/output.hpp"
#include "harness/check/expectation.hpp"
#include "real/os/program_files.hpp"

extern char** environ;

namespace lockproof::cli {
namespace {

/// Its exit status, or nothing if the program is not there or died of a signal.
std::optional<int> spawn(std::vector<std::string> words, bool on_stderr = false) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (on_stderr) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t pid = 0;
  std::fflush(stdout);
  const int failed = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  int status = 0;
  if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return std::nullopt;
  return WEXITSTATUS(status);
}

/// A Python that has a module. Debian's comes first: another one on the path need not have it.
std::optional<std::string> python_with(const std::string& module) {
  for (const char* candidate : {"/usr/bin/python3", "python3"}) {
    const std::string probe =
        fmt::format("import importlib.util as u, sys; sys.exit(u.find_spec('{}') is None)", module);
    if (spawn({candidate, "-c", probe}) == 0) return candidate;
  }
  return std::nullopt;
}

std::string script(const std::string& name) {
  return real::program_file("reports/" + name, "../share/lockproof/reports/" + name);
}

int without_python(const char* what) {
  complain(what);
  return check::exit_code::environment;
}

int draw(std::vector<std::string> words, const Drawing& drawing, bool on_stderr) {
  words.insert(words.end(), drawing.runs.begin(), drawing.runs.end());
  words.insert(words.end(), {"-o", drawing.out});
  return spawn(std::move(words), on_stderr).value_or(check::exit_code::internal);
}

}  // namespace

int write_pages(const Drawing& drawing, bool on_stderr) {
  const auto python = python_with("tomllib");
  if (!python) return without_python("pages need Python 3.11; on Debian: apt-get install python3");
  // They run the scenario again, in smaller forms.
  std::vector<std::string> words{*python, script("pages.py"), "--program",
                                 std::filesystem::read_symlink("/proc/self/exe")};
  if (drawing.what_if) words.emplace_back("--what-if");
  return draw(std::move(words), drawing, on_stderr);
}

int draw_pictures(const Drawing& drawing) {
  const auto python = python_with("matplotlib");
  if (python) return draw({*python, script("report.py")}, drawing, false);
  return without_python("pictures need a Python with matplotlib; on Debian: apt-get install python3-matplotlib");
}

}  // namespace lockproof::cli
