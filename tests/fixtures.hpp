// SPDX-License-Identifier: Apache-2.0
// What tests are written with: scenarios from text, runs, and a way to say what happened in them. Defaults are quiet,
// so that what a test sets is what it is about.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/check/properties.hpp"
#include "harness/history/history.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_twin.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/setup.hpp"
#include "sim/run.hpp"

namespace lockproof::tests {

/// Every scenario of the catalogue, and the twins that are derived from them, in the order of their names.
inline std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(LOCKPROOF_SOURCE "/scenarios")) {
    const bool other = entry.path().parent_path().filename() == "budgets" || entry.path().filename() == "cases.toml";
    if (entry.path().extension() != ".toml" || other) continue;
    files.push_back(entry.path().string());
    if (harness::has_twin(files.back())) files.push_back(harness::twin_file(files.back()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The scenario of the catalogue with this name, wherever it lies. Throws std::out_of_range.
inline std::string scenario_file(const std::string& name) {
  for (const std::string& file : scenario_files()) {
    if (std::filesystem::path(file).stem() == name) return file;
  }
  throw std::out_of_range("no scenario " + name);
}

/// A scenario's name as GoogleTest wants names of tests.
inline std::string as_test_name(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Two clients of set-px-token, 1 ms one way, unless the text says otherwise; of [algorithm] it may say the first
/// lines. A lock gets what it needs: parameters, and a replica.
inline harness::Scenario scenario(const std::string& text, const std::string& algorithm = "set-px-token") {
  const auto says = [&](const std::string& what) { return text.find(what) != std::string::npos; };
  std::string all = "[algorithm]\nname = \"" + algorithm + "\"\n";
  const Algorithm* known = find_algorithm(algorithm);
  for (const Parameter& parameter : known ? known->parameters : std::span<const Parameter>()) {
    const std::string key = std::string(parameter.name) + " = ";
    if (parameter.needed && !says(key)) all += key + "\"" + harness::to_text(parameter.standard) + "\"\n";
  }
  all += text + "\n";
  const bool has_no_replica = known && known->servers == Servers::one_with_replica && !says("[servers]");
  if (has_no_replica) all += harness::servers_tables(*known, 1);
  return harness::parse_scenario("test.toml", all);
}

inline harness::History run(const harness::Scenario& s, std::uint64_t seed = 1) { return sim::run(s, seed); }

/// Positions of the events of one kind, of one host if it is named.
inline std::vector<std::size_t> where(const harness::History& h, harness::What what, const std::string& host = "") {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < h.events.size(); ++i) {
    const harness::Event& e = h.events[i];
    if (e.what == what && (host.empty() || (e.host != harness::no_host && h.host_name(e.host) == host)))
      found.push_back(i);
  }
  return found;
}

/// The n-th event of a kind, from 0. Fails the test if there is none.
inline harness::Event event(const harness::History& h, harness::What what, const std::string& host = "",
                            std::size_t n = 0) {
  const auto found = where(h, what, host);
  if (n >= found.size()) {
    ADD_FAILURE() << "no " << harness::name(what) << " #" << n << " of " << (host.empty() ? "anybody" : host);
    return {};
  }
  return h.events[found[n]];
}

/// The n-th `send` of a verb by a client, from 0.
inline harness::Event sent(const harness::History& h, const std::string& client, std::string_view verb,
                           std::size_t n = 0) {
  for (const std::size_t i : where(h, harness::What::send, client)) {
    if (h.events[i].command->verb() == verb && n-- == 0) return h.events[i];
  }
  ADD_FAILURE() << client << " never sent " << verb;
  return {};
}
inline harness::Event executed(const harness::History& h, const std::string& server, std::string_view verb,
                               std::size_t n = 0) {
  for (const std::size_t i : where(h, harness::What::execute, server)) {
    if (h.events[i].command->verb() == verb && n-- == 0) return h.events[i];
  }
  ADD_FAILURE() << server << " never ran " << verb;
  return {};
}

inline check::Finding judged(const harness::History& h, const harness::Scenario& s, std::string_view property) {
  for (check::Finding& finding : check::judge(h, s)) {
    if (finding.property == property) return finding;
  }
  ADD_FAILURE() << "no property is named " << property;
  return {};
}

inline std::int64_t ms(const harness::Event& e) { return e.at.count() / 1000; }

}  // namespace lockproof::tests
