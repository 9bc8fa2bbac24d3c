// SPDX-License-Identifier: Apache-2.0
// chubby-lock, -sequencer, -ignores-jeopardy: a lock of a Chubby cell, in exclusive mode. It belongs to its holder's
// session, and when that ends without a release, nobody gets it for the lock-delay. -sequencer asks for a sequencer,
// whose generation is the fencing number: the resource refuses whoever comes with an older one. The others trust in the
// lock-delay alone. A holder whose session is in jeopardy does not promise the lock until it is safe again;
// -ignores-jeopardy promises it until the session has ended for certain.
// Source: Burrows, The Chubby lock service for loosely-coupled distributed systems, OSDI 2006, sections 2.4, 2.8, 2.9.
// Claims: never two entitled; a holder that is gone frees it when its session and the lock-delay end. Not claimed: that
// a holder which outlives both is alone, or of -ignores-jeopardy, that one which is cut off for as long is.
// Broken by: scenarios/chubby/lock-delay-outlived.toml; scenarios/chubby/jeopardy-ignored.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/chubby/client_session.hpp"

namespace lockproof {
namespace {

struct Habits {
  bool takes_sequencer = false;
  bool heeds_jeopardy = true;
};

class ChubbyExclusive final : public Lock {
 public:
  ChubbyExclusive(Ports ports, const Parameters& parameters, Habits habits)
      : master_(ports.servers.at(0)), session_(ports.servers, ports.clock, parameters.at("grace")),
        lock_delay_(std::chrono::ceil<milliseconds>(parameters.at("lock_delay"))), retry_(parameters.at("retry")),
        habits_(habits) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const auto opened = co_await session_.open(lease.value_or(session_lease));
    if (!opened) co_return Failure(opened.error());

    const auto acquired = co_await master_.run(chubby::try_acquire(session_.id(), name, lock_delay_));
    if (!acquired) co_return Failure(session_.failed(acquired.error()), session_.grant(name));
    if (!*acquired) co_return Busy{};
    Grant grant = promised(session_.grant(name));
    if (!habits_.takes_sequencer) co_return grant;

    const auto sequencer = co_await master_.run(chubby::get_sequencer(session_.id(), name));
    if (!sequencer) co_return Failure(session_.failed(sequencer.error()), grant);
    if (!*sequencer) co_return Busy{};
    grant.fence = (*sequencer)->generation;
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto released = co_await master_.run(chubby::release(session_.id(), grant.name));
    if (!released && session_.failed(released.error()) == Error::refused) co_return ReleaseResult::not_ours;
    if (!released) co_return released.error();
    co_return *released ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  Task<Result<std::optional<Grant>>> renew(Grant held) override {
    const auto kept = co_await session_.renew(std::move(held));
    if (!kept || !*kept) co_return kept;
    co_return promised(**kept);
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }
  [[nodiscard]] State state() const override { return session_.state(); }

 private:
  [[nodiscard]] Grant promised(Grant grant) const {
    if (!habits_.heeds_jeopardy) grant.deadline = {};
    return grant;
  }

  static constexpr milliseconds session_lease{12'000};

  Store& master_;
  chubby::ClientSession session_;
  const milliseconds lock_delay_;
  const Duration retry_;
  const Habits habits_;
};

}  // namespace

std::unique_ptr<Lock> make_chubby_lock(Ports ports, const Parameters& parameters) {
  return std::make_unique<ChubbyExclusive>(ports, parameters, Habits{});
}
std::unique_ptr<Lock> make_chubby_sequencer(Ports ports, const Parameters& parameters) {
  return std::make_unique<ChubbyExclusive>(ports, parameters, Habits{.takes_sequencer = true});
}
std::unique_ptr<Lock> make_chubby_ignores_jeopardy(Ports ports, const Parameters& parameters) {
  return std::make_unique<ChubbyExclusive>(ports, parameters, Habits{.heeds_jeopardy = false});
}

}  // namespace lockproof
