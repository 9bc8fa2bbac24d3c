// SPDX-License-Identifier: Apache-2.0
#include "real/clock/clock_page.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "real/clock/world_time.hpp"
#include "real/errors.hpp"

namespace lockproof::real {
namespace {

__extension__ using Wide = __int128;
constexpr std::int64_t ppb_of_one = 1'000'000'000;

}  // namespace

ClockPage::ClockPage(std::int64_t fake_us, std::int64_t speedup, bool whole_life)
    : memory_(::memfd_create("lockproof-clock", MFD_CLOEXEC)) {
  if (!memory_.open() || ::ftruncate(memory_.get(), 4096) != 0) {
    throw BadEnvironment(fmt::format("cannot make a page of shared memory: {}", std::strerror(errno)));
  }
  void* mapped = ::mmap(nullptr, sizeof *page_, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
  if (mapped == MAP_FAILED) throw BadEnvironment(fmt::format("cannot map shared memory: {}", std::strerror(errno)));
  page_ = static_cast<lockproof_clock_page*>(mapped);
  page_->life_from_ns = machine_ns();
  page_->life_speedup = whole_life ? speedup : 0;
  start(machine_ns(), fake_us, speedup);
}

ClockPage::~ClockPage() { ::munmap(page_, sizeof *page_); }

void ClockPage::start(std::int64_t at_ns, std::int64_t fake_us, std::int64_t speedup) {
  segments_.assign(1, Segment{at_ns, fake_us * 1000, speedup * ppb_of_one});
  publish(segments_.back());
}

void ClockPage::jump(std::int64_t by_us) { go_on_from(by_us * 1000, segments_.back().rate_ppb); }

void ClockPage::set_rate(std::int64_t ppb) {
  const std::int64_t own = segments_.front().rate_ppb;
  go_on_from(0, own + static_cast<std::int64_t>(Wide{own} * ppb / ppb_of_one));
}

/// Begins a segment: from now on the clock shows `ahead_ns` more than before, and runs at this rate.
void ClockPage::go_on_from(std::int64_t ahead_ns, std::int64_t rate_ppb) {
  const Segment& last = segments_.back();
  const std::int64_t now = std::max(machine_ns(), last.from_ns);  // it may not have started yet
  const auto passed = static_cast<std::int64_t>(Wide{now - last.from_ns} * last.rate_ppb / ppb_of_one);
  segments_.push_back({now, last.fake_ns + passed + ahead_ns, rate_ppb});
  publish(segments_.back());
}

void ClockPage::publish(const Segment& segment) {
  const std::uint64_t sequence = __atomic_load_n(&page_->sequence, __ATOMIC_RELAXED);
  __atomic_store_n(&page_->sequence, sequence + 1, __ATOMIC_RELAXED);
  // Released one by one: a reader of one of them sees that a write is in progress.
  __atomic_store_n(&page_->base_mono_ns, segment.from_ns, __ATOMIC_RELEASE);
  __atomic_store_n(&page_->base_fake_ns, segment.fake_ns, __ATOMIC_RELEASE);
  __atomic_store_n(&page_->rate_ppb, segment.rate_ppb, __ATOMIC_RELEASE);
  __atomic_store_n(&page_->sequence, sequence + 2, __ATOMIC_RELEASE);
}

void ClockPage::count_calls() { page_->counts_calls = 1; }

std::uint64_t ClockPage::calls() const { return __atomic_load_n(&page_->calls, __ATOMIC_RELAXED); }

std::int64_t ClockPage::shows_us() const { return shows_us(machine_ns()); }

std::int64_t ClockPage::shows_us(std::int64_t at_ns) const {
  auto segment = segments_.rbegin();
  while (segment + 1 != segments_.rend() && segment->from_ns > at_ns) ++segment;
  const auto passed = static_cast<std::int64_t>(Wide{at_ns - segment->from_ns} * segment->rate_ppb / ppb_of_one);
  return (segment->fake_ns + passed) / 1000;
}

std::int64_t ClockPage::machine_ns_of(std::int64_t stamp_us, std::int64_t received_ns) const {
  for (std::size_t i = segments_.size(); i-- > 0;) {
    const Segment& s = segments_[i];
    if (s.rate_ppb == 0) continue;
    const auto at = s.from_ns + static_cast<std::int64_t>(Wide{stamp_us * 1000 - s.fake_ns} * ppb_of_one / s.rate_ppb);
    const std::int64_t until = i + 1 < segments_.size() ? segments_[i + 1].from_ns : received_ns;
    const std::int64_t slack = 2'000;  // the stamp is cut to microseconds
    if (at <= std::min(until, received_ns) && (i == 0 || at >= s.from_ns - slack)) return at;
  }
  return received_ns;
}

}  // namespace lockproof::real
