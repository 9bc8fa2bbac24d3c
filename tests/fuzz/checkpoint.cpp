// SPDX-License-Identifier: Apache-2.0
// Any bytes as a checkpoint, and any bytes with the frame and the checksum of one: they are refused, or read.
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "search/core/checkpoint.hpp"
#include "search/liveness/quiescent_states.hpp"
#include "search/reexecution/reexecuted_states.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace sim = lockproof::sim;

namespace {

const sim::CheckpointOf of{{"scenario", "a"}, {"budget", ""}};

void read(std::string_view bytes) {
  std::size_t at = 0;
  const auto next = [&](std::span<char> into, bool from_begin) {
    if (from_begin) at = 0;
    if (bytes.size() - at < into.size()) return false;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), into.size(), into.begin());
    at += into.size();
    return true;
  };
  try {
    sim::CheckpointIn in(bytes.size(), next, of);
    (void)in.numbers<std::uint32_t>();
    (void)in.places();
    sim::QuiescentStates().read(in);
    sim::ReexecutedStates().read(in);
    (void)in.text();
  } catch (const sim::CheckpointError&) {
  }
}

/// As one would be with these bytes behind what says of which search it is.
std::string framed(std::string_view inside) {
  std::string whole;
  const auto put = [&](std::string_view bytes) {
    whole += bytes;
    return true;
  };
  sim::CheckpointOut out(put, of);
  for (; inside.size() >= sizeof(std::uint64_t); inside.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t n = 0;
    std::memcpy(&n, inside.data(), sizeof n);
    out.number(n);
  }
  out.finish();
  return whole;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read(framed(bytes));
  return 0;
}
