// SPDX-License-Identifier: Apache-2.0
#include "cli/options/server_options.hpp"

#include <fmt/format.h>

#include "cli/output/output.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/services.hpp"
#include "real/errors.hpp"
#include "real/services/services.hpp"

namespace lockproof::cli {
namespace {

std::string program_option(Service service) { return fmt::format("--{}-server", harness::row_of(service).name); }

}  // namespace

void add_redis(CLI::App& sub, Arguments& arguments) {
  CLI::Option* const redis =
      sub.add_option("--redis", arguments.redis,
                     "use these servers and start none, as in 127.0.0.1:6379, [::1]:6379 or unix:/run/redis.sock; one "
                     "for each server of the scenario, separated by commas. Nothing but the lock's keys is touched "
                     "there, and faults that would strike a server are refused. A password: in the environment "
                     "variable LOCKPROOF_REDIS_PASSWORD, its user in LOCKPROOF_REDIS_USERNAME")
          ->delimiter(',')
          ->allow_extra_args(false);
  sub.add_option("--prefix", arguments.prefix,
                 "with --redis: the prefix of all keys there (default: lockproof: and random digits)")
      ->needs(redis);
}

void add_server_programs(CLI::App& sub, Arguments& arguments) {
  CLI::Option* const external = sub.get_option_no_throw("--redis");
  for (const real::ServiceRow& service : real::services()) {
    CLI::Option* const program = sub.add_option_function<std::string>(
        program_option(service.service),
        [&arguments, which = service.service](const std::string& path) { arguments.programs[which] = path; },
        fmt::format("start this build of {} instead of the installed one", service.program));
    program->type_name("PATH");
    if (external) program->excludes(external);
  }
}

std::string why_not_there(const Arguments& arguments) {
  if (arguments.redis.empty()) return "";
  if (arguments.trace) return "a trace replay sets the servers' clocks; leave --redis out, or --trace";
  if (!arguments.soak.empty()) return "a soak restarts, stops and flushes servers; leave --redis out, or --soak";
  return "";
}

void announce_programs(const Arguments& arguments) {
  for (const real::ServiceRow& service : real::services()) {
    const std::string path = real::program_of(service.service, arguments.programs);
    if (path.empty()) continue;
    std::string version;
    try {
      version = service.version(path);
    } catch (const real::BadEnvironment& e) {
      throw real::BadEnvironment(fmt::format("{}: {}", program_option(service.service), e.what()));
    }
    complain(fmt::format("{}: {} is {}", program_option(service.service), path, version));
  }
}

std::string program_words(const Arguments& arguments) {
  std::string words;
  for (const auto& [service, path] : arguments.programs) {
    words += fmt::format(" {} {}", program_option(service), harness::shell_word(path));
  }
  return words;
}

}  // namespace lockproof::cli
