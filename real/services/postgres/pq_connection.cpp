// SPDX-License-Identifier: Apache-2.0
#include "real/services/postgres/pq_connection.hpp"

#include <libpq-fe.h>
#include <sys/socket.h>

#include <string>
#include <utility>
#include <vector>

#include "real/services/postgres/password.hpp"

namespace lockproof::real {
namespace {

using ServerResult = std::unique_ptr<PGresult, decltype(&PQclear)>;

/// The last statement's parameters begin behind SQL, its text, and how many there are.
constexpr std::size_t first_parameter = 3;

std::string tag_word(const PGresult* result) {
  const std::string tag = PQcmdStatus(const_cast<PGresult*>(result));
  return tag.substr(0, tag.find(' '));
}

Reply reply_of(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY) return Reply::status(tag_word(result));
  if (status != PGRES_TUPLES_OK) {
    const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return Reply::error(state ? state : "");
  }
  if (PQntuples(result) == 0) return Reply::nil();
  std::vector<Reply> values;
  for (int i = 0; i < PQnfields(result); ++i) {
    const bool null = PQgetisnull(result, 0, i) != 0;
    values.push_back(null ? Reply::nil() : Reply::bulk(Value(std::string(PQgetvalue(result, 0, i)))));
  }
  return Reply::array(std::move(values));
}

void say_nothing(void*, const PGresult*) {}

}  // namespace

void FinishPq::operator()(pg_conn* connection) const { PQfinish(connection); }

PqConnection begin_to_connect(const Endpoint& endpoint) {
  const std::string port = std::to_string(endpoint.port);
  const char* const names[] = {"hostaddr",        "port",    "user",     "dbname",   "sslmode", "gssencmode",
                               "client_encoding", "options", "passfile", "password", nullptr};
  const char* const values[] = {endpoint.address.c_str(),
                                port.c_str(),
                                "postgres",
                                "postgres",
                                "disable",
                                "disable",
                                "UTF8",
                                "-c client_min_messages=error",
                                "/dev/null/none",
                                postgres_password().c_str(),
                                nullptr};
  PqConnection connection(PQconnectStartParams(names, values, 0));
  if (!connection || PQstatus(connection.get()) == CONNECTION_BAD) return nullptr;
  PQsetNoticeReceiver(connection.get(), &say_nothing, nullptr);
  return connection;
}

int socket_of(const PqConnection& connection) { return connection ? PQsocket(connection.get()) : -1; }

ConnectProgress poll_connecting(PqConnection& connection) {
  switch (PQconnectPoll(connection.get())) {
    case PGRES_POLLING_READING: return ConnectProgress::reads;
    case PGRES_POLLING_WRITING: return ConnectProgress::writes;
    case PGRES_POLLING_OK: break;
    default: return ConnectProgress::failed;
  }
  const bool ready = PQsetnonblocking(connection.get(), 1) == 0 && PQenterPipelineMode(connection.get()) == 1;
  return ready ? ConnectProgress::done : ConnectProgress::failed;
}

bool send_statement(PqConnection& connection, const Command& command) {
  const auto& words = command.args();
  std::vector<const char*> parameters;
  for (std::size_t i = first_parameter; i < words.size(); ++i) parameters.push_back(words[i].bytes().c_str());
  const char* const text = words.size() > 1 ? words[1].bytes().c_str() : "";
  return PQsendQueryParams(connection.get(), text, static_cast<int>(parameters.size()), nullptr, parameters.data(),
                           nullptr, nullptr, 0) == 1 &&
         PQpipelineSync(connection.get()) == 1;
}

bool flush_statements(PqConnection& connection) { return PQflush(connection.get()) == 1; }

bool read_answers(PqConnection& connection) { return PQconsumeInput(connection.get()) == 1; }

/// A statement's results end with a null pointer, and then its Sync is answered.
std::optional<Reply> next_reply(PqConnection& connection, std::optional<Reply>& begun) {
  bool at_end = false;
  while (PQisBusy(connection.get()) == 0) {
    const ServerResult result(PQgetResult(connection.get()), &PQclear);
    if (!result && std::exchange(at_end, true)) return std::nullopt;
    if (!result) continue;
    at_end = false;
    if (PQresultStatus(result.get()) == PGRES_PIPELINE_SYNC) return std::exchange(begun, std::nullopt);
    if (PQstatus(connection.get()) == CONNECTION_BAD) return std::nullopt;
    if (!begun) begun = reply_of(result.get());
  }
  return std::nullopt;
}

void hang_up(PqConnection& connection) {
  if (connection && PQsocket(connection.get()) >= 0) ::shutdown(PQsocket(connection.get()), SHUT_RDWR);
}

bool is_in_transaction(const PqConnection& connection) { return PQtransactionStatus(connection.get()) != PQTRANS_IDLE; }

}  // namespace lockproof::real
