// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/setup.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"

namespace lockproof::harness {

std::string file_seen_from(const std::string& folder, const Algorithm& algorithm) {
  return path_seen_from(folder, std::string(algorithm.file));
}

std::string path_seen_from(const std::string& folder, const std::string& path) {
  if (folder.empty()) return std::filesystem::path(path).string();
  return std::filesystem::absolute(path).lexically_proximate(std::filesystem::absolute(folder)).string();
}

std::string algorithm_table(const Algorithm& algorithm, const std::string& folder) {
  std::string text = "[algorithm]\n";
  text += algorithm.file.empty() ? fmt::format("name = \"{}\"\n", algorithm.name)
                                 : fmt::format("file = {}\n", in_quotes(file_seen_from(folder, algorithm)));
  for (const Parameter& parameter : algorithm.parameters) {
    if (parameter.needed) text += fmt::format("{} = \"{}\"\n", parameter.name, to_text(parameter.standard));
  }
  return text;
}

std::string servers_tables(const Algorithm& algorithm, int of_a_majority) {
  const std::string_view service = row_of(algorithm.service).name;
  switch (algorithm.servers) {
    case Servers::one: return fmt::format("[servers]\n{} = 1\n", service);
    case Servers::one_with_replica:
      return fmt::format("[servers]\n{0} = 2\n\n[[server]]\nname = \"{0}-2\"\nreplica_of = \"{0}-1\"\n", service);
    case Servers::all: return fmt::format("[servers]\n{} = {}\n", service, of_a_majority);
  }
  return "";
}

}  // namespace lockproof::harness
