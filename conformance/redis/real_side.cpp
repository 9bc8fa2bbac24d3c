// SPDX-License-Identifier: Apache-2.0
#include "conformance/redis/real_side.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <exception>

#include "conformance/redis/answers.hpp"
#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/services/redis/hiredis_reply.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::conformance::redis {
namespace {

constexpr const char* events_pattern = "__keyevent@0__:*";
constexpr const char* fence_channel = "lockproof:fence";

/// Reads exactly so many bytes.
std::string bytes_from(int descriptor, std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t read = 0; read < count;) {
    const ssize_t got = ::recv(descriptor, bytes.data() + read, count - read, 0);
    if (got <= 0) throw real::BadEnvironment("redis-server ended a connection while sending its data set");
    read += static_cast<std::size_t>(got);
  }
  return bytes;
}

const std::string& text(const Reply& reply, std::size_t item) { return reply.items()[item].value().bytes(); }

/// The server answers nothing.
struct Silence : std::exception {};

}  // namespace

void RealSide::Close::operator()(redisContext* context) const { redisFree(context); }

RealSide::RealSide(const std::string& program)
    : server_("conformance", janitor_, epoch_ms * 1000, 0, harness::Persistence::none, {.program = program}) {
  server_.await_ready();
  control_ = connect();
  for (int i = 0; i < connections; ++i) {
    contexts_.push_back(connect());
    ids_.emplace_back();
    subscribed_.push_back(false);
    reconnect(i);
  }
  (void)ask(*control_, {"CONFIG", "SET", "min-replicas-max-lag", "1000000000"});  // a replica is never late
  observer_ = connect();
  (void)ask(*observer_, {"PSUBSCRIBE", events_pattern});
  follow();
}

RealSide::~RealSide() = default;

RealSide::Context RealSide::connect() {
  Context context(redisConnectWithTimeout("127.0.0.1", server_.port(), timeval{1, 0}));
  if (!context || context->err) throw real::BadEnvironment("cannot connect to the redis-server that was just started");
  redisSetTimeout(context.get(), timeval{timeout_ms_ / 1000, timeout_ms_ % 1000 * 1000});
  return context;
}

/// Acts as a replica of the old protocol, which acknowledges nothing and is never dropped for that.
void RealSide::follow() {
  (void)ask(*control_, {"CONFIG", "SET", "repl-diskless-sync", "no"});
  replica_ = connect();
  const std::string_view request = "SYNC\r\n";
  if (::send(replica_->fd, request.data(), request.size(), 0) != static_cast<ssize_t>(request.size())) {
    throw real::BadEnvironment("cannot become a replica of the redis-server that was just started");
  }
  std::string header;
  while (!header.ends_with("\r\n")) {
    header += bytes_from(replica_->fd, 1);
    if (header == "\n") header.clear();  // it is still busy
  }
  std::size_t size = 0;
  const auto parsed = std::from_chars(header.data() + 1, header.data() + header.size() - 2, size);
  if (header[0] != '$' || parsed.ec != std::errc()) throw real::BadEnvironment("SYNC answered " + header);
  (void)bytes_from(replica_->fd, size);
}

/// Returns when the server has noticed that the old connection has ended.
void RealSide::reconnect(int connection) {
  const auto index = static_cast<std::size_t>(connection);
  contexts_[index].reset();
  while (!ids_[index].empty()) {
    const Reply left = ask(*control_, {"CLIENT", "LIST", "ID", Value(ids_[index])});
    if (left.value().bytes().empty()) break;
  }
  contexts_[index] = connect();
  subscribed_[index] = false;
  ids_[index] = std::to_string(ask(at(connection), {"CLIENT", "ID"}).integer());
}

void RealSide::set_clock(std::int64_t us) { server_.clock().start(real::machine_ns(), us, 0); }

void RealSide::send(redisContext& to, const std::vector<Value>& words) {
  std::vector<const char*> pointers;
  std::vector<std::size_t> sizes;
  for (const Value& word : words) {
    pointers.push_back(word.bytes().data());
    sizes.push_back(word.bytes().size());
  }
  redisAppendCommandArgv(&to, static_cast<int>(words.size()), pointers.data(), sizes.data());
}

Reply RealSide::receive(redisContext& from) {
  void* raw = nullptr;
  if (redisGetReply(&from, &raw) != REDIS_OK || !raw) {
    if (from.err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK)) throw Silence();
    throw real::BadEnvironment(fmt::format("redis-server gave no reply: {}", from.errstr));
  }
  const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply(static_cast<redisReply*>(raw), &freeReplyObject);
  return real::reply_from(*reply);
}

Reply RealSide::ask(redisContext& context, const std::vector<Value>& words) {
  send(context, words);
  return receive(context);
}

Reply RealSide::answer(int connection, const std::vector<Value>& words, Outcome& outcome) {
  const auto index = static_cast<std::size_t>(connection);
  bool subscribed = subscribed_[index];
  Reply reply = answer_to(
      words, [&] { return receive(at(connection)); }, subscribed, outcome.messages[index]);
  subscribed_[index] = subscribed;
  return reply;
}

