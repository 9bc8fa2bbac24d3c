// SPDX-License-Identifier: Apache-2.0
#include "programs/shim_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

#include "harness/stop.hpp"
#include "programs/executable.hpp"
#include "programs/process_memory.hpp"
#include "programs/refusal.hpp"
#include "programs/shim/wire.h"
#include "real/errors.hpp"
#include "real/os/program_files.hpp"

namespace lockproof::programs {

using real::BadEnvironment;
using real::Descriptor;

namespace {

constexpr int begin_seconds_most = 40, step_seconds_most = 10, look_ms = 20;  // of the machine
constexpr std::size_t errors_most = 64 * 1024;
constexpr const char* shows_folder = "shows the name of its folder, which is another one in each run";

struct Sockets {
  Descriptor ours, theirs;
};

Sockets make_sockets() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw BadEnvironment(fmt::format("cannot make a socket: {}", std::strerror(errno)));
  }
  const int room = lockproof_frame_most;
  for (const int end : ends) ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// The drawn part of a name stands at its end.
constexpr std::size_t drawn_most = 6;
constexpr char instead = 'X';

std::string same_in_each_run(const std::string& drawn) {
  return drawn.size() < drawn_most ? drawn
                                   : drawn.substr(0, drawn.size() - drawn_most) + std::string(drawn_most, instead);
}

/// Of the same length. False: it is nowhere.
bool replace_all(std::string& text, const std::string& what, const std::string& with) {
  bool is_there = false;
  for (std::size_t at = 0; !what.empty() && (at = text.find(what, at)) != std::string::npos; at += what.size()) {
    text.replace(at, what.size(), with);
    is_there = true;
  }
  return is_there;
}

void send_bytes(int to, const std::string& bytes, int with) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(int))] = {};
  if (with >= 0) {
    message.msg_control = ancillary;
    message.msg_controllen = sizeof ancillary;
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &with, sizeof with);
  }
  while (::sendmsg(to, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

template <class Head>
Head head_at(std::string_view bytes, std::size_t at) {
  Head head{};
  if (bytes.size() < at + sizeof head) throw BadEnvironment("the program under test wrote to lockproof's own socket");
  std::memcpy(&head, bytes.data() + at, sizeof head);
  return head;
}

Frame frame_from(std::string bytes) {
  const auto head = head_at<lockproof_frame>(bytes, 0);
  Frame frame{static_cast<char>(head.kind), head.value, head.threads, {}, {}};
  std::size_t at = sizeof head;
  for (std::uint32_t left = head.records; left > 0; --left) {
    const auto record = head_at<lockproof_record>(bytes, at);
    at += sizeof record;
    frame.records.push_back({static_cast<char>(record.kind), record.connection, bytes.substr(at, record.length)});
    at += record.length;
  }
  frame.bytes = std::move(bytes);
  return frame;
}

}  // namespace

std::string Order::to_bytes() const {
  lockproof_order head{};
  head.kind = static_cast<std::uint8_t>(kind);
  head.mono_ns = mono_ns;
  head.wall_ns = wall_ns;
  head.boot_ns = boot_ns;
  head.connection = connection;
  head.length = static_cast<std::uint32_t>(bytes.size());
  std::string all(reinterpret_cast<const char*>(&head), sizeof head);
  return all + bytes;
}

/// The process between lockproof and the program, which ends them all.
struct ShimProcess::KeeperEnds {
  KeeperEnds(const real::Start& start, std::string drawn_name)
      : kept(real::keep(start)), counted(kept.keeper), path(start.path), drawn(std::move(drawn_name)),
        shown(same_in_each_run(drawn)) {}
  ~KeeperEnds() { real::end_all(kept); }
  KeeperEnds(const KeeperEnds&) = delete;
  KeeperEnds& operator=(const KeeperEnds&) = delete;

  void read_errors() {
    char bytes[4096];
    for (long count = 0; (count = ::read(kept.errors.get(), bytes, sizeof bytes)) > 0;) {
      if (errors.size() < errors_most) errors.append(bytes, static_cast<std::size_t>(count));
    }
  }

  real::KeeperEnds kept;
  const CountedKeeper counted;
  const std::string path, drawn, shown;  // the name of its folder, and what histories have in its place
  std::string errors;
};

ShimProcess::ShimProcess(real::Start start, const Origin& origin) {
  if (const std::string why = why_no_shim(start.path); !why.empty()) {
    throw Refusal(fmt::format("{} {}: only lockproof real can judge it", start.path, why));
  }
  Sockets sockets = make_sockets();
  const std::string shim = real::program_file("liblockproof-shim.so", "../lib/lockproof/liblockproof-shim.so");
  start.environment.insert(
      start.environment.end(),
      {"LD_PRELOAD=" + shim,
       fmt::format("LOCKPROOF_SHIM={}:{}:{}:{}:{:d}:{}", sockets.theirs.get(), origin.seed, origin.mono_ns,
                   origin.wall_ns, origin.pauses_at_sends, origin.files_from_ns),
       "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "UV_USE_IO_URING=0", "MALLOC_ARENA_MAX=1"});
  start.inherited = {sockets.theirs.get()};
  start.fixed_addresses = true;
  kept_ = std::make_shared<KeeperEnds>(start, origin.drawn_name);
  control_ = std::move(sockets.ours);
  sockets.theirs.close();
  if (!has_frame_within(begin_seconds_most)) never_begins();
  Frame first = receive(begin_seconds_most, "did not begin");
  if (first.kind != lockproof_begins) never_begins();
  frame_ = receive(begin_seconds_most, "did not wait for anything");
}

ShimProcess::ShimProcess(std::shared_ptr<KeeperEnds> kept, Descriptor control, Frame frame)
    : kept_(std::move(kept)), control_(std::move(control)), frame_(std::move(frame)) {}

void ShimProcess::never_begins() {
  throw Refusal(
      fmt::format("{} does not load lockproof's shim, which needs a program that is linked dynamically to glibc: only "
                  "lockproof real can judge it",
                  kept_->path));
}

/// Reads what it writes to standard error meanwhile: a full pipe would hold it. Throws harness::Stopped.
bool ShimProcess::has_frame_within(int seconds_most) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds_most);
  pollfd ends[] = {{control_.get(), POLLIN, 0}, {kept_->kept.errors.get(), POLLIN, 0}};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    if (harness::long_operation_must_end()) throw harness::Cancellation();
    const int ready = ::poll(ends, std::size(ends), static_cast<int>(std::min<std::int64_t>(left, look_ms)));
    if (ready <= 0) continue;
    if (ends[0].revents != 0) return true;
    if ((ends[1].revents & POLLIN) != 0) {
      kept_->read_errors();
    } else {
      ends[1].fd = -1;  // it is closed
    }
  }
}

