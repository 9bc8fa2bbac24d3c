// SPDX-License-Identifier: Apache-2.0
#include "harness/report/junit.hpp"

#include <fmt/format.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <filesystem>
#include <map>
#include <sstream>

#include "harness/check/verdict_text.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/version.hpp"

namespace lockproof::harness {
namespace {

using Tree = boost::property_tree::ptree;
using check::Agreement;
using check::ComparedFinding;

void put(Tree& element, const std::string& attribute, const std::string& value) {
  element.put("<xmlattr>." + attribute, printable(value));
}

std::string time_text(double seconds) { return fmt::format("{:.3f}", seconds); }

/// How many cases came out how, of one suite or of all.
struct Counts {
  std::size_t tests = 0;
  std::map<std::string, std::size_t> by_outcome;
  double seconds = 0;
  [[nodiscard]] std::string of(const std::string& outcome) const {
    const auto found = by_outcome.find(outcome);
    return std::to_string(found == by_outcome.end() ? 0 : found->second);
  }
  void add(const Counts& other) {
    tests += other.tests;
    seconds += other.seconds;
    for (const auto& [outcome, count] : other.by_outcome) by_outcome[outcome] += count;
  }
};

/// Two files of one name are two suites.
std::string path_of(const std::string& file) { return std::filesystem::path(file).replace_extension().string(); }

/// "failure", "error", "skipped", or empty: the case passed.
std::string outcome_of(const ComparedFinding& c) {
  if (c.met == Agreement::no) return "failure";
  if (c.met == Agreement::unknown) return "error";
  return !c.finding.judged || c.met == Agreement::unstated ? "skipped" : "";
}

std::string message_of(const ComparedFinding& c, const RunReport& r) {
  const std::string why = c.finding.what.empty() ? "" : ": " + c.finding.what;
  if (outcome_of(c) == "skipped" && !c.finding.judged) return "not judged" + why;
  std::string text = text_of(c.finding);
  text += c.met == Agreement::unstated ? ", not compared, since [expect] does not say what to expect of this"
                                       : fmt::format(", expected {}", check::text_of(c.expected));
  return fmt::format("{}{}. Reproduce: {}", text, why, r.reproduce);
}

Tree case_of(const std::string& name, const std::string& class_name, double seconds) {
  Tree test;
  put(test, "name", name);
  put(test, "classname", class_name);
  put(test, "time", time_text(seconds));
  return test;
}

void say(Tree& test, const std::string& outcome, const std::string& type, const std::string& message) {
  Tree said;
  put(said, "message", message);
  if (outcome != "skipped") put(said, "type", type);  // of what is skipped Surefire knows no type
  test.add_child(outcome, said);
}

Tree suite_of(const std::string& name, const std::vector<std::pair<std::string, std::string>>& properties,
              const std::vector<Tree>& tests, const Counts& counts) {
  Tree suite;
  put(suite, "name", name);
  put(suite, "tests", std::to_string(counts.tests));
  put(suite, "failures", counts.of("failure"));
  put(suite, "errors", counts.of("error"));
  put(suite, "skipped", counts.of("skipped"));
  put(suite, "time", time_text(counts.seconds));
  Tree& all = suite.add_child("properties", Tree());
  for (const auto& [key, value] : properties) {
    Tree& property = all.add_child("property", Tree());
    put(property, "name", key);
    put(property, "value", value);
  }
  for (const Tree& test : tests) suite.add_child("testcase", test);
  return suite;
}

Tree suite_of(const RunReport& r, Counts& counts) {
  counts = {.tests = r.properties.size(), .by_outcome = {}, .seconds = r.seconds};
  std::vector<Tree> tests;
  for (const ComparedFinding& c : r.properties) {
    Tree& test = tests.emplace_back(case_of(c.finding.property, fmt::format("{}.{}", path_of(r.file), r.world),
                                            r.seconds / static_cast<double>(r.properties.size())));
    const std::string outcome = outcome_of(c);
    if (outcome.empty()) continue;
    ++counts.by_outcome[outcome];
    say(test, outcome, std::string(check::text_of(name(c.finding.verdict))), message_of(c, r));
  }
  return suite_of(fmt::format("{} ({})", r.file, r.world),
                  {{"file", r.file},
                   {"algorithm", r.algorithm},
                   {"world", r.world},
                   {"seed", std::to_string(r.seed)},
                   {"reproduce", r.reproduce}},
                  tests, counts);
}

Tree suite_of(const UnreadableFile& one, Counts& counts) {
  counts = {.tests = 1, .by_outcome = {{"error", 1}}, .seconds = 0};
  Tree test = case_of("scenario", path_of(one.file), 0);
  say(test, "error", "unreadable", one.why);
  return suite_of(one.file, {{"file", one.file}}, {test}, counts);
}

}  // namespace

std::string junit(const std::vector<RunReport>& reports, const std::vector<UnreadableFile>& unreadable) {
  std::vector<Tree> suites;
  Counts all;
  const auto add = [&](const auto& one) {
    Counts counts;
    suites.push_back(suite_of(one, counts));
    all.add(counts);
  };
  for (const UnreadableFile& one : unreadable) add(one);
  for (const RunReport& report : reports) add(report);
  Tree document;
  Tree& root = document.add_child("testsuites", Tree());
  put(root, "name", fmt::format("lockproof {}", program_version));
  put(root, "tests", std::to_string(all.tests));
  put(root, "failures", all.of("failure"));
  put(root, "errors", all.of("error"));
  put(root, "time", time_text(all.seconds));
  for (const Tree& suite : suites) root.add_child("testsuite", suite);
  std::ostringstream xml;
  boost::property_tree::write_xml(xml, document, boost::property_tree::xml_writer_settings<std::string>(' ', 2));
  return xml.str();
}

}  // namespace lockproof::harness
