// SPDX-License-Identifier: Apache-2.0
// lockproof, the program.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/fuzz_options.hpp"
#include "cli/options/kept_inputs.hpp"
#include "cli/options/limit_guard.hpp"
#include "cli/options/server_options.hpp"
#include "cli/output/out_lock.hpp"
#include "cli/output/output.hpp"
#include "harness/cannot_judge.hpp"
#include "harness/check/expectation.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/headed.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/stop.hpp"
#include "harness/stop_reason.hpp"
#include "real/errors.hpp"

namespace {

namespace cli = lockproof::cli;
namespace check = lockproof::check;
using lockproof::harness::BadHistory;
using lockproof::harness::CannotJudge;
using lockproof::harness::InputError;
using lockproof::real::BadEnvironment;

/// The folder that the command writes into. What report makes may be made twice, several may work on tasks, and
/// minimize can write one file.
std::string out_folder(const cli::Arguments& arguments) {
  const bool file = arguments.verb == "minimize" && arguments.out.ends_with(".toml");
  return file || arguments.verb == "report" || arguments.verb == "work" ? "" : arguments.out;
}

int dispatch(const cli::Arguments& arguments) {
  cli::keep_inputs(arguments);
  const cli::OutLock lock(out_folder(arguments));
  cli::announce_programs(arguments);
  if (arguments.verb == "check") return cli::check_command(arguments);
  if (arguments.verb == "soak") return cli::soak_command(arguments);
  if (arguments.verb == "sweep") return cli::sweep_command(arguments);
  if (arguments.verb == "replay") return cli::replay_command(arguments);
  if (arguments.verb == "explore") {
    if (!arguments.other.empty()) return cli::not_in_command(arguments);
    return arguments.liveness ? cli::liveness_command(arguments) : cli::explore_command(arguments);
  }
  if (arguments.verb == "demo") return cli::demo_command(arguments);
  if (arguments.verb == "explain") return cli::explain_command(arguments);
  if (arguments.verb == "judge") return cli::judge_command(arguments);
  if (arguments.verb == "review") return cli::review_command(arguments);
  if (arguments.verb == "compare") return cli::compare_command(arguments);
  if (arguments.verb == "minimize") return cli::minimize_command(arguments);
  if (arguments.verb == "frontier") return cli::frontier_command(arguments);
  if (arguments.verb == "bench") return cli::bench_command(arguments);
  if (arguments.verb == "list") return cli::list_command(arguments);
  if (arguments.verb == "plan") return cli::plan_command(arguments);
  if (arguments.verb == "work") return cli::work_command(arguments);
  if (arguments.verb == "join") return cli::join_command(arguments);
  if (arguments.verb == "manual") return cli::manual_command(arguments);
  if (arguments.verb == "new") return cli::new_command(arguments);
  if (arguments.verb == "report") return cli::report_command(arguments);
  if (arguments.traces && arguments.verb == "real") return cli::traced_command(arguments);
  return cli::asks_for_many(arguments) ? cli::search_command(arguments) : cli::run_command(arguments);
}

/// To whoever reads JSON it says so where nothing can be judged; the error itself goes on.
int answer(const cli::Arguments& arguments) {
  try {
    return dispatch(arguments);
  } catch (const std::exception& e) {
    const auto* const refused = dynamic_cast<const CannotJudge*>(&e);
    const bool never_granted = dynamic_cast<const lockproof::harness::NoGrantError*>(&e) != nullptr;
    if ((refused || never_granted) && arguments.format == "json") {
      fmt::print("{}", lockproof::harness::refusal_json(refused ? refused->kind() : "never-granted", e.what()));
    }
    throw;
  }
}

int complain(int code, const char* what) {
  cli::complain(what);
  return code;
}

int cannot_print(const char* why) {
  return complain(check::exit_code::environment, fmt::format("cannot write to standard output: {}", why).c_str());
}

/// A descriptor of ours must not take the place of one that was closed: what is for a server would go to a person.
/// Reading from the one for writing fails, and writing to the others, as it did when they were closed.
void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

/// A file that grows beyond what this machine allows is an error of its write. Programs that are started do not
/// inherit that.
void survive_large_files() {
  std::signal(SIGXFSZ, [](int) {});
}

/// Threads have stacks of this size too, and readers of nested input need it.
void require_stack() {
  constexpr rlim_t least = 1 << 20;
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= least) return;
  throw BadEnvironment(fmt::format("a stack of {} KB is too small (ulimit -s); {} KB are needed at least",
                                   stack.rlim_cur >> 10, least >> 10));
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_descriptors();
  survive_large_files();
  cli::Arguments arguments;
  try {
    require_stack();
    arguments = cli::parse_arguments(argc, argv);
    const int code = arguments.exit >= 0 ? arguments.exit : answer(arguments);
    if (std::fflush(stdout) != 0) return cannot_print(std::strerror(errno));
    if (std::ferror(stdout)) return cannot_print("some of it was lost");
    if (!cli::unwritten().empty()) return complain(check::exit_code::environment, cli::unwritten().c_str());
    return code;
  } catch (const InputError& e) {
    return complain(check::exit_code::usage, e.what());
  } catch (const BadHistory& e) {
    return complain(check::exit_code::bad_data, e.what());
  } catch (const BadEnvironment& e) {
    return complain(check::exit_code::environment, e.what());
  } catch (const lockproof::harness::NotAFunction& e) {
    return complain(check::exit_code::unknown, e.what());
  } catch (const CannotJudge& e) {
    return complain(check::exit_code::unknown, (std::string("cannot judge: ") + e.what()).c_str());
  } catch (const lockproof::harness::NoGrantError& e) {
    return complain(check::exit_code::unknown, e.what());
  } catch (const cli::OutputError& e) {
    return complain(check::exit_code::environment, e.what());
  } catch (const std::system_error& e) {  // fmt::print's
    if (std::ferror(stdout)) return cannot_print(std::strerror(e.code().value()));
    return complain(check::exit_code::internal, (std::string("internal error: ") + e.what()).c_str());
  } catch (const lockproof::harness::Cancellation&) {
    const std::string why =
        lockproof::harness::stop_text(cli::LimitGuard::reason_of_last_stop(), {arguments.time, arguments.memory});
    return complain(check::exit_code::unknown,
                    fmt::format("stopped before anything was known{}{}", why.empty() ? "" : ": ", why).c_str());
  } catch (const std::bad_alloc&) {
    return complain(check::exit_code::unknown, "the machine gave no more memory; nothing is known");
  } catch (const std::exception& e) {
    return complain(check::exit_code::internal, (std::string("internal error: ") + e.what()).c_str());
  }
}
