// SPDX-License-Identifier: Apache-2.0
// The store over a socket of our own, and the protocol of what the lock protects. The test is the server.
#include "real/client/socket_store.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <memory>
#include <optional>
#include <string>

#include "real/clock/world_time.hpp"
#include "real/network/line_codec.hpp"
#include "real/network/proxy.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::tests::socket_store_test {
namespace {

using harness::OnTimeout;

TEST(LineCodec, CarriesAnyWords) {
  const real::LineCodec codec;
  const Command odd({"WRITE", Value(std::string("a b%\n\0\xff", 7)), "7"});
  const std::string line = codec.encode(odd);
  EXPECT_EQ(line, "WRITE a%20b%25%0a%00%ff 7\n");
  EXPECT_EQ(codec.size(line + "more"), line.size());
  EXPECT_EQ(codec.size("READ"), 0U);
  EXPECT_EQ(codec.request(line), odd);
  EXPECT_EQ(codec.request("\n"), Command({}));
}

TEST(LineCodec, CarriesNumbersAndErrors) {
  const real::LineCodec codec;
  const Command read({"READ"});
  for (const Reply& reply : {Reply::integer(-42), Reply::error("FENCED a newer token has been seen")}) {
    EXPECT_EQ(codec.reply(read, real::LineCodec::encode(reply)), reply);
  }
  for (const char* wrong : {"\n", ":\n", ":4x\n", "42\n"}) EXPECT_TRUE(codec.reply(read, wrong).is_error()) << wrong;
}

class SocketStore : public testing::Test, public PinnedObject {
 protected:
  /// Writes down what it sees, a word each.
  class Words final : public real::Witness {
   public:
    void sent(const real::Place& place, int, const Command&) override { say("sent-" + std::to_string(place.number)); }
    void arrived(const real::Place&, const Command&) override { say("arrived"); }
    void received(harness::HostIndex, int, const Reply&) override { say("received"); }
    void discarded(harness::HostIndex, int, const Reply&) override { say("discarded"); }
    void timed_out(harness::HostIndex, int) override { say("timed-out"); }
    void refused(harness::HostIndex, int) override { say("refused"); }
    void broken(harness::HostIndex) override { say("broken"); }
    std::string all;

   private:
    void say(const std::string& word) { all += (all.empty() ? "" : " ") + word; }
  };

  SocketStore() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_.get(), 4), 0);
    port_ = real::own_port(listener_.get());
  }
  void open(OnTimeout on_timeout, Duration timeout = seconds(5)) {
    store_.emplace(loop_, real::Route{{"127.0.0.1", port_}, 3}, real::CallTimeouts{timeout, on_timeout, 1}, witness_,
                   codec_);
    store_->open();
    server_ = accept();
    turn_until([&] { return store_->established(); });
  }
  real::Descriptor accept() {
    pollfd waits{listener_.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&waits, 1, 5000), 1);
    return real::Descriptor(::accept(listener_.get(), nullptr, nullptr));
  }
  template <class Done>
  void turn_until(Done done) {
    const std::int64_t give_up = real::machine_ns() + 5'000'000'000;
    while (!done() && real::machine_ns() < give_up) {
      real::EventLoop::Timer tick(loop_, [] {});
      tick.set(real::machine_ns() + 1'000'000);
      loop_.turn();
    }
    EXPECT_TRUE(done());
  }
  std::string heard() const {
    char bytes[100];
    const auto count = ::recv(server_.get(), bytes, sizeof bytes, 0);
    return {bytes, bytes + std::max<ssize_t>(count, 0)};
  }
  void say(const std::string& bytes) const { EXPECT_TRUE(real::write_all(server_.get(), bytes.data(), bytes.size())); }

  Task<void> read_into(int slot) {
    std::vector<Value> words;
    words.emplace_back("READ");
    const auto got = co_await store_->call(Command(std::move(words)));
    results_[slot] = got;
  }

  real::Descriptor listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}, server_;
  int port_ = 0;
  real::EventLoop loop_;
  Words witness_;
  const real::LineCodec codec_;
  std::optional<real::SocketStore> store_;
  std::optional<Result<Reply>> results_[2];
};

