// SPDX-License-Identifier: Apache-2.0
#include "real/os/descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "real/errors.hpp"

namespace lockproof::real {

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    const char* why = std::strerror(errno);
    throw BadEnvironment(fmt::format("cannot open a pipe: {}; is the limit of open files too low?", why));
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void close_descriptors(unsigned first, std::vector<int> kept) {
  std::ranges::sort(kept);
  for (const int fd : kept) {
    const auto next = static_cast<unsigned>(fd);
    if (next < first) continue;
    if (next > first) ::close_range(first, next - 1, 0);
    first = next + 1;
  }
  ::close_range(first, ~0U, 0);
}

bool write_all(int fd, const char* bytes, unsigned long count) {
  while (count > 0) {
    const auto written = ::write(fd, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      ::poll(&ready, 1, -1);
      continue;
    }
    if (written < 0) return false;
    bytes += written;
    count -= static_cast<unsigned long>(written);
  }
  return true;
}

}  // namespace lockproof::real
