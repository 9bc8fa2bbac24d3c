// SPDX-License-Identifier: Apache-2.0
#include "real/client/host_ports.hpp"

#include <fmt/format.h>

#include <utility>

namespace lockproof::real {

harness::Readings readings(Duration at, Duration wall_ahead, Duration boot_ahead, Duration stood) {
  const Duration wall = Duration(epoch_us) + at + wall_ahead;
  const Duration boot = at + boot_ahead;
  return {std::chrono::floor<milliseconds>(wall).count(), (boot - stood).count(), boot.count()};
}

void HostClock::refresh() {
  const Drift before = drift_;
  const Duration stood_before = stood_;
  if (shared_stood_us_) stood_ = Duration(shared_stood_us_->load());
  if (shared_drift_ && shared_drift_->version() != version_) {
    version_ = shared_drift_->version();
    drift_ = shared_drift_->get();
  }
  if ((before == drift_ && stood_before == stood_) || !changed_) return;
  changed_([&](std::int64_t ns) {
    const Duration world = time_.at(ns);
    return time_.machine_at(drift_.when(world + before.at(world) - stood_before + stood_));
  });
}

harness::Readings HostClock::at(Duration world) {
  refresh();
  const Duration ahead = drift_.at(world);
  return readings(world, spec_.wall + Duration(jumped_us_.load()) + ahead, spec_.mono + ahead, stood_);
}

Wall HostClock::wall() { return InstantAccess::make<Wall>(at(time_.now()).wall_ms * 1000); }
Mono HostClock::mono() { return InstantAccess::make<Mono>(at(time_.now()).mono_us); }
Boot HostClock::boot() { return InstantAccess::make<Boot>(at(time_.now()).boot_us); }

std::int64_t HostClock::machine_at(Mono due) {
  refresh();
  return time_.machine_at(drift_.when(Duration(InstantAccess::us(due)) - spec_.mono + stood_));
}

std::int64_t HostClock::machine_at(Wall due) {
  refresh();
  const Duration ahead = Duration(epoch_us) + spec_.wall + Duration(jumped_us_.load());
  return time_.machine_at(drift_.when(Duration(InstantAccess::us(due)) - ahead));
}

HostRandom::HostRandom(std::uint64_t seed, int client)
    : client_(client), state_(seed * 0x2545F4914F6CDD1DU + static_cast<std::uint64_t>(client)) {}

/// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t HostRandom::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

/// The client's number makes the token unique, whatever the generator draws.
Token HostRandom::token() { return Token(fmt::format("{}-{:016x}", client_ + 1, next()), Value::Mark::token); }

Duration HostRandom::between(Duration least, Duration most) {
  if (most <= least) return least;
  const auto span = static_cast<std::uint64_t>((most - least).count()) + 1;
  return least + Duration(static_cast<std::int64_t>(next() % span));
}

}  // namespace lockproof::real
