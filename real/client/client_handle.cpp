// SPDX-License-Identifier: Apache-2.0
#include "real/client/client_handle.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "real/errors.hpp"

namespace lockproof::real {

std::vector<std::unique_ptr<ClientHandle>> ClientHandle::start(std::vector<Member> members, Janitor& janitor,
                                                               const std::function<void()>& let_go, const Body& body) {
  std::vector<std::unique_ptr<ClientHandle>> handles;
  std::vector<ClientSetup> setups;
  std::vector<Descriptor> of_child;  // closed here when it has its own
  for (Member& member : members) {
    handles.push_back(std::unique_ptr<ClientHandle>(new ClientHandle(std::move(member.ledger))));
    Pipe lines = make_pipe();
    int answers[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, answers) != 0) {
      throw BadEnvironment(fmt::format("cannot open a socket: {}", std::strerror(errno)));
    }
    handles.back()->to_client_ = Descriptor(answers[0]);
    of_child.emplace_back(answers[1]);
    of_child.push_back(std::move(lines.write_end));
    setups.push_back(member.setup);
    setups.back().from_supervisor = answers[1];
    setups.back().to_supervisor = of_child.back().get();
    handles.back()->from_client_ = std::move(lines.read_end);
  }
  const std::shared_ptr<ChildProcess> process = janitor.fork([&] {
    let_go();
    return body(setups);
  });
  for (const auto& handle : handles) {
    handle->process_ = process;
    ::fcntl(handle->from_client_.get(), F_SETFL, O_NONBLOCK);
  }
  return handles;
}

void ClientHandle::attach(EventLoop& loop, std::function<void(const Notice&)> told, std::function<void()> ended) {
  told_ = std::move(told);
  on_end_ = std::move(ended);
  watch_ =
      std::make_unique<EventLoop::Watch>(loop, from_client_.get(), [this](EventLoop::Watch::Readiness) { read(); });
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
