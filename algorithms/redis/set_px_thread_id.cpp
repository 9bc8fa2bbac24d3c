// SPDX-License-Identifier: Apache-2.0
// set-px-thread-id: set-px-token as the notes have it, with the thread's number for a token. A thread's number is
// unique in its own process only: the same thread of another process counts as the owner. Source: notes 000 and 001,
// "String threadId = Thread.currentThread().getId()", with the Lua release. Claims: what set-px-token claims, but for
// releases by a like-numbered thread. Broken by: scenarios/notes/owner-id-collision.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"

namespace lockproof {
namespace {

class SetPxThreadId final : public Lock {
 public:
  SetPxThreadId(Ports ports, Duration retry) : redis_(ports.servers.at(0)), clock_(ports.clock), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const milliseconds ttl = lease.value_or(default_lease);
    const Grant grant(name, thread_id, clock_.mono() + ttl);

    const auto won = co_await redis_.run(redis::set_nx_px(name, thread_id, ttl));
    if (!won) co_return Failure(won.error(), grant);
    if (!*won) co_return Busy{};
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto deleted = co_await redis_.run(
        redis::eval(scripts::compare_and_delete, redis::keys(grant.name), redis::args(grant.token)));
    if (!deleted) co_return deleted.error();
    co_return deleted->is_integer(1) ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  static constexpr const char* thread_id = "17";  // the first worker of a pool, in every process alike
  Store& redis_;
  Clock& clock_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_set_px_thread_id(Ports ports, const Parameters& parameters) {
  return std::make_unique<SetPxThreadId>(ports, parameters.at("retry"));
}

}  // namespace lockproof
