// SPDX-License-Identifier: Apache-2.0
#include "tracer/log.hpp"

#include <fmt/format.h>

namespace lockproof::tracer {
namespace {

constexpr std::uint64_t basis = 14695981039346656037U, prime = 1099511628211U;

std::uint64_t mixed(std::uint64_t digest, std::string_view bytes) {
  for (const char byte : bytes) digest = (digest ^ static_cast<unsigned char>(byte)) * prime;
  return digest;
}

}  // namespace

std::uint64_t digest_of(std::string_view bytes) { return mixed(basis, bytes); }

void Log::add(std::string_view line) {
  mix(line);
  mix("\n");
  text_ += line;
  text_ += '\n';
}

void Log::count(std::initializer_list<std::uint64_t> numbers) {
  for (const std::uint64_t number : numbers) digest_ = (digest_ ^ number) * prime;
}

std::string Log::digest() const { return fmt::format("{:016x}", digest_); }

void Log::mix(std::string_view bytes) { digest_ = mixed(digest_, bytes); }

}  // namespace lockproof::tracer
