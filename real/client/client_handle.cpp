// SPDX-License-Identifier: Apache-2.0
#include "real/client/client_handle.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "real/errors.hpp"

namespace lockproof::real {

ClientHandle::ClientHandle(ClientSetup setup, std::unique_ptr<Ledger> ledger, Janitor& janitor,
                           const std::function<void()>& let_go, const Body& body)
    : ledger_(std::move(ledger)) {
  Pipe lines = make_pipe();
  int answers[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, answers) != 0) {
    throw BadEnvironment(fmt::format("cannot open a socket: {}", std::strerror(errno)));
  }
  to_client_ = Descriptor(answers[0]);
  const Descriptor clients_end(answers[1]);
  setup.to_supervisor = lines.write_end.get();
  setup.from_supervisor = clients_end.get();

  process_ = janitor.fork([&] {
    let_go();
    return body(setup);
  });
  from_client_ = std::move(lines.read_end);
  ::fcntl(from_client_.get(), F_SETFL, O_NONBLOCK);
}

void ClientHandle::attach(EventLoop& loop, std::function<void(const Notice&)> told, std::function<void()> ended) {
  told_ = std::move(told);
  on_end_ = std::move(ended);
  watch_ = std::make_unique<EventLoop::Watch>(loop, from_client_.get(), [this](EventLoop::Watch::Ready) { read(); });
  watch_->want(true, false);
}

void ClientHandle::order(Order order, std::size_t fault) {
  const char bytes[] = {static_cast<char>(order), static_cast<char>(fault)};
  const std::size_t count = order == Order::kill_task ? 2 : 1;
  ::send(to_client_.get(), bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void ClientHandle::read() {
  char bytes[65536];
  const auto count = ::read(from_client_.get(), bytes, sizeof bytes);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count > 0) {
    unread_.append(bytes, static_cast<std::size_t>(count));
    return take_lines();
  }
  watch_->want(false, false);  // the client holds the only other end: it has ended, or is about to
  process_->wait();
  ended_ = true;
  on_end_();
}

void ClientHandle::read_rest() {
  while (!ended_) read();
}

void ClientHandle::take_lines() {
  std::size_t begin = 0;
  for (std::size_t end; (end = unread_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = unread_.substr(begin, end - begin);
    if (const auto notice = notice_from(line)) told_(*notice);
  }
  unread_.erase(0, begin);
}

}  // namespace lockproof::real
