// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

#include "harness/report/verdicts.hpp"

namespace lockproof::harness {

std::string junit(const std::vector<RunReport>& reports) {
  using Tree = boost::property_tree::ptree;
  Tree suites;
  for (const RunReport& r : reports) {
    Tree suite;
    int failures = 0, skipped = 0;
    for (const check::Compared& c : r.properties) {
      Tree test;
      test.put("<xmlattr>.name", c.finding.property);
      test.put("<xmlattr>.classname", fmt::format("{}.{}", r.scenario, r.world));
      test.put("<xmlattr>.time", fmt::format("{:.3f}", r.seconds / static_cast<double>(r.properties.size())));
      const std::string message = fmt::format("{}, expected {}: {} Reproduce: {}", name(c.finding.verdict), c.expected,
                                              c.finding.what, r.reproduce);
      if (c.met == check::Met::no) {
        ++failures;
        test.put("failure.<xmlattr>.message", message);
      } else if (c.met == check::Met::unknown || cannot_be_seen(c.finding)) {
        ++skipped;
        test.put("skipped.<xmlattr>.message", message);
      }
      suite.add_child("testcase", test);
    }
    suite.put("<xmlattr>.name", fmt::format("{} ({})", r.scenario, r.world));
    suite.put("<xmlattr>.tests", r.properties.size());
    suite.put("<xmlattr>.failures", failures);
    suite.put("<xmlattr>.skipped", skipped);
    suite.put("<xmlattr>.time", fmt::format("{:.3f}", r.seconds));
    suites.add_child("testsuites.testsuite", suite);
  }
  std::ostringstream xml;
  boost::property_tree::write_xml(xml, suites, boost::property_tree::xml_writer_settings<std::string>(' ', 2));
  return xml.str();
}

}  // namespace lockproof::harness