Frame ShimProcess::receive(int seconds_most, const char* what) {
  if (!has_frame_within(seconds_most)) {
    throw Refusal(
        fmt::format("the program {} {} within {} s: it may be waiting for something that does not "
                    "pass through libc, or be in a loop without end",
                    kept_->path, what, seconds_most));
  }
  std::string bytes(sizeof(lockproof_frame) + lockproof_frame_most, '\0');
  const auto count = ::recv(control_.get(), bytes.data(), bytes.size(), 0);
  kept_->read_errors();
  if (count <= 0) return {lockproof_ended, -1, 0, {}, "killed"};
  bytes.resize(static_cast<std::size_t>(count));
  const bool shows = replace_all(bytes, kept_->drawn, kept_->shown);
  Frame frame = frame_from(std::move(bytes));
  if (shows) frame.records.push_back({lockproof_remarks, 0, shows_folder});
  return frame;
}

void ShimProcess::send(const Order& order, int with) {
  std::string bytes = order.to_bytes();
  replace_all(bytes, kept_->shown, kept_->drawn);
  if (bytes.size() > lockproof_order_most) {
    throw Refusal(
        fmt::format("{} is sent {} bytes at once, and virtual time has room for {}: such a program only lockproof real "
                    "can judge",
                    kept_->path, order.bytes.size(), lockproof_order_most));
  }
  send_bytes(control_.get(), bytes, with);
}

const Frame& ShimProcess::feed(const Order& order) {
  send(order);
  frame_ = receive(step_seconds_most, "did not wait again");
  return frame_;
}

std::unique_ptr<ShimProcess> ShimProcess::copy() {
  Sockets sockets = make_sockets();
  send({.kind = lockproof_copy}, sockets.theirs.get());
  const Frame answer = receive(step_seconds_most, "could not be copied");
  if (answer.kind != lockproof_copied || answer.value < 0) {
    throw BadEnvironment(fmt::format("the kernel makes no copy of {}", kept_->path));
  }
  return std::unique_ptr<ShimProcess>(new ShimProcess(kept_, std::move(sockets.ours), frame_));
}

const std::string& ShimProcess::errors() {
  kept_->read_errors();
  return kept_->errors;
}

}  // namespace lockproof::programs
