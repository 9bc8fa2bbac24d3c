// SPDX-License-Identifier: Apache-2.0
// What a client process writes down: it comes back as it was, also after a SIGKILL, and whatever its size.
#include "real/record/ledger.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "algorithms/scripts.hpp"
#include "real/record/client_record.hpp"

namespace lockproof::tests::ledger_test {
namespace {

using harness::Event;
using harness::What;

std::vector<std::string> all_of(const real::Ledger& ledger) {
  std::vector<std::string> records;
  ledger.read([&](std::string_view record) { records.emplace_back(record); });
  return records;
}

TEST(Ledger, IsEmptyAtFirst) { EXPECT_TRUE(all_of(real::Ledger()).empty()); }

TEST(Ledger, KeepsRecordsOfAnySizeInOrder) {
  real::Ledger ledger;
  std::vector<std::string> written;
  for (const std::size_t size : {1U, 8U, 3U, 700'000U, 700'001U, 1U << 20U, 5U << 20U, 12U}) {
    written.emplace_back(size, static_cast<char>('a' + written.size()));
    ledger.append(written.back());
  }
  for (int i = 0; i < 200'000; ++i) {
    written.push_back(std::to_string(i));
    ledger.append(written.back());
  }
  EXPECT_TRUE(all_of(ledger) == written);
}

TEST(Ledger, OutlivesItsWriter) {
  real::Ledger ledger;
  const pid_t writer = ::fork();
  ASSERT_GE(writer, 0);
  if (writer == 0) {
    for (int i = 0; i < 1000; ++i) ledger.append(std::to_string(i));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(writer, &status, 0), writer);
  EXPECT_TRUE(WIFSIGNALED(status));
  const std::vector<std::string> records = all_of(ledger);
  ASSERT_EQ(records.size(), 1000U);
  EXPECT_EQ(records.back(), "999");
}

real::ClientRecord there_and_back(const auto& noted) {
  std::string bytes = "what was there before";
  real::to_bytes(noted, bytes);
  return real::record_from(bytes);
}

TEST(ClientRecord, OfAnEventHasAllItsFields) {
  Event event{.what = What::answer};
  event.host = 3;
  event.at = Duration(123'456'789);
  event.clocks = {1, -2, 3};
  event.round = 4;
  event.attempt = 5;
  event.peer = 6;
  event.message = 7;
  event.fault = 8;
  event.command = Command(scripts::compare_and_delete, {"EVAL", std::string(scripts::compare_and_delete.text), "1",
                                                        Value("t\0\xff", Value::Mark::token)});
  event.reply = Reply::array({Reply::nil(), Reply::integer(-9), Reply::status("OK"), Reply::error("ERR no"),
                              Reply::bulk(Value("12", Value::Mark::stamp)), Reply::array({})});
  event.error = Error::refused;
  event.effects = {{harness::Change::renewed, "expire", "lock", milliseconds(10)},
                   {harness::Change::released, "del", "lock", {}}};
  event.token = Token("mine", Value::Mark::token);
  event.fence = 10;
  event.left = harness::TimeLeft{Duration(11), "mono"};
  event.value = -12;
  event.others = 13;
  event.word = "gather";
  const real::NotedEvent noted{.sequence = 14, .port = 15, .on_connection = 16, .event = event};
  const auto record = there_and_back(noted);
  ASSERT_TRUE(std::holds_alternative<real::NotedEvent>(record));
  EXPECT_TRUE(std::get<real::NotedEvent>(record) == noted);
  EXPECT_EQ(std::get<real::NotedEvent>(record).event.command->args()[3].mark(), Value::Mark::token);
}

TEST(ClientRecord, OfAnEventLeavesOutWhatIsNotThere) {
  const real::NotedEvent noted{.sequence = 1, .event = Event{.what = What::enter}};
  EXPECT_TRUE(std::get<real::NotedEvent>(there_and_back(noted)) == noted);
}

TEST(ClientRecord, OfLateness) {
  const real::NotedLateness noted{-5, 1'000'000'000'000};
  EXPECT_TRUE(std::get<real::NotedLateness>(there_and_back(noted)) == noted);
}

TEST(ClientRecord, ThatIsCutOffIsNone) {
  std::string bytes;
  real::to_bytes(real::NotedLateness{1, 2}, bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(static_cast<void>(real::record_from(std::string_view(bytes).substr(0, size))), std::out_of_range);
  }
  EXPECT_THROW(static_cast<void>(real::record_from(bytes + "x")), std::out_of_range);
}

}  // namespace
}  // namespace lockproof::tests::ledger_test
