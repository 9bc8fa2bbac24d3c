// SPDX-License-Identifier: Apache-2.0
#include "harness/report/junit.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/report/trace.hpp"
#include "harness/report/verdicts.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::harness::report_test {
namespace {

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::size_t count(const std::string& text, std::string_view words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
  return found;
}

TEST(Trace, FoldsPolling) {
  const auto h = tests::run(tests::scenario("[workload]\nwork = [\"hold 10s\"]\n"));
  EXPECT_GT(tests::where(h, What::busy).size(), 100u);
  const std::string text = trace(h, Style(false));
  EXPECT_LT(lines(text), 45u);
  EXPECT_NE(text.find("more attempts, all busy"), std::string::npos);
}

TEST(Trace, FoldsAttemptsThatFailAlike) {
  auto h = tests::run(tests::scenario(""));
  const HostIndex client = std::ranges::find(h.events, What::granted, &Event::what)->host;
  h.events.clear();
  const auto fail = [&](const std::string& word, int times) {
    for (int i = 0; i < times; ++i) {
      const Duration at = std::chrono::seconds(h.events.size());
      h.events.push_back({.what = What::attempt, .host = client, .at = at});
      h.events.push_back({.what = What::failed, .host = client, .at = at});
      h.events.back().error = Error::no_reply;
      h.events.back().word = word;
    }
  };
  fail("no driver", 10);
  fail("no server", 3);
  const std::string text = trace(h, Style(false));
  EXPECT_NE(text.find("… 8 more attempts, all failed, until 16.000 s"), std::string::npos) << text;
  EXPECT_EQ(count(text, "no driver"), 2u) << text;
  EXPECT_EQ(count(text, "no server"), 3u) << "three are no row:\n" << text;
}

TEST(Trace, SaysThatATouchFails) {
  auto h = tests::run(tests::scenario(""));
  const HostIndex client = std::ranges::find(h.events, What::granted, &Event::what)->host;
  h.events.push_back({.what = What::touch_failed, .host = client});
  h.events.back().error = Error::no_reply;
  h.events.back().word = "no resource";
  EXPECT_NE(trace(h, Style(false)).find("touch fails: \"no resource\""), std::string::npos);
}

TEST(Trace, ShowsWhoIsInside) {
  const auto s = load_scenario(std::string(LOCKPROOF_SOURCE) + "/scenarios/documented/leases/lease-outlived.toml");
  const std::string text = trace(tests::run(s), Style(false));
  EXPECT_NE(text.find("ENTERS, good for 9.998 s"), std::string::npos);
  EXPECT_NE(text.find("PAUSED for 11s"), std::string::npos);
  EXPECT_NE(text.find("client-1, 2\n"), std::string::npos);
}

/// The longest line, in columns.
std::size_t width_of(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    widest = std::max(widest, columns_of(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

TEST(Trace, FitsItsWidth) {
  const auto s = load_scenario(std::string(LOCKPROOF_SOURCE) + "/scenarios/documented/leases/lease-outlived.toml");
  const History history = tests::run(s);
  const std::string narrow = trace(history, Style(false)), wide = trace(history, Style(false, 120));
  EXPECT_LE(width_of(narrow), 80u);
  EXPECT_LE(width_of(wide), 120u);
  EXPECT_GT(width_of(wide), 80u) << "it takes what there is";
  EXPECT_EQ(narrow, trace(history, Style(false, 80)));
  EXPECT_NE(narrow.find("runs client-2's SET = OK                        client-1\n"
                        "                       expired lock, set lock, expire lock in 10s\n"),
            std::string::npos)
      << "what comes of a command stands below it:\n"
      << narrow;
  EXPECT_NE(wide.find("runs client-2's SET = OK   expired lock, set lock, expire lock in 10s  client-1\n"),
            std::string::npos)
      << wide;
}

TEST(Verdicts, FitTheirWidth) {
  RunReport r;
  r.properties = check::compare(
      {{"mutual-exclusion",
        check::Verdict::violated,
        "outlived",
        "client-2 at 10.050 s entered while client-1 was inside (since 0.002 s), which had outlived its own deadline",
        {}}},
      Expectations{});
  EXPECT_LE(width_of(verdict_text(r, Style(false))), 80u);
  EXPECT_NE(verdict_text(r, Style(false)).find("(since 0.002 s),\n      which had outlived its own deadline\n"),
            std::string::npos)
      << verdict_text(r, Style(false));
}

TEST(Trace, SaysWhatAProgramSaysOfItsFailure) {
  auto h = tests::run(tests::scenario(""));
  const auto granted = std::ranges::find(h.events, What::granted, &Event::what);
  ASSERT_NE(granted, h.events.end());
  Event failed{.what = What::failed, .host = granted->host, .at = granted->at};
  failed.error = Error::no_reply;
  EXPECT_NE(trace({h.header, {failed}}, Style(false)).find("attempt ends with no-reply: it may hold the lock"),
            std::string::npos);
  failed.word = "current transaction is aborted";
  EXPECT_NE(trace({h.header, {failed}}, Style(false, 120))
                .find("attempt fails: \"current transaction is aborted\": it may hold the lock"),
            std::string::npos);
  failed.what = What::released;
  EXPECT_NE(trace({h.header, {failed}}, Style(false)).find("release fails: \"current transaction is aborted\""),
            std::string::npos);
}

TEST(Trace, HasNoColoursUnlessAsked) {
  const auto h = tests::run(tests::scenario(""));
  EXPECT_EQ(trace(h, Style(false)).find('\x1b'), std::string::npos);
  EXPECT_NE(trace(h, Style(true)).find('\x1b'), std::string::npos);
}

TEST(Trace, ShowsTheBeginningOfALongValue) {
  auto h = tests::run(tests::scenario(""));
  const auto reply = std::ranges::find(h.events, What::receive, &Event::what);
  ASSERT_NE(reply, h.events.end());
  reply->reply = Reply::bulk("a" + std::string(49, '.') + "é" + std::string(47, '.') + "é" + std::string(1000, 'z'));
  const std::string text = trace(h, Style(false, 200));
  EXPECT_NE(text.find("é" + std::string(47, '.') + "é…"), std::string::npos) << "no character is cut in two";
  EXPECT_EQ(text.find("zzz"), std::string::npos);
}

RunReport report() {
  RunReport r;
  r.scenario = "s";
  r.world = "simulated";
  r.reproduce = "lockproof run s.toml --seed 1";
  r.properties = check::compare({{"mutual-exclusion", check::Verdict::violated, "outlived", "A & B <both>", {1, 2}},
                                 {"owner-release", check::Verdict::not_found, "", "", {}}},
                                Expectations{});
  return r;
}

TEST(Verdicts, AreWrittenForPeople) {
  const std::string text = verdict_text(report(), Style(false));
  EXPECT_NE(text.find("mutual-exclusion    violated (outlived)       expected no violation"), std::string::npos)
      << text;
  EXPECT_NE(text.find("an expectation failed"), std::string::npos);
}

TEST(Verdicts, AreWrittenForMachines) {
  const std::string json = verdict_json(report());
  EXPECT_NE(json.find("\"verdict\": \"violated\""), std::string::npos);
  EXPECT_NE(json.find("\"exit_code\": 1"), std::string::npos);
}

/// What nobody watched, and nobody asked for.
check::ComparedFinding unseen() {
  check::Finding finding{"re-entrancy", check::Verdict::unknown, "", "nobody watched", {}};
  finding.judged = false;
  return check::compare({finding}, Expectations{}).front();
}

TEST(Verdicts, ShowWhatNobodyWatched) {
  RunReport r;
  r.properties = {unseen()};
  const std::string text = verdict_text(r, Style(false));
  EXPECT_NE(text.find("re-entrancy         unknown                   not judged\n      nobody watched\nevery"),
            std::string::npos)
      << text;
  EXPECT_NE(junit({r}).find("<skipped message=\"not judged: nobody watched\"/>"), std::string::npos) << junit({r});
}

TEST(Verdicts, SayThatNothingWasCompared) {
  RunReport r;
  r.properties = check::compare({{"mutual-exclusion", check::Verdict::violated, "outlived", "A", {}}}, std::nullopt);
  const std::string text = verdict_text(r, Style(false));
  EXPECT_NE(text.find("violated (outlived)       not compared"), std::string::npos) << text;
  EXPECT_NE(text.find("nothing was compared"), std::string::npos) << text;
  const std::string json = verdict_json(r);
  EXPECT_NE(json.find("\"expected\": null"), std::string::npos) << json;
  EXPECT_NE(json.find("\"exit_code\": 0"), std::string::npos) << json;
  EXPECT_EQ(verdict_json(report_from_json(json)), json);
}

TEST(Verdicts, AreReadBackAsTheyWereWritten) {
  RunReport r = report();
  r.late_us = 7'300;
  r.repeated = {"processes or servers were up to 31.0 ms late"};
  r.properties.push_back(
      {{"exercised", check::Verdict::unknown, "", "why", {}}, "no-violation", check::Agreement::unknown});
  r.properties.push_back(unseen());
  EXPECT_EQ(verdict_json(report_from_json(verdict_json(r))), verdict_json(r));
  EXPECT_EQ(verdict_text(report_from_json(verdict_json(r)), Style(false)), verdict_text(r, Style(false)));
}

TEST(Verdicts, SayHowLateTheMachineWasAndWhatItCost) {
  RunReport r = report();
  EXPECT_EQ(verdict_text(r, Style(false)).find("ms late"), std::string::npos);
  r.late_us = 7'300;
  r.repeated = {"as bad"};
  EXPECT_NE(verdict_text(r, Style(false)).find("run 1: as bad\nthe machine was up to 7.3 ms late\n"),
            std::string::npos);
}

TEST(Verdicts, AreWrittenAsJUnit) {
  const std::string xml = junit({report()});
  EXPECT_NE(xml.find("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("A &amp; B &lt;both&gt;"), std::string::npos) << xml;
}

TEST(Verdicts, AreOneSuiteOfJUnitForEachFile) {
  RunReport one = report(), other = report();
  one.file = "one/lock.toml";
  other.file = "other/lock.toml";
  const std::string xml = junit({one, other}, {{"bad.toml", "bad.toml:3: why"}});
  for (const char* name : {"name=\"one/lock.toml (simulated)\"", "name=\"other/lock.toml (simulated)\"",
                           "classname=\"one/lock.simulated\"", "<error message=\"bad.toml:3: why\""}) {
    EXPECT_NE(xml.find(name), std::string::npos) << name << "\n" << xml;
  }
}

TEST(Verdicts, ThatAreUndecidedAreErrorsOfJUnit) {
  RunReport r;
  r.properties.push_back(
      {{"exercised", check::Verdict::unknown, "", "why", {}}, "no-violation", check::Agreement::unknown});
  EXPECT_NE(junit({r}).find("<error message=\"unknown, expected no violation: why"), std::string::npos) << junit({r});
}

TEST(Printable, ShowsWhatWouldDoSomethingToATerminal) {
  EXPECT_EQ(printable("\x1b[31mred\n</x>&]]>"), "\\x1b[31mred\\n</x>&]]>");
  EXPECT_EQ(printable(std::string_view("nul\0del\x7f", 8)), "nul\\x00del\\x7f");
  EXPECT_EQ(printable("Ünïcode → 鎖 😀"), "Ünïcode → 鎖 😀");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m")
      << "the other way to write ESC [";
  EXPECT_EQ(printable("\xe2\x80\xaetxt"), "\\u202etxt") << "turns what follows around";
  EXPECT_EQ(printable("\xff\xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82"),
            "\\xff\\xc0\\x80 \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80 \\xe2\\x82")
      << "no UTF-8";
  EXPECT_EQ(printable_lines("a\tb\n\nc\n"), "a\\tb\n\nc\n");
  EXPECT_EQ(heading("", "name"), "name");
  EXPECT_EQ(heading("a\nb", "name"), "a\\nb");
}

TEST(ShellWord, IsOneWordWhateverIsInIt) {
  EXPECT_EQ(shell_word("scenarios/documented/a-b_1.toml"), "scenarios/documented/a-b_1.toml");
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("it's; rm $x"), "'it'\\''s; rm $x'");
  EXPECT_EQ(shell_word("Ünï"), "'Ünï'");
  EXPECT_EQ(shell_word("~/x"), "'~/x'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a\x1b'\\n"), "$'a\\x1b\\'\\\\n'");
}

TEST(Verdicts, SayWhatFailsWhereNothingIsExpected) {
  RunReport r;
  r.properties = {
      {{"mutual-exclusion", check::Verdict::violated, "outlived", "", {}}, "no-violation", check::Agreement::no},
      {{"owner-release", check::Verdict::holds, "", "", {}}, "no-violation", check::Agreement::yes}};
  r.ignores_expect = true;
  EXPECT_EQ(verdict_text(r, Style(false)),
            "  mutual-exclusion    violated (outlived)       fails\n"
            "  owner-release       holds\n"
            "a violation: with --budget [expect] is not used, and any violation fails\n");
  EXPECT_EQ(verdict_text(report_from_json(verdict_json(r)), Style(false)), verdict_text(r, Style(false)));
}

}  // namespace
}  // namespace lockproof::harness::report_test
