// SPDX-License-Identifier: Apache-2.0
#include "tracer/machine/memory.hpp"

#include <sys/time.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <ctime>

namespace lockproof::tracer {
namespace {

constexpr std::size_t page = 4096, longest_text = 4095;

iovec span_at(Address at, std::size_t count) { return {reinterpret_cast<void*>(at), count}; }

}  // namespace

bool read_bytes(pid_t thread, Address from, void* to, std::size_t count) {
  std::memset(to, 0, count);
  const iovec here{to, count}, there = span_at(from, count);
  return process_vm_readv(thread, &here, 1, &there, 1, 0) == static_cast<ssize_t>(count);
}

bool write_bytes(pid_t thread, Address to, const void* from, std::size_t count) {
  const iovec here{const_cast<void*>(from), count}, there = span_at(to, count);
  return process_vm_writev(thread, &here, 1, &there, 1, 0) == static_cast<ssize_t>(count);
}

/// Page by page, since the next one need not exist.
std::string read_text(pid_t thread, Address from) {
  std::string text;
  while (text.size() < longest_text) {
    char part[page];
    const std::size_t count = std::min(page - from % page, longest_text - text.size());
    if (!read_bytes(thread, from, part, count)) return text;
    const std::size_t length = strnlen(part, count);
    text.append(part, length);
    if (length < count) return text;
    from += count;
  }
  return text;
}

Nanos read_timespec(pid_t thread, Address from) {
  if (from == 0) return -1;
  const auto time = read_value<timespec>(thread, from);
  return time.tv_sec > never / second / 2 ? never / 2 : time.tv_sec * second + time.tv_nsec;
}

Nanos read_timeval(pid_t thread, Address from) {
  if (from == 0) return -1;
  const auto time = read_value<timeval>(thread, from);
  return time.tv_sec > never / second / 2 ? never / 2 : time.tv_sec * second + time.tv_usec * microsecond;
}

}  // namespace lockproof::tracer
