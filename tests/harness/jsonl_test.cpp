// SPDX-License-Identifier: Apache-2.0
#include "harness/history/jsonl.hpp"

#include "tests/fixtures.hpp"

namespace lockproof::harness::jsonl_test {
namespace {

TEST(Jsonl, AHistorySurvivesBeingWrittenAndRead) {
  for (const Algorithm& a : catalogue()) {
    const auto s = tests::scenario(
        "[workload]\nlease = \"1s\"\nwork = [\"read\", \"hold 2s\", \"write\"]\n"
        "[network]\nlatency = [\"1ms\", \"30ms\"]\ntimeout = \"40ms\"\n",
        std::string(a.name));
    const History h = tests::run(s);
    EXPECT_EQ(from_jsonl(to_jsonl(h)), h) << a.name;
  }
}

TEST(Jsonl, EveryFieldSurvives) {
  History h;
  h.header = {"real",
              "s",
              "s.toml",
              "text \"quoted\"\n",
              18446744073709551615u,
              20,
              1'500,
              "stamps",
              false,
              2,
              {{"client-1", HostKind::client}, {"redis-1", HostKind::server}, {"resource", HostKind::resource}}};
  Event e{
      .what = What::execute, .host = 1, .at = Duration(-5), .clocks = {1, 2, 3}, .round = 4, .attempt = 5, .peer = 0};
  e.message = 6;
  e.fault = 7;
  e.command = Command({"SET", Value("t", Value::Mark::token), Value("1", Value::Mark::stamp)});
  e.reply = Reply::array({Reply::nil(), Reply::integer(-1), Reply::status("OK"), Reply::error("ERR"),
                          Reply::bulk(Value("t", Value::Mark::token))});
  e.error = Error::no_reply;
  e.effects = {{Change::acquired, "set", "k", std::nullopt}, {Change::renewed, "expire", "k", milliseconds(10)}};
  e.token = Value("t", Value::Mark::token);
  e.fence = 8;
  e.left = TimeLeft{Duration(-9), "wall"};
  e.value = 10;
  e.others = 1;
  e.word = "w";
  h.events = {e};
  EXPECT_EQ(from_jsonl(to_jsonl(h)), h);
}

TEST(Jsonl, EveryEventHasAName) {
  for (int i = 0; i <= static_cast<int>(What::end); ++i) {
    const auto what = static_cast<What>(i);
    EXPECT_EQ(what_named(name(what)), what) << i;
  }
}

TEST(Jsonl, EveryChangeOfAKeyHasAName) {
  for (int i = 0; i <= static_cast<int>(Change::evicted); ++i) {
    const auto change = static_cast<Change>(i);
    EXPECT_EQ(change_named(name(change)), change) << i;
  }
  EXPECT_EQ(change_named("?"), std::nullopt);
}

std::string complaint(const std::string& text) {
  try {
    (void)from_jsonl(text);
  } catch (const BadHistory& e) {
    return e.what();
  }
  return "";
}

TEST(Jsonl, ABadLineIsNamed) {
  const std::string good = to_jsonl(tests::run(tests::scenario("")));
  EXPECT_NE(complaint(good + "{\"what\":\"nonsense\",\"at\":1}\n").find("no event is named 'nonsense'"),
            std::string::npos);
  EXPECT_NE(complaint(good + "not json\n").find(": this is no JSON, from its byte 2 on"), std::string::npos);
  const std::string effect = R"({"what":"end","at":1,"effects":[{"event":"del","key":"k","change":"gone"}]})";
  EXPECT_NE(complaint(good + effect + "\n").find("no change of a key is named 'gone'"), std::string::npos);
  EXPECT_NE(complaint("").find("empty"), std::string::npos);
  EXPECT_NE(complaint("{\"lockproof_history\":99}").find("version 99"), std::string::npos);
  EXPECT_NE(complaint("{}").find("no lockproof history"), std::string::npos);
}

TEST(Jsonl, ANumberThatDoesNotFitIsRefused) {
  const std::string header = "{\"lockproof_history\":2,\"hosts\":[]}\n";
  const auto with = [&](const std::string& field) { return complaint(header + "{\"what\":\"end\"," + field + "}\n"); };
  EXPECT_EQ(with("\"at\":-9223372036854775808"), "");
  EXPECT_NE(with("\"at\":1e300").find("1e+300 is no whole number from -9223372036854775808 to"), std::string::npos);
  EXPECT_NE(with("\"at\":9223372036854775808").find("is no whole number"), std::string::npos);
  EXPECT_NE(with("\"at\":1,\"round\":2147483648").find("to 2147483647"), std::string::npos);
  EXPECT_NE(with("\"at\":1,\"fence\":true").find("boolean is no whole number"), std::string::npos);
  EXPECT_NE(with("\"at\":1,\"reply\":0.5").find("0.5 is no whole number"), std::string::npos);
  EXPECT_NE(complaint("{\"lockproof_history\":2,\"seed\":-1,\"hosts\":[]}").find("-1 is no whole number from 0"),
            std::string::npos);
}

TEST(Jsonl, AReplyIsNotDescendedIntoWithoutEnd) {
  const auto nested = [](std::size_t deep) {
    return "{\"lockproof_history\":2,\"hosts\":[]}\n{\"what\":\"end\",\"at\":0,\"reply\":" + std::string(deep, '[') +
           std::string(deep, ']') + "}\n";
  };
  EXPECT_EQ(complaint(nested(32)), "");
  EXPECT_NE(complaint(nested(33)).find("line 2: a reply is more than 32 arrays deep"), std::string::npos);
  EXPECT_NE(complaint(nested(1'000'000)).find("more than 32 arrays deep"), std::string::npos);
}

}  // namespace
}  // namespace lockproof::harness::jsonl_test