TEST_F(SocketStore, AnswersCallsInTheirOrder) {
  open(OnTimeout::reconnect);
  Task<void> one = read_into(0), other = read_into(1);
  one.start();
  other.start();
  loop_.settle();
  EXPECT_EQ(heard(), "READ\nREAD\n");
  say(":1\n:");
  turn_until([&] { return one.done(); });
  EXPECT_FALSE(other.done());
  say("2\n");
  turn_until([&] { return other.done(); });
  EXPECT_EQ(*results_[0], Reply::integer(1));
  EXPECT_EQ(*results_[1], Reply::integer(2));
  EXPECT_EQ(witness_.all, "sent-1 sent-2 arrived received arrived received");
}

TEST_F(SocketStore, DiscardsAReplyAfterTheTimeOut) {
  open(OnTimeout::discard, milliseconds(20));
  Task<void> task = read_into(0);
  task.start();
  turn_until([&] { return task.done(); });
  EXPECT_EQ(results_[0]->error(), Error::no_reply);
  say(":1\n");
  turn_until([&] { return witness_.all.ends_with("discarded"); });
  EXPECT_EQ(witness_.all, "sent-1 timed-out arrived discarded");
}

TEST_F(SocketStore, ConnectsAnewAfterATimeOut) {
  open(OnTimeout::reconnect, milliseconds(20));
  Task<void> task = read_into(0);
  task.start();
  turn_until([&] { return task.done(); });
  EXPECT_EQ(results_[0]->error(), Error::no_reply);
  EXPECT_EQ(heard() + heard(), "READ\n") << "and then the connection's end";
  server_ = accept();
  Task<void> again = read_into(1);
  again.start();
  turn_until([&] { return store_->established(); });
  EXPECT_EQ(heard(), "READ\n");
  say(":7\n");
  turn_until([&] { return again.done(); });
  EXPECT_EQ(*results_[1], Reply::integer(7));
  EXPECT_EQ(witness_.all, "sent-1 timed-out sent-1 arrived received");
}

TEST_F(SocketStore, TellsThatTheServerEndedTheConnection) {
  open(OnTimeout::reconnect);
  Task<void> task = read_into(0);
  task.start();
  loop_.settle();
  server_.close();
  turn_until([&] { return task.done(); });
  EXPECT_EQ(results_[0]->error(), Error::no_reply);
  EXPECT_EQ(witness_.all, "sent-1 broken");
}

TEST_F(SocketStore, ARefusedConnectionEndsTheCallAtOnce) {
  open(OnTimeout::reconnect);
  listener_.close();
  server_.close();
  turn_until([&] { return !store_->established(); });
  Task<void> task = read_into(0);
  task.start();
  turn_until([&] { return task.done(); });
  EXPECT_EQ(results_[0]->error(), Error::not_sent);
}

TEST_F(SocketStore, AnswersNobodyWhenTheTaskIsGone) {
  open(OnTimeout::reconnect);
  {
    Task<void> task = read_into(0);
    task.start();
    loop_.settle();
  }
  say(":1\n");
  turn_until([&] { return witness_.all.ends_with("discarded"); });
  EXPECT_FALSE(results_[0]);
}

TEST_F(SocketStore, LeavesAServerThatAnswersWithoutEnd) {
  open(OnTimeout::reconnect);
  Task<void> task = read_into(0);
  task.start();
  loop_.settle();
  const std::string much(1 << 16, 'x');
  turn_until([&] {
    if (!task.done()) static_cast<void>(::send(server_.get(), much.data(), much.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    return task.done();
  });
  EXPECT_EQ(results_[0]->error(), Error::no_reply);
}

}  // namespace
}  // namespace lockproof::tests::socket_store_test
