// SPDX-License-Identifier: Apache-2.0
#include "real/services/zookeeper/ensemble_network.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "real/clock/world_time.hpp"
#include "real/errors.hpp"
#include "real/network/event_loop.hpp"
#include "real/network/proxy.hpp"
#include "real/services/server_program.hpp"
#include "real/services/zookeeper/wire.hpp"

namespace lockproof::real {
namespace {

using Traffic = EnsembleNetwork::Traffic;

constexpr std::int64_t look_every_ns = 5'000'000;

struct Order {
  int from, to;
  Traffic traffic;
  bool on;
};

/// A host's place among those of the proxy, to which a server is one host for each kind of traffic.
harness::HostIndex place(int server, Traffic traffic, int servers) {
  return static_cast<harness::HostIndex>(server + static_cast<int>(traffic) * servers);
}

/// A server's number, as it sends it to another one with a higher number and no address of its own: that one calls back
/// where its configuration says.
std::string number_alone(int server) {
  std::string bytes(8, '\0');
  bytes.back() = static_cast<char>(server + 1);
  return bytes;
}

struct Ends {
  Descriptor ours, others;
};

Ends socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw BadEnvironment(fmt::format("cannot open a socket: {}", std::strerror(errno)));
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Asks the server at this port to call back. What the caller says itself, its address among it, is read by nobody: the
/// callback would not pass the proxy.
Proxy::Dial to_be_called_back(int port, int caller) {
  return [port, caller, unread = std::make_shared<std::vector<Descriptor>>()](int) {
    const Descriptor there = dial_port(port);
    if (!there.open()) return Descriptor();
    const std::string bytes = number_alone(caller);
    ::send(there.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    Ends ends = socket_pair();
    unread->push_back(std::move(ends.others));
    return std::move(ends.ours);
  };
}

Proxy::Dial to(int port) {
  return [port](int) { return dial_port(port); };
}

void tell_done(int orders) {
  const char done = '.';
  ::send(orders, &done, sizeof done, MSG_NOSIGNAL);
}

void obey(Proxy& proxy, int orders, int servers) {
  Order order{};
  if (::recv(orders, &order, sizeof order, MSG_WAITALL) != sizeof order) ::_exit(0);
  proxy.hold(place(order.from, order.traffic, servers), place(order.to, order.traffic, servers), order.on);
  tell_done(orders);
}

/// The ports of this machine at which somebody listens, by the kernel's table of sockets, in which these come first:
/// who called there would be a caller that a server has to deal with.
std::set<int> listening() {
  constexpr const char* listens = "0A";
  std::ifstream table("/proc/net/tcp");
  std::set<int> ports;
  std::string rest, slot, local, remote, state;
  std::getline(table, rest);  // the columns' names
  while (table >> slot >> local >> remote >> state && state == listens) {
    if (const auto colon = local.find(':'); colon != std::string::npos) {
      ports.insert(std::stoi(local.substr(colon + 1), nullptr, 16));
    }
    std::getline(table, rest);
  }
  return ports;
}

/// A server that does not listen yet, or no more, refuses connections: who has been accepted and left waits in vain.
class Doors : public PinnedObject {
 public:
  Doors(EventLoop& loop, Proxy& proxy, const std::vector<EnsembleNetwork::Ports>& ports)
      : proxy_(proxy), ports_(ports), timer_(loop, [this] { look(); }) {
    look();
  }

 private:
  void look() {
    const std::set<int> open = listening();
    const auto servers = static_cast<int>(ports_.size());
    for (int i = 0; i < servers; ++i) {
      const auto& [quorum, elections] = ports_[static_cast<std::size_t>(i)];
      admit(place(i, Traffic::quorum, servers), open.contains(quorum));
      admit(place(i, Traffic::elections, servers), open.contains(elections));
    }
    timer_.set(machine_ns() + look_every_ns);
  }
  void admit(harness::HostIndex server, bool on) {
    const auto [known, is_new] = admits_.try_emplace(server, on);
    if (is_new || std::exchange(known->second, on) != on) proxy_.admit(server, on);
  }

  Proxy& proxy_;
  const std::vector<EnsembleNetwork::Ports>& ports_;
  std::map<harness::HostIndex, bool> admits_;
  EventLoop::Timer timer_;
};

/// Says when nobody can connect any more to a server that does not listen. Whoever orders something next hears that
/// this has ended.
int serve(Proxy& proxy, int orders, const std::vector<EnsembleNetwork::Ports>& ports) {
  const auto servers = static_cast<int>(ports.size());
  try {
    EventLoop loop;
    proxy.attach(loop, {});
    const Doors doors(loop, proxy, ports);
    tell_done(orders);
    EventLoop::Watch watch(loop, orders, [&](EventLoop::Watch::Readiness) { obey(proxy, orders, servers); });
    watch.want(true, false);
    for (;;) loop.turn();
  } catch (const std::exception&) {
    return 70;
  }
}

}  // namespace

EnsembleNetwork::EnsembleNetwork(int servers, Janitor& janitor) {
  const ZooKeeperFraming framing;  // of nothing that passes here: these are bytes
  Proxy proxy(framing);
  for (int i = 0; i < servers; ++i) own_.push_back({free_port(), free_port()});
  found_.resize(static_cast<std::size_t>(servers), own_);
  for (int i = 0; i < servers; ++i) {
    for (int j = 0; j < servers; ++j) {
      if (i == j) continue;
      const auto listen = [&](Traffic traffic, Proxy::Dial dial) {
        return proxy.listen(place(i, traffic, servers), place(j, traffic, servers), std::move(dial), true);
      };
      const Ports& there = own_[static_cast<std::size_t>(j)];
      found_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = {
          listen(Traffic::quorum, to(there.quorum)),
          listen(Traffic::elections, i < j ? to_be_called_back(there.elections, i) : to(there.elections))};
    }
  }

  Ends orders = socket_pair();
  orders_ = std::move(orders.ours);
  process_ = janitor.fork([&] { return serve(proxy, orders.others.get(), own_); });
  orders.others.close();
  await_done();
}

std::string EnsembleNetwork::configuration_of(int server) const {
  std::string lines;
  for (int other = 0; other < static_cast<int>(servers()); ++other) {
    const auto j = static_cast<std::size_t>(other);
    const Ports& ports = other == server ? own_[j] : found_[static_cast<std::size_t>(server)][j];
    lines += fmt::format("server.{}=127.0.0.1:{}:{}\n", other + 1, ports.quorum, ports.elections);
  }
  return lines;
}

void EnsembleNetwork::must_be_there() {
  if (!process_->alive()) throw BadEnvironment("the process between the servers of the ensemble has ended");
}

void EnsembleNetwork::hold(int from, int to, Traffic traffic, bool on) {
  const Order order{from, to, traffic, on};
  ::send(orders_.get(), &order, sizeof order, MSG_NOSIGNAL);
  await_done();
}

void EnsembleNetwork::await_done() {
  char done = 0;
  if (::recv(orders_.get(), &done, sizeof done, 0) == sizeof done) return;
  throw BadEnvironment("the process between the servers of the ensemble does not obey");
}

}  // namespace lockproof::real
