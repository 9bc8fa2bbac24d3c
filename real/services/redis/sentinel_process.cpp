// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/sentinel_process.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/services/redis/hiredis_reply.hpp"

namespace lockproof::real {
namespace {

constexpr std::int64_t tilt_ms = 2'000;               // a sentinel that stopped that long ignores time-outs
constexpr std::int64_t failover_timeout_ms = 10'000;  // it tries again twice as long after one that came to nothing
constexpr int sentinel_starts_max = 5;                // another program may take the free port before it does
constexpr std::int64_t demotion_periods = 4;  // sentinel.c: an old master has been heard for so many publish periods

using ReplyPointer = std::unique_ptr<redisReply, decltype(&freeReplyObject)>;

std::int64_t milliseconds_of(Duration d) { return std::chrono::ceil<milliseconds>(d).count(); }

}  // namespace

/// Its pub/sub, on a connection of its own.
struct SentinelProcess::Subscription {
  explicit Subscription(redisContext* connected) : context(connected, &redisFree) {}
  std::unique_ptr<redisContext, decltype(&redisFree)> context;
  std::unique_ptr<EventLoop::Watch> watch{};
};

SentinelProcess::SentinelProcess(Setup setup, const harness::SentinelSpec& spec, Janitor& janitor)
    : setup_(std::move(setup)), spec_(spec), janitor_(janitor),
      folder_(fmt::format("{}/{}", janitor.folder(), setup_.name)), clock_(epoch_us, setup_.speedup, true) {
  std::filesystem::create_directory(folder_);
  start();
}

void SentinelProcess::start() {
  ++starts_;
  port_ = free_port();
  const std::string file = folder_ + "/sentinel.conf";
  std::ofstream(file) << configuration();
  process_ = spawn_server(redis_program(setup_.program), {"redis-server", file, "--sentinel"}, clock_, janitor_);
}

SentinelProcess::~SentinelProcess() = default;

std::string SentinelProcess::configuration() const {
  const std::string& master = spec_.master;
  return fmt::format(
      "port {}\nbind 127.0.0.1\nbind-source-addr {}\ndir \"{}\"\nlogfile \"{}/log\"\ndaemonize no\njemalloc-bg-thread "
      "no\n"
      "sentinel announce-ip 127.0.0.1\nsentinel monitor {} 127.0.0.1 {} {}\n"
      "sentinel down-after-milliseconds {} {}\nsentinel failover-timeout {} {}\n",
      port_, setup_.source, folder_, folder_, master, setup_.master_port, spec_.quorum, master,
      milliseconds_of(spec_.down_after), master, failover_timeout_ms);
}

void SentinelProcess::attach(EventLoop& loop, MessageHandler told) {
  loop_ = &loop;
  told_ = std::move(told);
}

bool SentinelProcess::connect() {
  if (control_.is_open()) return true;
  if (!control_.connect(port_, process_->pid())) {
    control_.close();
    return false;
  }
  set_up();
  return true;
}

/// Applies settings that its configuration cannot hold, and subscribes to its messages.
void SentinelProcess::set_up() {
  const std::int64_t publish_ms = milliseconds_of(spec_.demotes_after) / demotion_periods;
  const auto set = control_.ask({"SENTINEL", "DEBUG", "tilt-trigger", std::to_string(tilt_ms * setup_.speedup),
                                 "publish-period", std::to_string(std::max<std::int64_t>(publish_ms, 1))});
  if (!set || set->kind() != Reply::Kind::status) {
    throw BadEnvironment(fmt::format("{} refuses SENTINEL DEBUG; redis-server 7.0 or later is needed", setup_.name));
  }
  subscription_ = std::make_unique<Subscription>(redisConnect("127.0.0.1", port_));
  redisContext* const context = subscription_->context.get();
  const ReplyPointer heard(static_cast<redisReply*>(redisCommand(context, "PSUBSCRIBE *")), &freeReplyObject);
  if (!heard) throw BadEnvironment(fmt::format("{} does not let itself be heard", setup_.name));
  subscription_->watch =
      std::make_unique<EventLoop::Watch>(*loop_, context->fd, [this](EventLoop::Watch::Readiness) { read(); });
  subscription_->watch->want(true, false);
}

void SentinelProcess::read() {
  redisContext* const context = subscription_->context.get();
  if (redisBufferRead(context) != REDIS_OK) return subscription_->watch->want(false, false);  // it is dead
  void* raw = nullptr;
  while (redisGetReplyFromReader(context, &raw) == REDIS_OK && raw) {
    const ReplyPointer reply(static_cast<redisReply*>(raw), &freeReplyObject);
    const Reply message = reply_from(*reply);
    if (message.items().size() != 4) continue;  // pmessage, pattern, channel, text
    told_(message.items()[2].value().bytes(), message.items()[3].value().bytes());
  }
}

bool SentinelProcess::ready() {
  if (!process_->alive()) {
    if (starts_ == sentinel_starts_max) {
      throw BadEnvironment(fmt::format("{} does not start; {}", setup_.name, last_words(folder_)));
    }
    start();
  }
  if (!connect()) return false;
  const auto answer = control_.ask({"SENTINEL", "MASTER", spec_.master});
  if (!answer) return false;
  std::map<std::string, std::string> fields;
  const auto& items = answer->items();
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) fields[items[i].value().bytes()] = items[i + 1].value().bytes();
  if (fields["port"] != std::to_string(setup_.master_port)) {
    throw BadEnvironment(
        fmt::format("{} replaced the master before the run began: the machine is too busy", setup_.name));
  }
  return fields["flags"] == "master" && fields["num-slaves"] == std::to_string(setup_.replicas) &&
         fields["num-other-sentinels"] == std::to_string(spec_.count - 1);
}

}  // namespace lockproof::real
