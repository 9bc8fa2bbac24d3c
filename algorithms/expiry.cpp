// SPDX-License-Identifier: Apache-2.0
#include "algorithms/expiry.hpp"

#include <algorithm>
#include <array>

namespace lockproof {
namespace {

// A test compares these with what each lock of the catalogue does.
constexpr std::array<std::string_view, 6> without_lease{"setnx-del",
                                                        "postgres-advisory",
                                                        "postgres-advisory-fenced",
                                                        "postgres-advisory-xact",
                                                        "etcd-key-without-lease",
                                                        "redisson-semaphore"};
constexpr std::array<std::string_view, 4> renewed{"guard-thread", "guard-thread-repaired", "redisson",
                                                  "redisson-note-002"};
constexpr std::array of_sessions{Service::zookeeper, Service::etcd, Service::chubby};

}  // namespace

Expiry expiry_of(const Algorithm& a) {
  if (!a.file.empty() || a.is_program) return Expiry::unknown;
  if (std::ranges::find(without_lease, a.name) != without_lease.end()) return Expiry::none;
  const bool renews = std::ranges::find(renewed, a.name) != renewed.end() ||
                      std::ranges::find(of_sessions, a.service) != of_sessions.end();
  return renews ? Expiry::renewed : Expiry::lease;
}

}  // namespace lockproof
