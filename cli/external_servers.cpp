// SPDX-License-Identifier: Apache-2.0
#include "cli/external_servers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "cli/output/output.hpp"
#include "harness/check/lateness.hpp"
#include "harness/check/properties.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/shell_word.hpp"
#include "real/external/visit.hpp"

namespace lockproof::cli {
namespace {

using harness::InputError;

constexpr const char* password_variable = "LOCKPROOF_REDIS_PASSWORD";
constexpr const char* username_variable = "LOCKPROOF_REDIS_USERNAME";
constexpr std::size_t prefix_most = 100;
constexpr std::string_view words_of_rights[] = {"NOPERM", "NOAUTH", "ACL failure", "The user executing the script"};

std::string in_environment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value ? value : "";
}

real::Credentials credentials() {
  real::Credentials found{in_environment(username_variable), in_environment(password_variable)};
  if (!found.username.empty() && found.password.empty()) {
    throw InputError(username_variable, 0, fmt::format("a user needs a password; set {} as well", password_variable));
  }
  return found;
}

std::string prefix_of(const Arguments& arguments) {
  const std::string& given = arguments.prefix;
  if (given.empty()) return fmt::format("lockproof:{}:", real::drawn_word());
  const auto wrong = [](char c) {
    return c <= ' ' || c > '~' || std::string_view("{}*?[]\\\"'").find(c) != std::string_view::npos;
  };
  if (given.size() > prefix_most || std::ranges::any_of(given, wrong)) {
    throw InputError("--prefix", 0,
                     fmt::format("letters, digits and signs, at most {}, but no blanks, quotes, braces, brackets, "
                                 "stars or question marks; as in lockproof:",
                                 prefix_most));
  }
  return given;
}

std::string not_judged() {
  std::vector<std::string_view> names;
  for (const check::Property& property : check::properties()) {
    if (property.needs_servers) names.push_back(property.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void say(const harness::Scenario& scenario, const real::Visit& visit) {
  std::string text = "lockproof: --redis: this uses servers that lockproof did not start\n";
  for (const std::string& server : visit.described) text += fmt::format("  {}\n", server);
  text += fmt::format("  touched there: the key{} {}\n", visit.servers.keys.size() == 1 ? "" : "s",
                      fmt::join(visit.servers.keys, ", "));
  if (!visit.servers.channels.empty()) {
    text += fmt::format("  and the channel {}\n", fmt::join(visit.servers.channels, ", "));
  }
  text += fmt::format(
      "  sent by lockproof: {}PING, INFO, EXISTS, SET, EVAL, DEL; by the lock: some of {}\n"
      "  in the end its keys are deleted; its scripts stay in the servers' script cache\n"
      "  these servers are not observed, so these are not judged: {}\n"
      "  no clock is scaled there: it takes {} s at most\n",
      visit.servers.credentials.password.empty() ? "" : "AUTH, ", real::commands_of_clients(), not_judged(),
      std::chrono::duration_cast<seconds>(scenario.horizon).count());
  for (const std::string& warning : visit.warnings) text += fmt::format("  warning: {}\n", warning);
  print_note(text);
}

/// A command that a server refused because of who we are; nothing: there is none.
std::optional<std::string> lacking_right(const harness::History& history) {
  for (const harness::Event& event : history.events) {
    if (event.what != harness::What::execute || !event.command || !event.reply || !event.reply->is_error()) continue;
    const std::string& why = event.reply->value().bytes();
    const bool of_rights = std::ranges::any_of(
        words_of_rights, [&](std::string_view words) { return why.find(words) != std::string::npos; });
    if (!of_rights) continue;
    return fmt::format("{} refused {}: {}; its user needs the rights that docs/reference/own-servers.md names",
                       history.host_name(event.host), event.command->verb(), why);
  }
  return std::nullopt;
}

}  // namespace

ExternalRun prepare_external_run(const Arguments& arguments, const harness::Scenario& scenario) {
  real::require_harmless(scenario);
  std::vector<real::ExternalAddress> addresses;
  for (const std::string& text : arguments.redis) addresses.push_back(real::external_address_from(text));
  const std::string prefix = prefix_of(arguments);
  ExternalRun run{real::under_prefix(scenario, prefix), nullptr, {}};
  real::Visit visit = real::visit(run.scenario, prefix, addresses, credentials(),
                                  [&](const real::Visit& seen) { say(run.scenario, seen); });
  run.before = std::move(visit.conditions);
  run.servers = std::make_shared<const real::ExternalServers>(std::move(visit.servers));
  return run;
}

void judge_circumstances(const ExternalRun& run, const harness::History& history, harness::RunReport& report) {
  if (const auto refused = lacking_right(history)) {
    report.properties =
        check::compare(check::all_unknown(*refused), check::expected_of(run.scenario, &harness::Expect::real));
    return;
  }
  const std::vector<std::string> struck = real::struck_since(*run.servers, run.before);
  if (struck.empty()) return;
  const std::string why = fmt::format("{}", fmt::join(struck, "; "));
  std::vector<check::Finding> findings;
  for (check::ComparedFinding& compared : report.properties) {
    check::Finding& found = findings.emplace_back(std::move(compared.finding));
    if (found.verdict != check::Verdict::violated) continue;
    found.verdict = check::Verdict::unknown;
    found.kind.clear();
  }
  report.properties = check::compare(std::move(findings), check::expected_of(run.scenario, &harness::Expect::real));
  check::leave_undecided(report.properties, true, why);
}

std::string external_words(const Arguments& arguments) {
  if (arguments.redis.empty()) return "";
  return fmt::format(" --redis {}{}", harness::shell_word(fmt::to_string(fmt::join(arguments.redis, ","))),
                     arguments.prefix.empty() ? "" : " --prefix " + harness::shell_word(arguments.prefix));
}

}  // namespace lockproof::cli
