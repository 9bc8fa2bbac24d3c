// SPDX-License-Identifier: Apache-2.0
// real --redis: a run on servers that lockproof did not start.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/arguments.hpp"
#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/foreign/foreign.hpp"

namespace lockproof::cli {

struct ForeignRun {
  harness::Scenario scenario;  // as it can be run there
  std::shared_ptr<const real::ForeignServers> servers;
};

/// Looks at the servers and says on standard error what will be touched there. Throws harness::InputError if the
/// scenario or the addresses are not for that, real::BadEnvironment if servers are not.
[[nodiscard]] ForeignRun prepare_foreign_run(const Arguments& arguments, const harness::Scenario& scenario);

/// A command that a server refused because of who we are, as a sentence; nothing: there is none. What such a run shows
/// is not about the lock.
[[nodiscard]] std::optional<std::string> lacking_right(const harness::History& history);

/// What the command line says of them, to be done again.
[[nodiscard]] std::string foreign_words(const Arguments& arguments);

}  // namespace lockproof::cli
