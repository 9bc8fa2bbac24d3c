// SPDX-License-Identifier: Apache-2.0
// lockproof-conformance, a program for developers: compares the model of a service with a real server. It is built with
// the tests, and is not installed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>

#include "conformance/redis/reference.hpp"
#include "conformance/services.hpp"
#include "harness/check/expectation.hpp"
#include "real/errors.hpp"

namespace {

namespace conformance = lockproof::conformance;
namespace exit_code = lockproof::check::exit_code;

constexpr std::int64_t most_commands = 1'000'000'000;

const conformance::ComparisonRow& row_named(const std::string& name) {
  return *std::ranges::find(conformance::comparisons(), name, &conformance::ComparisonRow::name);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const conformance::ComparisonRow& row : conformance::comparisons()) all.emplace_back(row.name);
  return all;
}

void require_mutant(const conformance::ComparisonRow& row, const std::string& name) {
  const auto all = row.mutants();
  if (name.empty() || std::ranges::find(all, name, &conformance::MutantName::name) != all.end()) return;
  std::string list;
  for (const conformance::MutantName& mutant : all) list += fmt::format("\n  {}", mutant.name);
  throw CLI::ValidationError("--mutant", fmt::format("'{}' is no rule of {}; there are:{}", name, row.name, list));
}

int run(CLI::App& app, int argc, const char* const* argv) {
  conformance::Options options{.commands = 100'000};
  std::string service = "redis";
  bool reference = false;
  app.add_option("SERVICE", service, "whose model is compared; redis-nodes: with several nodes that replicate")
      ->check(CLI::IsMember(names()))
      ->capture_default_str();
  app.add_option("--commands", options.commands, "how many to send")
      ->check(CLI::Range(std::int64_t{1}, most_commands))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the random commands")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
  app.add_option("--mutant", options.mutant, "make this rule of the model wrong; the comparison has to find it");
  app.add_option("--server", options.program, "another build of the server: its path");
  app.add_flag("--reference", reference, "print the page about the simulated Redis, and send nothing");
  app.parse(argc, argv);
  if (reference) {
    fmt::print("{}", conformance::redis::reference_page());
    return exit_code::met;
  }
  const conformance::ComparisonRow& row = row_named(service);
  require_mutant(row, options.mutant);
  const conformance::Report report = row.compare(options);
  fmt::print("{}", conformance::text_of(report, options));
  return report.difference ? exit_code::failed : exit_code::met;
}

int complain(int code, const char* what) {
  fmt::print(stderr, "lockproof-conformance: {}\n", what);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares the model of a service with a real server, command by command", "lockproof-conformance");
  try {
    return run(app, argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return complain(exit_code::usage, e.what());
  } catch (const lockproof::real::BadEnvironment& e) {
    return complain(exit_code::environment, e.what());
  } catch (const std::exception& e) {
    return complain(exit_code::internal, e.what());
  }
}
