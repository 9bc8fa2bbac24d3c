// SPDX-License-Identifier: Apache-2.0
// [case] says which documented failure a scenario is about; cases.toml lists them; the casebook counts nothing that no
// scenario shows.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/report/casebook.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/write.hpp"

namespace lockproof::harness::case_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* with_fault = R"(
[algorithm]
name = "set-px-token"

[[fault]]
kind = "pause"
target = "client-1"
at = "1s"
for = "3s"
)";

Scenario parsed(const std::string& about, const std::string& file = "a.toml", const std::string& more = "") {
  return parse_scenario(file, "[case]\n" + about + with_fault + more);
}

std::string refusal(const std::string& about) {
  try {
    (void)parsed(about);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Case, SaysWhatItsScenarioIsAbout) {
  const CaseReference d = *parsed(R"(id = ["a-case", "b"]
role = "fix-fails"
claims = "S36"
sources = [{ repo = "x/y", issue = 7, note = "n" }, { url = "https://x.org" }, { note = "told" }]
search = { budget = "one-server", faults = 2 }
)")
                               .documented;
  EXPECT_THAT(d.cases, ElementsAre("a-case", "b"));
  EXPECT_EQ(d.role, CaseReference::Role::fix_fails);
  EXPECT_THAT(d.claims, ElementsAre("S36"));
  ASSERT_THAT(d.sources, SizeIs(3));
  EXPECT_EQ(to_text(d.sources[0]), "x/y #7 (n)");
  EXPECT_EQ(address(d.sources[0]), "https://github.com/x/y/issues/7");
  EXPECT_EQ(address(d.sources[1]), "https://x.org");
  EXPECT_EQ(to_text(d.sources[2]), "told");
  EXPECT_EQ(address(d.sources[2]), "");
  EXPECT_EQ(d.search, (FaultBudget{"one-server", 2}));
}

TEST(Case, ThatIsWrongIsRefusedWithTheNearestChoice) {
  const std::pair<const char*, const char*> wrong[] = {
      {"role = \"shows\"\n", "[case] needs 'id'"},
      {"id = \"Big Case\"\n", "an id has small letters, digits and dashes"},
      {"id = []\n", "is empty; leave it out"},
      {"id = \"a\"\nrole = \"fixes\"\n", "did you mean 'fix'?"},
      {"id = \"a\"\nclaims = [\"36\"]\n", "a claim is S and a number"},
      {"id = \"a\"\nsources = [{ issue = 3 }]\n", "needs 'repo'"},
      {"id = \"a\"\nsources = [{ repo = \"x\" }]\n", "write owner and name"},
      {"id = \"a\"\nsources = [{ url = \"x.org\", issue = 3 }]\n", "has an issue, but no 'repo'"},
      {"id = \"a\"\nsources = [{ url = \"ftp://x.org\" }]\n", "begins neither with https:// nor http://"},
      {"id = \"a\"\nsearch = { faults = 1 }\n", "needs 'budget'"},
      {"id = \"a\"\nsource = []\n", "did you mean 'sources'?"},
  };
  for (const auto& [about, message] : wrong) EXPECT_THAT(refusal(about), HasSubstr(message)) << about;
}

TEST(Case, OfADerivedTwinIsItsScenariosInTheRoleOfTheTwin) {
  const CaseReference twin = *parsed("id = \"a\"\nclaims = \"S1\"\nsources = [{ note = \"n\" }]\n", "a-twin.toml",
                                     "\n[twin]\nwithout = \"faults\"\n")
                                  .documented;
  EXPECT_EQ(twin.role, CaseReference::Role::twin);
  EXPECT_THAT(twin.cases, ElementsAre("a"));
  EXPECT_THAT(twin.claims, IsEmpty());
  EXPECT_THAT(twin.sources, IsEmpty());
}

TEST(Case, IsNotThatOfTheScenarioWithAnotherLock) {
  const std::string text = std::string("[case]\nid = \"a\"\n") + with_fault;
  EXPECT_TRUE(parse_scenario("a.toml", text).documented);
  EXPECT_FALSE(parse_scenario("a.toml", text, AlgorithmRef(find_algorithm("redlock"))).documented);
}

TEST(Case, ThatIsWrittenIsReadAgain) {
  for (const std::string about :
       {"id = \"a\"\n", "claims = [\"S1\", \"S2\"]\nrole = \"twin\"\n",
        "id = [\"a\", \"b\"]\nrole = \"fix\"\nsources = [{ repo = \"x/y\", issue = 3 }, { url = "
        "\"https://x\", note = \"\\\"q\\\"\" }]\nsearch = { budget = \"b\", faults = 0 }\n"}) {
    const Scenario s = parsed(about);
    EXPECT_EQ(parse_scenario("b.toml", to_toml(s)).documented, s.documented) << to_toml(s);
  }
}

class CasesFile : public testing::Test {
 protected:
  [[nodiscard]] CaseList list(const std::string& text) const {
    std::ofstream(file_) << text;
    return load_cases(file_);
  }
  [[nodiscard]] std::string wrong(const std::string& text) const {
    try {
      (void)list(text);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }
  void TearDown() override { std::filesystem::remove(file_); }
  static std::string one(const std::string& id, const std::string& more = "") {
    return "[[case]]\nid = \"" + id + "\"\ngroup = \"g\"\ntitle = \"t\"\nhappened = \"h\"\nfix = \"f\"\n" + more;
  }
  static std::string claim(const std::string& id, const std::string& more = "") {
    return "[[claim]]\nid = \"" + id + "\"\nnote = \"000\"\nsays = \"s\"\nverdict = \"refuted\"\nbecause = \"b\"\n" +
           more;
  }

 private:
  const std::string file_ = fmt::format("{}lockproof-cases-{}.toml", testing::TempDir(), getpid());
};

TEST_F(CasesFile, ThatIsWrongIsRefused) {
  EXPECT_THAT(wrong(one("a") + one("a")), HasSubstr("'a' a second time"));
  EXPECT_THAT(wrong("[[case]]\nid = \"a\"\n"), HasSubstr("needs 'group'"));
  EXPECT_THAT(wrong(one("a", "missin = \"x\"\n")), HasSubstr("did you mean 'missing'?"));
  EXPECT_THAT(wrong("[[claim]]\nid = \"S1\"\nnote = \"0\"\nsays = \"s\"\nverdict = \"confirm\"\n"),
              HasSubstr("did you mean 'confirmed'?"));
  EXPECT_THAT(wrong("[[cases]]\n"), HasSubstr("did you mean 'case'?"));
}

TEST_F(CasesFile, CountsACaseWithWhatShowsItItsTwinAndItsFix) {
  const CaseList cases = list(one("a") + one("b", "missing = \"why\"\n") + one("c") + claim("S1") + claim("S2"));
  std::vector<Scenario> all{parsed("id = \"a\"\nclaims = \"S1\"\n", "x.toml")};
  const auto lacks = [&](std::size_t i) { return casebook(cases, all).cases.at(i).lacks; };
  EXPECT_THAT(lacks(0), HasSubstr("no twin"));
  all.push_back(parsed("id = \"a\"\nrole = \"twin\"\n", "x-twin.toml"));
  EXPECT_THAT(lacks(0), HasSubstr("no fix"));
  all.push_back(parsed("id = \"a\"\nrole = \"fix-fails\"\n", "y.toml"));
  EXPECT_EQ(lacks(0), "");
  EXPECT_EQ(lacks(1), "");
  EXPECT_THAT(lacks(2), HasSubstr("no scenario shows it"));
  EXPECT_EQ(casebook(cases, all).claims.at(0).lacks, "");
  EXPECT_THAT(casebook(cases, all).claims.at(1).lacks, HasSubstr("no scenario decides it"));
  EXPECT_FALSE(casebook(cases, all).complete());
}

TEST_F(CasesFile, AWordFindsTheCasesThatMentionIt) {
  const CaseList cases = list(one("pause-outlives-lease") + one("b", "sources = [{ repo = \"redis/redis-py\" }]\n"));
  const std::vector<Scenario> all{parsed("id = \"pause-outlives-lease\"\n", "shown/held-too-long.toml")};
  const Casebook book = casebook(cases, all);
  const auto found = [&](std::string_view word) {
    std::string ids;
    for (const CaseEntry& entry : cases_about(book, word)) ids += entry.of->id + " ";
    return ids;
  };
  EXPECT_EQ(found("OUTLIVES"), "pause-outlives-lease ");
  EXPECT_EQ(found("redis-py"), "b ");
  EXPECT_EQ(found("held-too"), "pause-outlives-lease ");
  EXPECT_EQ(found("zookeeper"), "");
}

TEST_F(CasesFile, AFixThatIsCalledAsTheTwinIsBoth) {
  const CaseList cases = list(one("a"));
  const std::vector<Scenario> all{parsed("id = \"a\"\n", "x.toml"),
                                  parsed("id = \"a\"\nrole = \"fix\"\n", "x-twin.toml")};
  EXPECT_TRUE(casebook(cases, all).complete());
}

TEST_F(CasesFile, WhatIsSaidToBeMissingMustBeMissing) {
  const CaseList cases = list(one("a", "missing = \"why\"\n") + claim("S1", "missing = \"why\"\n"));
  const std::vector<Scenario> all{parsed("id = \"a\"\nclaims = \"S1\"\n", "x.toml")};
  EXPECT_THAT(casebook(cases, all).cases.at(0).lacks, HasSubstr("is said to be missing"));
  EXPECT_THAT(casebook(cases, all).claims.at(0).lacks, HasSubstr("is said to be missing"));
}

TEST_F(CasesFile, AnIdThatIsNotListedIsNamedWithTheNearest) {
  const CaseList cases = list(one("lease-outlived"));
  const std::vector<Scenario> all{parsed("id = \"lease-outlive\"\n", "x.toml")};
  EXPECT_THAT(casebook(cases, all).unknown, ElementsAre(HasSubstr("did you mean 'lease-outlived'?")));
}

}  // namespace
}  // namespace lockproof::harness::case_test
