// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output/output.hpp"
#include "harness/check/expectation.hpp"
#include "real/os/program_files.hpp"

extern char** environ;

namespace lockproof::cli {
namespace {

/// Its exit status, or nothing if the program is not there or died of a signal.
std::optional<int> spawn(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  if (posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return std::nullopt;
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

/// The pages run the scenario again, in smaller forms, and for that need the program.
std::vector<std::string> page_words(const Arguments& arguments) {
  std::vector<std::string> words{script("pages.py"), "--program", std::filesystem::read_symlink("/proc/self/exe")};
  if (arguments.what_if) words.emplace_back("--what-if");
  return words;
}

}  // namespace

int report_command(const Arguments& arguments) {
  const auto interpreter = python_with(arguments.html ? "tomllib" : "matplotlib");
  if (!interpreter) {
    complain(arguments.html ? "pages need Python 3.11; on Debian: apt-get install python3"
                            : "pictures need a Python with matplotlib; on Debian: apt-get install python3-matplotlib");
    return check::exit_code::environment;
  }
  std::vector<std::string> words{*interpreter};
  const std::vector<std::string> what =
      arguments.html ? page_words(arguments) : std::vector<std::string>{script("report.py")};
  words.insert(words.end(), what.begin(), what.end());
  words.insert(words.end(), arguments.paths.begin(), arguments.paths.end());
  words.emplace_back("-o");
  const std::filesystem::path first(arguments.paths.front());
  const std::string beside = std::filesystem::is_directory(first) ? first.string() : first.parent_path().string();
  words.push_back(!arguments.out.empty() ? arguments.out : beside.empty() ? "." : beside);
  return spawn(words).value_or(check::exit_code::internal);
}

}  // namespace lockproof::cli
