// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/file/parse_algorithm.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "harness/input_error.hpp"
#include "harness/lua/lua_algorithm.hpp"
#include "harness/scenario/file/fields.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_program.hpp"
#include "harness/scenario/file/parse_servers.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::harness {
namespace {

AlgorithmRef of_the_catalogue(Fields& fields, const Node& name) {
  const std::string& word = fields.text(name, "name");
  if (is_lock_file(word)) {
    fields.fail(name, "name", fmt::format("is '{0}'; write file = \"{0}\" for a lock of your own", word));
  }
  if (const Algorithm* found = find_algorithm(word)) return found;
  std::vector<std::string> names;
  for (const Algorithm& a : catalogue()) names.emplace_back(a.name);
  fields.must_be(name, "name", "algorithm", word, names);
  return {};
}

/// Beside the scenario, unless it is said with its whole path.
AlgorithmRef of_a_file(const std::string& scenario, Fields& fields, const Node& node) {
  const std::string& named = fields.text(node, "file");
  const std::string found = (std::filesystem::path(scenario).parent_path() / named).lexically_normal().string();
  if (fields.find("name")) fields.fail(node, "file", "and name are two locks; leave one of them out");
  if (!is_lock_file(named)) fields.fail(node, "file", fmt::format("is '{}'; a lock's file ends in .lua", named));
  if (!std::filesystem::exists(found))
    fields.fail(node, "file", fmt::format("is '{}', and there is no {}", named, found));
  return load_lock(found);
}

/// Its value in this table; nothing: it is not there.
std::optional<Duration> read_parameter(Fields& fields, const Parameter& parameter) {
  const Node* node = fields.find(parameter.name);
  if (!node) return std::nullopt;
  Duration value{};
  std::int64_t number = 0;
  parameter.counts ? fields.read(parameter.name, number, 1, servers_max) : fields.read(parameter.name, value);
  if (parameter.unit > Duration{} && (value <= Duration{} || value % parameter.unit != Duration{})) {
    fields.fail(*node, parameter.name,
                fmt::format("is {}, but it must be {} or a multiple of that", to_text(value), to_text(parameter.unit)));
  }
  return parameter.counts ? Duration(number) : value;
}

AlgorithmRef written(const std::string& file, Fields& top, Fields& fields, Scenario& s) {
  if (fields.find("command")) return read_program(file, top, fields, s);
  if (const Node* node = fields.find("file")) return of_a_file(file, fields, *node);
  return of_the_catalogue(fields, fields.need("name"));
}

}  // namespace

void read_algorithm(const std::string& file, Fields& top, const AlgorithmRef& instead, Scenario& s) {
  Fields fields(file, top.need("algorithm"), "[algorithm]");
  s.algorithm = instead ? instead : written(file, top, fields, s);
  if (const Node* node = instead || s.program ? nullptr : fields.find("key")) {
    fields.fail(*node, "key",
                "is for a lock that is a program of its own (command); the keys of other locks are known");
  }
  const std::string_view key = s.program ? "command" : fields.find("file") ? "file" : "name";
  for (const Parameter& parameter : s.algorithm->parameters) {
    if (!instead && parameter.needed && !fields.find(parameter.name)) {
      fields.fail(fields.need(key), key,
                  fmt::format("is '{}', which needs '{}' ({}), for example {} = \"{}\"", s.algorithm->name,
                              parameter.name, parameter.meaning, parameter.name, to_text(parameter.standard)));
    }
    s.parameters.emplace(parameter.name, read_parameter(fields, parameter).value_or(parameter.standard));
  }
  if (s.program) fields.read("permits", s.program->permits, 1, servers_max);
  if (!instead) fields.done();
}

Parameters read_own_parameters(const std::string& file, Fields& client, const Scenario& s, bool instead) {
  Parameters own;
  const Node* node = client.find("parameters");
  if (!node) return own;
  if (s.program) {
    client.fail(*node, "parameters", "has no part in a program; environment = { NAME = \"value\" } is told to it");
  }
  Fields fields(file, *node, "parameters of a [[client]]");
  for (const Parameter& parameter : s.algorithm->parameters) {
    const auto value = read_parameter(fields, parameter);
    if (value && value != s.parameters.find(parameter.name)->second) own.emplace(parameter.name, *value);
  }
  if (!instead) fields.done();
  return own;
}

bool is_lock_file(std::string_view word) { return word.ends_with(".lua"); }

AlgorithmRef load_lock(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) throw InputError(file, 0, "there is no such file");
  return lua::load_algorithm(file, text_of(file));
}

AlgorithmRef algorithm_from(const std::string& word) {
  return is_lock_file(word) ? load_lock(word) : AlgorithmRef(find_algorithm(word));
}

}  // namespace lockproof::harness
