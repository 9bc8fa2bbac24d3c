// SPDX-License-Identifier: Apache-2.0
#include "cli/options/server_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/output/output.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "real/errors.hpp"
#include "real/services/services.hpp"

namespace lockproof::cli {
namespace {

constexpr const char* server_option = "--server";

/// "redis=/opt/redis-server"
std::pair<Service, std::string> program_from(const std::string& word) {
  std::vector<std::string> kinds;
  const std::size_t equals = word.find('=');
  const std::string kind = word.substr(0, equals);
  for (const real::ServiceRow& service : real::services()) {
    kinds.emplace_back(harness::row_of(service.service).name);
    if (kinds.back() != kind || equals == std::string::npos) continue;
    if (equals + 1 < word.size()) return {service.service, word.substr(equals + 1)};
  }
  if (std::ranges::find(kinds, kind) == kinds.end()) {
    throw CLI::ValidationError(server_option,
                               fmt::format("'{}' is no kind of server{}", kind, harness::suggestion(kind, kinds)));
  }
  throw CLI::ValidationError(server_option, fmt::format("'{0}' names no program; write {0}=PATH", kind));
}

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

void add_server_programs(CLI::App& sub, Arguments& arguments, bool may_be_traced) {
  CLI::Option* const external = sub.get_option_no_throw("--redis");
  CLI::Option* const program = sub.add_option_function<std::vector<std::string>>(
      server_option,
      [&arguments, may_be_traced](const std::vector<std::string>& words) {
        for (const std::string& word : words) {
          if (may_be_traced && word == "traced") {
            arguments.traces = true;
            continue;
          }
          const auto [service, path] = program_from(word);
          arguments.programs[service] = path;
        }
      },
      std::string("start this build of a server instead of the installed one, as in redis=PATH; also memcached, "
                  "postgres, zookeeper (its .jar) and etcd, each with an option of its own") +
          (may_be_traced
               ? ". traced: the servers and the programs, unmodified, in one virtual time, where the same again is "
                 "equal to the byte (x86-64)"
               : ""));
  program->type_name(may_be_traced ? "KIND=PATH|traced" : "KIND=PATH")->allow_extra_args(false);
  if (external) program->excludes(external);
}

void announce_programs(const Arguments& arguments) {
  for (const real::ServiceRow& service : real::services()) {
    const std::string path = real::program_of(service.service, arguments.programs);
    if (path.empty()) continue;
    std::string version;
    try {
      version = service.version(path);
    } catch (const real::BadEnvironment& e) {
      throw real::BadEnvironment(fmt::format("{}: {}", server_option, e.what()));
    }
    complain(fmt::format("{}: {} is {}", server_option, path, version));
  }
}

std::string program_words(const Arguments& arguments) {
  std::string words;
  for (const auto& [service, path] : arguments.programs) {
    words += fmt::format(" {} {}={}", server_option, harness::row_of(service).name, harness::shell_word(path));
  }
  return words;
}

}  // namespace lockproof::cli
