// SPDX-License-Identifier: Apache-2.0
#include "real/network/proxy_connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "real/clock/world_time.hpp"

namespace lockproof::real {
namespace {

void no_delay(int socket) {
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

}  // namespace

Proxy::Connection::Connection(Proxy& proxy, const Caller& from, harness::HostIndex server, int port_of_client,
                              Descriptor near, Descriptor far)
    : requests(from.host, server), replies(server, from.host), port(port_of_client), proxy_(proxy),
      own_framing_(proxy.framing_of(server).for_connection()),
      framing_(own_framing_ ? *own_framing_ : proxy.framing_of(server)), raw_(from.raw), near_(std::move(near)),
      far_(std::move(far)),
      watch_near_(*proxy.loop_, near_.get(), [this](EventLoop::Watch::Readiness) { read(near_, requests), advance(); }),
      watch_far_(*proxy.loop_, far_.get(), [this](EventLoop::Watch::Readiness) { read(far_, replies), advance(); }),
      timer_(*proxy.loop_, [this] { advance(); }) {
  no_delay(near_.get());
  no_delay(far_.get());
  want();
}

void Proxy::Connection::read(Descriptor& socket, ProxyLeg& leg) {
  if (dead || leg.ended) return;
  char bytes[16384];
  bool ended = false;
  for (;;) {
    const auto count = ::recv(socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count <= 0) {
      leg.ended = true;
      client_gone_ = client_gone_ || &leg == &requests;
      if (&leg == &replies) ended = true;
      break;
    }
    leg.unread.append(bytes, static_cast<std::size_t>(count));
  }
  split(leg);
  if (ended) say_ended();
}

/// Behind the last reply.
void Proxy::Connection::say_ended() {
  if (raw_ || std::exchange(said_ended_, true) || !proxy_.observer_.ended) return;
  proxy_.observer_.ended(requests.from, requests.to, port);
}

void Proxy::Connection::split(ProxyLeg& leg) {
  while (!leg.unread.empty()) {
    const Command* const first = unanswered_.empty() ? nullptr : &unanswered_.front();
    const std::size_t size = raw_               ? leg.unread.size()
                             : &leg == &replies ? framing_.reply_size(leg.unread, first)
                                                : framing_.size(leg.unread);
    if (size == 0) return;
    ProxyLeg::HeldMessage held{leg.unread.substr(0, size), ++leg.count, 0, Command({}), false, ++proxy_.arrivals_};
    leg.unread.erase(0, size);
    if (!raw_ && &leg == &requests) {
      held.command = framing_.request(held.bytes);
      unanswered_.push_back(held.command);
    } else if (!raw_ && (unanswered_.empty() || framing_.is_news(held.bytes))) {  // a message that was subscribed to
      held.number = 0;
      --leg.count;
    } else if (!raw_) {
      held.command = std::move(unanswered_.front());
      unanswered_.pop_front();
      if (proxy_.observer_.answered) proxy_.observer_.answered(message(held, true), held.bytes);
    }
    const std::int64_t by = leg.lateness(held.number) + (&leg == &replies ? proxy_.lag_of(leg) : 0);
    if (by > 0) held.not_before_ns = machine_ns() + by;
    leg.held.push_back(std::move(held));
  }
}

std::uint64_t Proxy::Connection::first_arrival() const {
  std::uint64_t first = UINT64_MAX;
  for (const ProxyLeg* leg : {&requests, &replies}) {
    if (!leg->held.empty()) first = std::min(first, leg->held.front().arrival);
  }
  return first;
}

Proxy::Message Proxy::Connection::message(const ProxyLeg::HeldMessage& held, bool reply) const {
  return {requests.from, requests.to, port, held.number, reply, held.command};
}

void Proxy::Connection::advance() {
  if (dead || advancing_) return;
  advancing_ = true;
  advance(requests, far_);
  if (!dead) advance(replies, near_);
  advancing_ = false;
  if (dead) return;
  const bool cut_off = proxy_.holds(replies.from, replies.to);
  if ((replies.drained() && !cut_off) || (replies.ended && client_gone_)) return cut();
  if (requests.drained() && !requests.shut && !requests.hides_its_end() && !proxy_.holds(requests.from, requests.to)) {
    requests.shut = true;
    ::shutdown(far_.get(), SHUT_WR);
  }
  want();
}

void Proxy::Connection::advance(ProxyLeg& leg, Descriptor& out) {
  const bool reply = &leg == &replies;
  while (!dead && !leg.held.empty()) {
    if (proxy_.holds(leg.from, leg.to)) break;
    ProxyLeg::HeldMessage& first = leg.held.front();
    if (first.not_before_ns > machine_ns()) {
      timer_.set(timer_.is_set() ? std::min(timer_.due(), first.not_before_ns) : first.not_before_ns);
      break;
    }
    const bool named = !raw_ && first.number != 0;
    const Observer& observer = proxy_.observer_;
    if (named && !reply && !first.announced && observer.may_happen && !observer.may_happen(message(first, reply)))
      break;
    if (!std::exchange(first.announced, true) && !raw_ && first.number != 0 && !leg.loses(first.number)) {
      announces_reply_ = reply;
      proxy_.observer_.passes(message(first, reply));
      announces_reply_ = false;
      continue;  // it may be held now, or late, or lost, or this connection may have ended
    }
    const bool lost = leg.loses(first.number);
    if (named && !lost && observer.may_leave && !observer.may_leave(message(first, reply))) break;
    if (lost) {
      if (!raw_) proxy_.observer_.dropped(message(first, reply));
    } else if (!reply || !client_gone_) {
      leg.leaving += first.bytes;
    }
    leg.held.pop_front();
  }
  if (!dead) write(leg, out);
}

void Proxy::Connection::write(ProxyLeg& leg, Descriptor& out) {
  while (!leg.leaving.empty()) {
    const auto count = ::send(out.get(), leg.leaving.data(), leg.leaving.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) {  // the receiver has closed the connection
      leg.leaving.clear();
      return;
    }
    leg.leaving.erase(0, static_cast<std::size_t>(count));
  }
}

void Proxy::Connection::want() {
  watch_near_.want(!requests.ended, !replies.leaving.empty());
  watch_far_.want(!replies.ended, !requests.leaving.empty());
}

void Proxy::Connection::end_at_client() {
  if (dead) return;
  ::shutdown(near_.get(), SHUT_RDWR);
  requests.ended = client_gone_ = true;
  requests.unread.clear();
  advance();
}

void Proxy::Connection::end_at_server() {
  if (dead) return;
  ::shutdown(far_.get(), SHUT_RDWR);
  say_ended();
  requests.held.clear();
  requests.leaving.clear();
  requests.unread.clear();
  if (announces_reply_) replies.held.pop_front();  // it had not left
  requests.ended = requests.shut = replies.ended = true;
  replies.unread.clear();
  advance();
}

void Proxy::Connection::cut() {
  if (std::exchange(dead, true)) return;
  say_ended();
  ::shutdown(near_.get(), SHUT_RDWR);
  ::shutdown(far_.get(), SHUT_RDWR);
  watch_near_.want(false, false);
  watch_far_.want(false, false);
  timer_.cancel();
  proxy_.sweeper_->set(machine_ns());  // deferred: a callback of this connection may be running
}

}  // namespace lockproof::real
