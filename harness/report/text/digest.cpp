// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text/digest.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace lockproof::harness {

std::string digest(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", sum);
}

}  // namespace lockproof::harness
