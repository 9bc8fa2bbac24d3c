// SPDX-License-Identifier: Apache-2.0
// Scenarios of the clients in tests/programs/clients, and of locks in C++ beside them.
#pragma once

#include <fmt/format.h>

#include <string>

#include "harness/scenario/file/parse.hpp"
#include "programs/programs.hpp"
#include "sim/program_key.hpp"

namespace lockproof::tests {

inline const std::string python = "/usr/bin/python3";

inline harness::Scenario parsed(const std::string& lock, const std::string& rest) {
  const std::string file = LOCKPROOF_SOURCE "/tests/programs/clients/scenario.toml";
  harness::Scenario scenario = harness::parse_scenario(file, "[algorithm]\n" + lock + "\n" + rest);
  if (!scenario.program) return scenario;
  programs::put_in_virtual_time(scenario);
  scenario.program->known_key = sim::key_of_program(scenario);
  return scenario;
}

inline harness::Scenario of_program(const std::string& client, const std::string& rest) {
  return parsed(fmt::format("command = [\"{}\", \"{}\"]", python, client), rest);
}

inline harness::Scenario of_the_catalogue(const std::string& name, const std::string& rest) {
  return parsed(fmt::format("name = \"{}\"", name), rest);
}

}  // namespace lockproof::tests
