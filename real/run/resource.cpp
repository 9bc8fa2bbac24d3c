// SPDX-License-Identifier: Apache-2.0
#include "real/run/resource.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "real/errors.hpp"

namespace lockproof::real {

class Resource::Connection : public PinnedObject {
 public:
  Connection(Resource& resource, Descriptor socket, pid_t client, int port)
      : resource_(resource), socket_(std::move(socket)), peer_(client), port_(port),
        watch_(*resource.loop_, socket_.get(), [this](EventLoop::Watch::Readiness) { read(); }) {
    watch_.want(true, false);
  }
  [[nodiscard]] bool has_unread() const {
    int bytes = 0;
    return ::ioctl(socket_.get(), FIONREAD, &bytes) == 0 && bytes > 0;
  }

 private:
  void read() {
    char bytes[4096];
    const auto count = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return watch_.want(false, false);  // the client is gone
    unread_.append(bytes, static_cast<std::size_t>(count));
    while (const std::size_t size = codec_.size(unread_)) {
      const std::string request = unread_.substr(0, size);
      unread_.erase(0, size);
      answer(codec_.request(request));
    }
  }

  void answer(Command command) {
    Reply reply = resource_.register_.execute(command);
    const std::string bytes = LineCodec::encode(reply);
    resource_.sink_({peer_, port_, ++count_, std::move(command), std::move(reply)});
    // A few bytes fit into the socket's buffer, unless the other side has stopped reading.
    ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  Resource& resource_;
  Descriptor socket_;
  const LineCodec codec_;
  std::string unread_;
  const pid_t peer_;
  const int port_;
  int count_ = 0;
  EventLoop::Watch watch_;
};

Resource::Resource(std::string path, harness::Fencing fencing)
    : path_(std::move(path)), register_(fencing),
      listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof address.sun_path) {
    throw BadEnvironment(fmt::format("the path '{}' is too long for a socket; set TMPDIR to a shorter one", path_));
  }
  path_.copy(address.sun_path, path_.size());
  const bool bound = listener_.open() &&
                     ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                     ::listen(listener_.get(), 128) == 0;
  if (!bound) throw BadEnvironment(fmt::format("cannot open a socket at '{}': {}", path_, std::strerror(errno)));
}

Resource::~Resource() = default;

void Resource::attach(EventLoop& loop, Sink sink) {
  loop_ = &loop;
  sink_ = std::move(sink);
  watch_ =
      std::make_unique<EventLoop::Watch>(loop, listener_.get(), [this](EventLoop::Watch::Readiness) { accept_all(); });
  watch_->want(true, false);
}

void Resource::accept_all() {
  for (;;) {
    Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.open()) return;
    ucred peer{};
    socklen_t size = sizeof peer;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
    connections_.push_back(std::make_unique<Connection>(*this, std::move(socket), peer.pid, 0));
  }
}

Descriptor Resource::connect(pid_t client, int port) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return {};
  connections_.push_back(std::make_unique<Connection>(*this, Descriptor(ends[0]), client, port));
  return Descriptor(ends[1]);
}

bool Resource::has_unread() const {
  return std::ranges::any_of(connections_, [](const auto& connection) { return connection->has_unread(); });
}

}  // namespace lockproof::real
