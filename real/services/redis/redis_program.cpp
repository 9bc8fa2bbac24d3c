// SPDX-License-Identifier: Apache-2.0
#include "real/services/redis/redis_program.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <string_view>

#include "real/services/redis/hiredis_reply.hpp"

namespace lockproof::real {
namespace {

using ReplyPointer = std::unique_ptr<redisReply, decltype(&freeReplyObject)>;

ReplyPointer request(redisContext& context, std::vector<const char*> words) {
  return {static_cast<redisReply*>(redisCommandArgv(&context, static_cast<int>(words.size()), words.data(), nullptr)),
          &freeReplyObject};
}

constexpr timeval answers{5, 0}, answers_soon{0, 20'000};

/// Empty: it does not say.
std::string field_of(std::string_view info, const std::string& name) {
  const std::size_t found = info.find("\n" + name + ":");
  if (found == std::string_view::npos) return {};
  const std::size_t begin = found + name.size() + 2;
  return std::string(info.substr(begin, info.find('\r', begin) - begin));
}

}  // namespace

ServerProgram redis_program(const std::string& path) { return {"redis-server", "redis-server", path}; }

/// Builds that are not Redis's own name themselves besides the Redis that they are like.
std::string server_version(std::string_view info) {
  const std::string other = field_of(info, "server_name"), its_own = field_of(info, other + "_version");
  if (!other.empty() && !its_own.empty()) return fmt::format("{} {}", other, its_own);
  return fmt::format("redis-server {}", field_of(info, "redis_version"));
}

ControlLink::ControlLink() = default;
ControlLink::~ControlLink() = default;
void ControlLink::Disconnect::operator()(redisContext* context) const { redisFree(context); }

bool ControlLink::connect(int port, pid_t pid) {
  context_.reset(redisConnectWithTimeout("127.0.0.1", port, timeval{1, 0}));
  if (!context_ || context_->err) return false;
  redisSetTimeout(context_.get(), answers);
  // The answer must be our own process's: another process may have taken the port first.
  const ReplyPointer info = request(*context_, {"INFO"});
  if (!info || info->type != REDIS_REPLY_STRING) return false;
  const std::string_view text(info->str, info->len);
  const bool loads = text.find("\nloading:1\r") != std::string_view::npos;
  return text.find(fmt::format("process_id:{}\r", pid)) != std::string_view::npos && !loads;
}

void ControlLink::close() { context_.reset(); }

std::optional<Reply> ControlLink::ask(const std::vector<std::string>& words) {
  if (!context_) return std::nullopt;
  std::vector<const char*> list;
  for (const std::string& word : words) list.push_back(word.c_str());
  const ReplyPointer reply = request(*context_, list);
  if (!reply) return std::nullopt;
  return reply_from(*reply);
}

std::optional<Reply> ControlLink::ask_soon(const std::vector<std::string>& words) {
  if (!context_) return std::nullopt;
  redisSetTimeout(context_.get(), answers_soon);
  std::optional<Reply> reply = ask(words);
  if (reply) {
    redisSetTimeout(context_.get(), answers);
  } else {
    close();
  }
  return reply;
}

std::optional<std::vector<Reply>> ControlLink::ask_together(const std::vector<std::vector<std::string>>& commands) {
  if (!context_) return std::nullopt;
  for (const std::vector<std::string>& words : commands) {
    std::vector<const char*> list;
    for (const std::string& word : words) list.push_back(word.c_str());
    redisAppendCommandArgv(context_.get(), static_cast<int>(list.size()), list.data(), nullptr);
  }
  std::vector<Reply> replies;
  while (replies.size() < commands.size()) {
    void* raw = nullptr;
    if (redisGetReply(context_.get(), &raw) != REDIS_OK || !raw) return std::nullopt;
    const ReplyPointer reply(static_cast<redisReply*>(raw), &freeReplyObject);
    replies.push_back(reply_from(*reply));
  }
  return replies;
}

}  // namespace lockproof::real
