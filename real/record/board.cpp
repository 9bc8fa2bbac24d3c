// SPDX-License-Identifier: Apache-2.0
#include "real/record/board.hpp"

#include <sys/mman.h>

#include <bit>
#include <memory>

#include "real/errors.hpp"

namespace lockproof::real {
namespace {

std::uint64_t bit(int client) { return std::uint64_t{1} << client; }

}  // namespace

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share these");

Board::Board() {
  void* mapped = ::mmap(nullptr, sizeof(SharedPage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw BadEnvironment("cannot get shared memory for the processes of a run");
  shared_ = std::construct_at(static_cast<SharedPage*>(mapped));
}

Board::~Board() { ::munmap(shared_, sizeof(SharedPage)); }

int Board::enter(int client) {
  const std::uint64_t before = shared_->inside.fetch_or(bit(client));
  return std::popcount(before & ~bit(client));
}

void Board::leave(int client) { shared_->inside.fetch_and(~bit(client)); }

}  // namespace lockproof::real