/// Reads what the server has sent without a request up to now.
void RealSide::fence(int asked, Outcome& outcome) {
  const std::string mark = std::to_string(++fences_);
  send(*control_, {"PUBLISH", fence_channel, Value(mark)});
  send(*observer_, {"PING", Value(mark)});
  (void)receive(*control_);
  while (true) {
    const Reply event = receive(*observer_);
    if (is_message(event, "pong") && text(event, 1) == mark) break;
    if (is_message(event, "pong")) continue;  // of a fence that was given up
    outcome.effects.push_back(fmt::format("{} {}", text(event, 2).substr(15), text(event, 3)));
  }
  while (true) {
    const Reply command = receive(*replica_);
    const std::string& verb = text(command, 0);
    if (verb == "PUBLISH" && text(command, 1) == fence_channel) {
      if (text(command, 2) == mark) break;
      continue;
    }
    if (verb == "MULTI" || verb == "EXEC" || verb == "SELECT" || verb == "ping" || verb == "REPLCONF")
      continue;  // its own
    std::vector<Value> words;
    for (const Reply& word : command.items()) words.push_back(word.value());
    outcome.propagated.push_back(conformance::shown(words));
  }
  for (int i = 0; i < connections; ++i) {
    if (i == asked || !subscribed_[static_cast<std::size_t>(i)]) continue;
    send(at(i), {"PING"});
    take_messages([&] { return receive(at(i)); }, outcome.messages[static_cast<std::size_t>(i)]);
  }
}

void RealSide::apply(const Step& step) {
  switch (step.kind) {
    case Step::Kind::clock: return set_clock(step.clock_us);
    case Step::Kind::reconnect: return reconnect(step.connection);
    case Step::Kind::min_replicas: return set_min_replicas(step.min_replicas);
    default: return;  // commands, and what is for several nodes
  }
}

Outcome RealSide::run(std::span<const Step> steps) {
  Outcome outcome;
  const auto is_command = [](const Step& step) { return step.kind == Step::Kind::command; };
  const auto first = std::ranges::find_if(steps, is_command);
  const auto last = std::find_if_not(first, steps.end(), is_command);
  for (auto step = steps.begin(); step != first; ++step) apply(*step);
  if (first == steps.end()) return outcome;
  try {
    converse({first, last}, {last, steps.end()}, outcome);
    fence(first->connection, outcome);
  } catch (const Silence&) {
    outcome.timing = "never";
  }
  return outcome;
}

/// All commands are sent at once; the clock moves when exactly those that are not held have been answered.
void RealSide::converse(std::span<const Step> commands, std::span<const Step> clocks, Outcome& outcome) {
  const int connection = commands.front().connection;
  for (const Step& step : commands) send(at(connection), step.words);
  const auto receive_until = [&](std::size_t count) {
    while (outcome.replies.size() < count) {
      outcome.replies.push_back(answer(connection, commands[outcome.replies.size()].words, outcome));
    }
  };
  bool was_paused = false;
  for (const Step& clock : clocks) {
    receive_until(clock.answered);
    if (was_paused && !clock.paused) (void)ask(*control_, {"PUBLISH", fence_channel, ""});  // answered when it is over
    if (!clock.paused) await_held(connection);
    was_paused = clock.paused;
    if (has_answer(connection) && outcome.timing.empty()) outcome.timing = "too early";
    set_clock(clock.clock_us);
  }
  receive_until(commands.size());
}

/// Returns when the server has read all that was sent and looked at its clock since.
void RealSide::await_held(int connection) {
  int done = 0;
  while (redisBufferWrite(&at(connection), &done) == REDIS_OK && done == 0) continue;
  (void)ask(*control_, {"PING"});
  (void)ask(*control_, {"PING"});
}

bool RealSide::has_answer(int connection) {
  pollfd waits{at(connection).fd, POLLIN, 0};
  return ::poll(&waits, 1, 0) > 0 || at(connection).reader->pos < at(connection).reader->len;
}

void RealSide::set_min_replicas(int least) {
  (void)ask(*control_, {"CONFIG", "SET", "min-replicas-to-write", Value(std::to_string(least))});
}

/// Sets the clock a day on, when all pauses and waits are over. A difference has been found by then, so later waits for
/// replies can be shorter.
void RealSide::recover() {
  set_clock((epoch_ms + 86'400'000) * 1000);
  timeout_ms_ = 1'000;
  control_ = connect();
  (void)ask(*control_, {"PUBLISH", fence_channel, ""});  // answered when no pause is on
  timeout_ms_ = 200;
  for (int i = 0; i < connections; ++i) reconnect(i);
}

/// Finally each connection runs a command after the last replicated one, which a WAIT would wait for.
void RealSide::reset() {
  set_min_replicas(0);
  for (int i = 0; i < connections; ++i) {
    send(at(i), {"RESET"});
    while (receive(at(i)) != Reply::status("RESET")) continue;  // messages may still be on their way
    subscribed_[static_cast<std::size_t>(i)] = false;
  }
  (void)ask(*control_, {"FLUSHALL", "ASYNC"});
  (void)ask(*control_, {"SCRIPT", "FLUSH"});
  set_clock(epoch_ms * 1000);
  Outcome ignored;
  fence(-1, ignored);
  for (int i = 0; i < connections; ++i) (void)ask(at(i), {"PING"});
}

std::string RealSide::version() { return real::server_version(ask(*control_, {"INFO", "server"}).value().bytes()); }

}  // namespace lockproof::conformance::redis
