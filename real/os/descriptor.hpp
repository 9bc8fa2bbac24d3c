// SPDX-License-Identifier: Apache-2.0
// Descriptor: owns an open file descriptor, and closes it. It never reads or writes.
#pragma once

#include <unistd.h>

#include <utility>
#include <vector>

namespace lockproof::real {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Descriptor() { close(); }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Both ends of a pipe, closed in programs that a child starts. Throws BadEnvironment.
struct Pipe {
  Descriptor read_end, write_end;
};
[[nodiscard]] Pipe make_pipe();

/// Closes all descriptors of this process from `first` on, but those that are kept.
void close_descriptors(unsigned first, std::vector<int> kept);

/// Writes all bytes, and waits where necessary. False: the reading end is closed.
bool write_all(int fd, const char* bytes, unsigned long count);

}  // namespace lockproof::real
