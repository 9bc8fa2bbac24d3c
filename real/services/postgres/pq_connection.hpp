// SPDX-License-Identifier: Apache-2.0
// PqConnection: one connection of libpq, asynchronous, in pipeline mode. The only file besides its .cpp that knows
// libpq.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "algorithms/port/command.hpp"
#include "real/network/endpoint.hpp"

struct pg_conn;

namespace lockproof::real {

struct FinishPq {
  void operator()(pg_conn* connection) const;
};
using PqConnection = std::unique_ptr<pg_conn, FinishPq>;

/// Begins to connect, as the user `postgres` to the database of that name, of a server of our own. Nothing in the
/// environment or in a person's files changes that.
[[nodiscard]] PqConnection begin_to_connect(const Endpoint& endpoint);
/// -1: there is none.
[[nodiscard]] int socket_of(const PqConnection& connection);

enum class ConnectProgress : std::uint8_t { reads, writes, done, failed };
/// To be called when the socket is ready for what it said last; at first it writes.
[[nodiscard]] ConnectProgress poll_connecting(PqConnection& connection);

/// Queues a statement, or a text of several without parameters. False: the connection is lost.
[[nodiscard]] bool send_statement(PqConnection& connection, const Command& command);
/// Sends what is queued. True: some of it has to wait until the socket can be written to.
[[nodiscard]] bool flush_statements(PqConnection& connection);
/// Reads what has come. False: the connection is lost.
[[nodiscard]] bool read_answers(PqConnection& connection);
/// The next whole reply that has come; see algorithms/postgres/requests.hpp. `begun`: what has come of it so far.
[[nodiscard]] std::optional<Reply> next_reply(PqConnection& connection, std::optional<Reply>& begun);
/// Whether its session is in a transaction. REQUIRES: no reply is awaited.
[[nodiscard]] bool is_in_transaction(const PqConnection& connection);
/// Ends the connection without a word, as a process does that dies.
void hang_up(PqConnection& connection);

}  // namespace lockproof::real
