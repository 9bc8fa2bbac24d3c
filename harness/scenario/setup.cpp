// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/setup.hpp"

#include <fmt/format.h>

#include "harness/scenario/names.hpp"

namespace lockproof::harness {

std::string algorithm_table(const Algorithm& algorithm) {
  std::string text = fmt::format("[algorithm]\nname = \"{}\"\n", algorithm.name);
  for (const Parameter& parameter : algorithm.parameters) {
    if (parameter.needed) text += fmt::format("{} = \"{}\"\n", parameter.name, to_text(parameter.standard));
  }
  return text;
}

std::string servers_tables(const Algorithm& algorithm, int of_a_majority) {
  switch (algorithm.servers) {
    case Servers::one: return "[servers]\nredis = 1\n";
    case Servers::one_with_replica:
      return "[servers]\nredis = 2\n\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n";
    case Servers::all: return fmt::format("[servers]\nredis = {}\n", of_a_majority);
  }
  return "";
}

}  // namespace lockproof::harness
