// SPDX-License-Identifier: Apache-2.0
#include "tracer/traced_command.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "real/errors.hpp"
#include "tracer/traced_run.hpp"

namespace lockproof::tracer {

WorldReport run_command(const TracedCommand& command) {
  namespace fs = std::filesystem;
  HostSpec host{.name = "lockproof", .command = command.words, .environment = command.environment};
  host.command.insert(host.command.begin(), fs::read_symlink("/proc/self/exe"));
  host.folder = fs::current_path();
  if (const char* const path = std::getenv("PATH")) host.environment.push_back(fmt::format("PATH={}", path));
  WorldSpec spec;
  spec.folders = command.reads;
  spec.folders.push_back(host.folder);
  spec.folders.push_back(fs::path(host.command.front()).parent_path());
  spec.given = command.given;
  spec.kept = command.out;
  spec.seed = command.seed;
  constexpr Nanos day = 86'400 * second;
  spec.limit = day;
  spec.hosts.push_back(std::move(host));
  WorldReport report = run_world(spec);
  if (report.end == WorldReport::End::finished) return report;
  throw real::BadEnvironment(fmt::format("no run in virtual time: {}", report.words));
}

}  // namespace lockproof::tracer
