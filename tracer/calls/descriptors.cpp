// SPDX-License-Identifier: Apache-2.0
// Reading, writing, and waiting for descriptors. The kernel does all of that; but where it would wait, the world does.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tracer/calls/handlers.hpp"
#include "tracer/waits.hpp"

namespace lockproof::tracer {
namespace {

constexpr Nanos looks_again_after = millisecond;  // for a lock of a file, which nobody announces

Outcome wait_to_receive(TracedWorld& world, Thread& thread, std::uint64_t flags) {
  const auto descriptor = static_cast<int>(thread.registers.argument(0));
  return wait_to_transfer(world, thread, descriptor, POLLIN, SO_RCVTIMEO, (flags & MSG_DONTWAIT) == 0);
}

Outcome wait_to_send(TracedWorld& world, Thread& thread, std::uint64_t flags) {
  const auto descriptor = static_cast<int>(thread.registers.argument(0));
  return wait_to_transfer(world, thread, descriptor, POLLOUT, SO_SNDTIMEO, (flags & MSG_DONTWAIT) == 0);
}

/// What can be written to something that can be written at all, without a wait; 0: anything.
std::uint64_t most_at_once(const Process& process, int descriptor) {
  constexpr std::uint64_t into_socket = 32'768, into_pipe = 4096;
  const real::Descriptor copy = copy_descriptor(process, descriptor);
  struct stat file {};
  if (!copy.open() || (fcntl(copy.get(), F_GETFL) & O_NONBLOCK) != 0 || fstat(copy.get(), &file) != 0) return 0;
  if (S_ISSOCK(file.st_mode)) return into_socket;
  return S_ISFIFO(file.st_mode) ? into_pipe : 0;
}

/// A wait in the middle of a write would be the kernel's. So a large one is cut, as a signal cuts it.
Outcome write_part(TracedWorld& world, Thread& thread) {
  const std::uint64_t most = most_at_once(*thread.process, static_cast<int>(thread.registers.argument(0)));
  if (most == 0) return Outcome::passes;
  ChangedCall changed(thread);
  const Registers& registers = thread.registers;
  if (thread.call != SYS_writev) {
    if (registers.argument(2) <= most) return Outcome::passes;
    changed.set(2, most);
    return changed.make(world) ? Outcome::decided : Outcome::ended;
  }
  std::uint64_t all = 0, count = 0;
  const auto part = [&](std::uint64_t which) {
    return read_value<iovec>(thread.tid, registers.argument(1) + which * sizeof(iovec));
  };
  while (count < registers.argument(2) && all + part(count).iov_len <= most) all += part(count++).iov_len;
  if (count == registers.argument(2)) return Outcome::passes;
  if (all > 0) {
    changed.set(2, count);
  } else {
    changed.set(1, reinterpret_cast<Address>(part(count).iov_base));
    changed.set(2, most);
    changed.set_number(SYS_write);
  }
  return changed.make(world) ? Outcome::decided : Outcome::ended;
}

void take_mask(Thread& thread, Address at) {
  if (at == 0) return;
  thread.has_mask = true;
  thread.mask = read_value<std::uint64_t>(thread.tid, at);
}

Outcome wait_until(TracedWorld& world, Thread& thread, const std::vector<AwaitedDescriptor>& awaited, Nanos lasts) {
  if (lasts == 0) return Outcome::passes;
  return wait_for_descriptors(world, thread, awaited, lasts < 0 ? -1 : world.now() + lasts);
}

Nanos milliseconds_of(std::uint64_t argument) {
  const auto count = static_cast<int>(argument);
  return count < 0 ? -1 : count * millisecond;
}

/// A lock of a file is asked for without waiting; who does not get it asks again, after a time.
Outcome lock_again(TracedWorld& world, Thread& thread, ChangedCall& changed) {
  if (!changed.make(world)) return Outcome::ended;
  if (changed.result() != -EAGAIN && changed.result() != -EACCES) return Outcome::decided;
  thread.registers.repeat_call(thread.call);
  thread.registers.store(thread.tid);
  thread.until = world.now() + looks_again_after;
  thread.state = Thread::State::looks_again;
  return Outcome::waits;
}

}  // namespace

Outcome serve_read(TracedWorld& world, Thread& thread) { return wait_to_receive(world, thread, 0); }
Outcome serve_recvfrom(TracedWorld& world, Thread& thread) {
  return wait_to_receive(world, thread, thread.registers.argument(3));
}
Outcome serve_recvmsg(TracedWorld& world, Thread& thread) {
  return wait_to_receive(world, thread, thread.registers.argument(2));
}
Outcome serve_write(TracedWorld& world, Thread& thread) {
  const Outcome outcome = wait_to_send(world, thread, 0);
  return outcome == Outcome::passes ? write_part(world, thread) : outcome;
}
Outcome serve_sendto(TracedWorld& world, Thread& thread) {
  const std::uint64_t flags = thread.registers.argument(3);
  const Outcome outcome = wait_to_send(world, thread, flags);
  return outcome == Outcome::passes && (flags & MSG_DONTWAIT) == 0 ? write_part(world, thread) : outcome;
}
Outcome serve_sendmsg(TracedWorld& world, Thread& thread) {
  return wait_to_send(world, thread, thread.registers.argument(2));
}

Outcome serve_poll(TracedWorld& world, Thread& thread) {
  constexpr std::uint64_t most = 4096;
  const Registers& registers = thread.registers;
  const bool is_plain = thread.call == SYS_poll;
  if (!is_plain) take_mask(thread, registers.argument(3));
  std::vector<AwaitedDescriptor> awaited;
  for (std::uint64_t i = 0; i < std::min(registers.argument(1), most); ++i) {
    const auto one = read_value<pollfd>(thread.tid, registers.argument(0) + i * sizeof(pollfd));
    if (one.fd >= 0) awaited.push_back({one.fd, one.events});
  }
  const Nanos lasts =
      is_plain ? milliseconds_of(registers.argument(2)) : read_timespec(thread.tid, registers.argument(2));
  return wait_until(world, thread, awaited, lasts);
}

Outcome serve_select(TracedWorld& world, Thread& thread) {
  const Registers& registers = thread.registers;
  const bool is_plain = thread.call == SYS_select;
  if (!is_plain && registers.argument(5) != 0)
    take_mask(thread, read_value<Address>(thread.tid, registers.argument(5)));
  const auto count = std::min<std::uint64_t>(registers.argument(0), FD_SETSIZE);
  constexpr std::array<short, 3> events{POLLIN, POLLOUT, POLLPRI};
  std::vector<AwaitedDescriptor> awaited;
  for (int which = 0; which < 3; ++which) {
    const Address at = registers.argument(which + 1);
    if (at == 0) continue;
    std::array<unsigned char, FD_SETSIZE / 8> bits{};
    read_bytes(thread.tid, at, bits.data(), (count + 7) / 8);
    for (std::uint64_t i = 0; i < count; ++i)
      if ((bits[i / 8] >> i % 8 & 1) != 0)
        awaited.push_back({static_cast<int>(i), events[static_cast<std::size_t>(which)]});
  }
  const Address at = registers.argument(4);
  return wait_until(world, thread, awaited, is_plain ? read_timeval(thread.tid, at) : read_timespec(thread.tid, at));
}

/// An epoll is a descriptor that can be polled itself.
Outcome serve_epoll_wait(TracedWorld& world, Thread& thread) {
  const Registers& registers = thread.registers;
  if (thread.call != SYS_epoll_wait) take_mask(thread, registers.argument(4));
  const Nanos lasts = thread.call == SYS_epoll_pwait2 ? read_timespec(thread.tid, registers.argument(3))
                                                      : milliseconds_of(registers.argument(3));
  const auto epoll = static_cast<int>(registers.argument(0));
  if (thread.process->reads_signals) return wait_until(world, thread, members_of_epoll(*thread.process, epoll), lasts);
  return wait_until(world, thread, {{epoll, POLLIN}}, lasts);
}

Outcome serve_fcntl(TracedWorld& world, Thread& thread) {
  const auto command = static_cast<int>(thread.registers.argument(1));
  if (command != F_SETLKW && command != F_OFD_SETLKW) return Outcome::passes;
  ChangedCall changed(thread);
  changed.set(1, command == F_SETLKW ? F_SETLK : F_OFD_SETLK);
  return lock_again(world, thread, changed);
}

Outcome serve_flock(TracedWorld& world, Thread& thread) {
  const std::uint64_t operation = thread.registers.argument(1);
  if ((operation & LOCK_NB) != 0) return Outcome::passes;
  ChangedCall changed(thread);
  changed.set(1, operation | LOCK_NB);
  return lock_again(world, thread, changed);
}

}  // namespace lockproof::tracer
