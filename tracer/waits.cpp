// SPDX-License-Identifier: Apache-2.0
#include "tracer/waits.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace lockproof::tracer {
namespace {

constexpr int arguments = 6;

Outcome begin_wait(TracedWorld& world, Thread& thread, std::vector<real::Descriptor> copies, std::vector<pollfd> polled,
                   Nanos until) {
  thread.awaited = std::move(copies);
  thread.polled = std::move(polled);
  return world.wait(thread, Thread::State::waits_for_descriptor, until);
}

}  // namespace

real::Descriptor copy_descriptor(const Process& process, int descriptor) {
  return real::Descriptor(static_cast<int>(syscall(SYS_pidfd_getfd, process.handle.get(), descriptor, 0)));
}

Outcome wait_for_descriptors(TracedWorld& world, Thread& thread, std::span<const AwaitedDescriptor> awaited,
                             Nanos until) {
  std::vector<real::Descriptor> copies;
  std::vector<pollfd> polled;
  for (const AwaitedDescriptor& one : awaited) {
    real::Descriptor copy = copy_descriptor(*thread.process, one.descriptor);
    if (!copy.open()) return Outcome::passes;  // the kernel says so
    polled.push_back({copy.get(), one.events, 0});
    copies.push_back(std::move(copy));
  }
  if (poll(polled.data(), polled.size(), 0) > 0) return Outcome::passes;
  return begin_wait(world, thread, std::move(copies), std::move(polled), until);
}

Outcome wait_to_transfer(TracedWorld& world, Thread& thread, int descriptor, short events, int option, bool may_wait) {
  real::Descriptor copy = copy_descriptor(*thread.process, descriptor);
  if (!copy.open() || !may_wait || (fcntl(copy.get(), F_GETFL) & O_NONBLOCK) != 0) return Outcome::passes;
  struct stat file {};
  fstat(copy.get(), &file);
  if (S_ISREG(file.st_mode) || S_ISDIR(file.st_mode) || S_ISCHR(file.st_mode)) return Outcome::passes;
  pollfd polled{copy.get(), events, 0};
  if (poll(&polled, 1, 0) > 0) return Outcome::passes;
  Nanos until = -1;
  if (S_ISSOCK(file.st_mode)) {
    timeval most{};
    socklen_t size = sizeof most;
    getsockopt(copy.get(), SOL_SOCKET, option, &most, &size);
    const Nanos lasts = most.tv_sec * second + most.tv_usec * microsecond;
    if (lasts > 0) until = world.now() + lasts;
  }
  std::vector<real::Descriptor> copies;
  copies.push_back(std::move(copy));
  return begin_wait(world, thread, std::move(copies), {polled}, until);
}

std::vector<AwaitedDescriptor> members_of_epoll(const Process& process, int epoll) {
  std::vector<AwaitedDescriptor> members;
  const std::string text = read_process_file(process.pid, fmt::format("fdinfo/{}", epoll));
  for (std::size_t at = 0; (at = text.find("tfd:", at)) != std::string::npos; ++at) {
    int descriptor = 0;
    unsigned events = 0;
    if (std::sscanf(text.c_str() + at, "tfd: %d events: %x", &descriptor, &events) != 2) continue;
    std::array<char, 64> target{};
    const std::string link = fmt::format("/proc/{}/fd/{}", process.pid, descriptor);
    if (readlink(link.c_str(), target.data(), target.size() - 1) <= 0) continue;
    if (std::string_view(target.data()).find("signalfd") != std::string_view::npos) continue;
    members.push_back({descriptor, static_cast<short>(events & 0xffff)});
  }
  return members;
}

std::string read_process_file(pid_t id, const std::string& name) {
  const real::Descriptor file(open(fmt::format("/proc/{}/{}", id, name).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part;
  ssize_t count = 0;
  while (file.open() && (count = read(file.get(), part.data(), part.size())) > 0)
    text.append(part.data(), static_cast<std::size_t>(count));
  return text;
}

Outcome answer(Thread& thread, long result) {
  thread.registers.skip_call(result);
  thread.registers.store(thread.tid);
  return Outcome::decided;
}

bool ChangedCall::make(TracedWorld& world) {
  thread_.registers.store(thread_.tid);
  if (!world.make_call(thread_)) return false;
  for (int i = 0; i < arguments; ++i) thread_.registers.set_argument(i, before_.argument(i));
  thread_.registers.store(thread_.tid);
  return true;
}

void ChangedCall::set_result(long result) {
  thread_.registers.set_result(result);
  thread_.registers.store(thread_.tid);
}

}  // namespace lockproof::tracer
