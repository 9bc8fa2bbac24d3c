// SPDX-License-Identifier: Apache-2.0
#include "real/services/postgres/pq_store.hpp"

#include <deque>
#include <string>
#include <utility>

#include "real/client/remote_store_parts.hpp"
#include "real/network/proxy.hpp"
#include "real/services/postgres/pq_connection.hpp"

namespace lockproof::real {

struct PqStore::Link {
  explicit Link(PqConnection to) : connection(std::move(to)) {}
  PqConnection connection;
  std::unique_ptr<EventLoop::Watch> watch;
  bool established = false;
  std::deque<std::unique_ptr<Operation>> operations;  // in the order of their replies
  std::optional<Reply> begun{};                       // what has come of the first reply
  std::size_t unsent = 0;                             // of these, the last so many wait for the connection
};

PqStore::PqStore(EventLoop& loop, Route route, CallTimeouts timeouts, Witness& witness)
    : RemoteStore(loop, std::move(route), timeouts, witness) {}

PqStore::~PqStore() {
  close();
  for (const auto& idle : idle_) hang_up(idle->connection);
}

bool PqStore::established() const { return link_ && link_->established; }

int PqStore::connect() {
  if (!sees_) ended_.reset();
  PqConnection connection = begin_to_connect(route().endpoint);
  if (socket_of(connection) < 0) return 0;
  link_ = std::make_unique<Link>(std::move(connection));
  link_->watch = std::make_unique<EventLoop::Watch>(loop_, socket_of(link_->connection),
                                                    [this](EventLoop::Watch::Readiness) { see(); });
  link_->watch->want(false, true);
  return own_port(socket_of(link_->connection));
}

bool PqStore::put(std::unique_ptr<Operation> operation) {
  link_->operations.push_back(std::move(operation));
  if (!link_->established) {
    ++link_->unsent;
    return true;
  }
  if (!send_statement(link_->connection, link_->operations.back()->command)) lost();
  if (link_) flush();
  return true;
}

void PqStore::see() {
  if (!link_) return;
  sees_ = true;
  if (link_->established) {
    read();
  } else {
    go_on_connecting();
  }
  if (link_ && link_->established) flush();
  sees_ = false;
}

void PqStore::go_on_connecting() {
  const ConnectProgress now = poll_connecting(link_->connection);
  if (now == ConnectProgress::failed) return lost();
  if (now != ConnectProgress::done) {
    return link_->watch->want(now == ConnectProgress::reads, now == ConnectProgress::writes);
  }
  link_->established = true;
  const std::size_t first = link_->operations.size() - std::exchange(link_->unsent, 0);
  for (std::size_t i = first; i < link_->operations.size(); ++i) {
    if (!send_statement(link_->connection, link_->operations[i]->command)) return lost();
  }
}

void PqStore::flush() {
  const Link* const seen = link_.get();
  const bool more = flush_statements(link_->connection);
  if (link_.get() == seen) link_->watch->want(true, more);
}

/// What was answered before the connection ended counts.
void PqStore::read() {
  const Link* const seen = link_.get();
  const bool alive = read_answers(link_->connection);
  while (link_.get() == seen) {
    std::optional<Reply> reply = next_reply(link_->connection, link_->begun);
    if (!reply) break;
    if (link_->operations.empty()) continue;
    std::unique_ptr<Operation> operation = std::move(link_->operations.front());
    link_->operations.pop_front();
    answered(std::move(operation), *std::move(reply));
  }
  if (link_.get() == seen && !alive) lost();
}

/// The connection has ended without our closing it, or was never established.
void PqStore::lost() {
  const bool was_established = link_->established;
  let_go();
  if (was_established) witness_.broken(route().server);
}

void PqStore::close() {
  let_go();
  if (!sees_) ended_.reset();
}

void PqStore::let_go() {
  if (!link_) return;
  ended_ = std::move(link_);
  ended_->watch.reset();
  hang_up(ended_->connection);
  const bool left = ended_->established;
  for (auto operations = std::exchange(ended_->operations, {}); auto& operation : operations) {
    unanswered(std::move(operation), left);
  }
}

/// A pooler gives a connection back between two transactions.
bool PqStore::set_aside() {
  if (!link_ || !link_->established || !link_->operations.empty()) return false;
  if (is_in_transaction(link_->connection)) return false;
  link_->watch->want(false, false);
  idle_.push_back(std::move(link_));
  return true;
}

}  // namespace lockproof::real
