// SPDX-License-Identifier: Apache-2.0
// ExternalServers: servers that lockproof did not start and was told to use, and all keys and channels that it may use
// on them. No command that names another one is sent there: clients are checked before each command, and lockproof
// itself sends none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/network/endpoint.hpp"

namespace lockproof::real {

/// How connections authenticate; no password: they do not.
struct Credentials {
  std::string username, password;
};

struct ExternalServer {
  std::string name;     // its name in the scenario
  std::string address;  // as it was given
  Endpoint endpoint;    // resolved from it: a numeric address, or a path
};

struct ExternalServers {
  std::vector<ExternalServer> servers;  // in the order of the scenario's servers
  Credentials credentials;
  std::string prefix;                 // prefix of the lock's name in all keys and channels
  std::vector<std::string> keys;      // that may be read or written
  std::vector<std::string> channels;  // that may be subscribed to, or published to at a release
};

/// Throws harness::InputError if the scenario has faults that strike the server itself, or needs a configuration of it.
void require_harmless(const harness::Scenario& scenario);

/// A short random word that no other run uses.
[[nodiscard]] std::string drawn_word();

/// The scenario as it can be run there: its lock under the prefix, in the machine's own time.
[[nodiscard]] harness::Scenario under_prefix(const harness::Scenario& scenario, const std::string& prefix);

/// All keys that this scenario's lock uses.
[[nodiscard]] std::vector<std::string> keys_of(const harness::Scenario& scenario);
[[nodiscard]] std::vector<std::string> channels_of(const harness::Scenario& scenario);

/// The command that a connection must send first; nothing: none.
[[nodiscard]] std::optional<Command> greeting(const Credentials& credentials);

/// Throws if a client's command is not one that locks use, or names a key or channel that is not in the list.
void require_own(const ExternalServers& servers, const Command& command);

/// The commands that clients may send, as readable text.
[[nodiscard]] const std::string& commands_of_clients();

}  // namespace lockproof::real
