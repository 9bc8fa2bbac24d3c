// SPDX-License-Identifier: Apache-2.0
#include "real/program/start.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "real/errors.hpp"

namespace lockproof::real {
namespace {

constexpr std::string_view search_path = "/usr/local/bin:/usr/bin:/bin";

/// The program's own path, found as a shell finds it.
std::string path_of(const std::string& word, const std::string& folders) {
  if (word.find('/') != std::string::npos) return std::filesystem::absolute(word).string();
  std::string_view rest = folders;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    const std::string found = fmt::format("{}/{}", folder, word);
    if (::access(found.c_str(), X_OK) == 0 && !std::filesystem::is_directory(found)) return found;
  }
  throw BadEnvironment(
      fmt::format("there is no program '{}' in {}; install it, give its whole path, or set "
                  "environment = {{ PATH = \"…\" }} under [algorithm]",
                  word, folders));
}

}  // namespace

Start start_of(const harness::Scenario& scenario, std::size_t client, const std::string& servers,
               const std::string& folder, const std::map<std::string, std::string>& of_service,
               const std::string& sentinels) {
  const harness::ProgramSpec& program = *scenario.program;
  const harness::ClientSpec& spec = scenario.clients[client];
  const std::string own = fmt::format("{}/{}", folder, spec.name);
  std::filesystem::create_directory(own);
  std::map<std::string, std::string> variables{
      {"PATH", std::string(search_path)}, {"HOME", own}, {"TMPDIR", own}, {"LANG", "C.UTF-8"}};
  for (const auto& [name, value] : of_service) variables[name] = value;
  for (const auto& [name, value] : program.environment) variables[name] = value;
  for (const auto& [name, value] : spec.environment) variables[name] = value;
  variables["LOCKPROOF_PROTOCOL"] = "1";
  variables["LOCKPROOF_SERVERS"] = servers;
  if (!sentinels.empty()) variables["LOCKPROOF_SENTINELS"] = sentinels;
  variables["LOCKPROOF_LOCK"] = scenario.lock;
  variables["LOCKPROOF_LEASE_MS"] = std::to_string(spec.plan.lease->count());
  variables["LOCKPROOF_CLIENT"] = spec.name;
  if (spec.plan.shares()) variables["LOCKPROOF_MODE"] = "shared";
  Start start{path_of(program.command.front(), variables["PATH"]), program.command, {}, own, {}, false};
  for (std::string& word : start.arguments) {
    std::error_code none;  // a word may be longer than any path
    if (std::filesystem::is_regular_file(word, none))
      word = std::filesystem::absolute(word).lexically_normal().string();
  }
  if (!program.folder.empty()) start.folder = std::filesystem::absolute(program.folder).string();
  for (const auto& [name, value] : variables) start.environment.push_back(fmt::format("{}={}", name, value));
  return start;
}

}  // namespace lockproof::real
