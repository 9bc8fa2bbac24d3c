// SPDX-License-Identifier: Apache-2.0
// ExternalServers: servers that lockproof did not start and was told to use, and all that it may name on them. Nothing
// is sent there that names anything else: neither by clients, which are checked before each command, nor by ourselves.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/network/endpoint.hpp"

namespace lockproof::real {

/// How connections introduce themselves; no password: they do not.
struct Credentials {
  std::string username, password;
};

struct ExternalServer {
  std::string name;     // in the scenario
  std::string address;  // as it was given
  Endpoint endpoint;    // found out from it: a number, or a path
};

struct ExternalServers {
  std::vector<ExternalServer> servers;  // by the order of the scenario's
  Credentials credentials;
  std::string prefix;                 // of the lock's name, in all that it names
  std::vector<std::string> keys;      // that may be read or written
  std::vector<std::string> channels;  // that may be subscribed to, or told of a release
};

/// What such servers must not be asked for is a harness::InputError: faults that strike the server itself, and whatever
/// it would have to be set up for.
void require_harmless(const harness::Scenario& scenario);

/// A short word that nobody else uses.
[[nodiscard]] std::string drawn_word();

/// The scenario as it can be run there: its lock under the prefix, in the machine's own time.
[[nodiscard]] harness::Scenario under_prefix(const harness::Scenario& scenario, const std::string& prefix);

/// All that this scenario's lock names.
[[nodiscard]] std::vector<std::string> keys_of(const harness::Scenario& scenario);
[[nodiscard]] std::vector<std::string> channels_of(const harness::Scenario& scenario);

/// The words that a connection must send first; nothing: none.
[[nodiscard]] std::optional<Command> greeting(const Credentials& credentials);

/// Throws if a client's command is none of those that locks use, or names a key or channel that is not in the list.
void require_own(const ExternalServers& servers, const Command& command);

/// The commands that clients may send, for people.
[[nodiscard]] const std::string& commands_of_clients();

}  // namespace lockproof::real
