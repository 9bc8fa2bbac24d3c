// SPDX-License-Identifier: Apache-2.0
#include "search/zones/place.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

namespace lockproof::zones {
namespace {

/// One visitor for both ways, so that what is written is what is read.
template <class Archive>
void visit(Archive& archive, Message& message) {
  archive.number(message.kind);
  archive.number(message.connection);
  archive.flags(message.of_resource, message.is_awaited, message.loses_answer, message.is_announced);
  archive.number(message.waits);
  archive.number(message.number);
  archive.number(message.late_answer);
  archive.number(message.payload);
  archive.row(message.arrives);
  archive.number(message.origin);
}

template <class Archive>
void visit(Archive& archive, OpenEnd& end) {
  archive.flags(end.loses_requests, end.loses_replies, end.is_reset);
}

template <class Archive>
void visit(Archive& archive, ClientPlace& client) {
  archive.number(client.state);
  archive.rows(client.names);
  archive.count(client.messages);
  for (Message& message : client.messages) visit(archive, message);
  visit(archive, client.server);
  visit(archive, client.resource);
  archive.flags(client.has_sent, client.is_gone, client.is_held, client.is_overdue, client.is_paused, client.has_lost,
                client.was_inside, client.is_early);
  archive.row(client.wakes);
  archive.row(client.stopped);
  archive.number(client.suspension);
  archive.row(client.sent);
  archive.row(client.resends);
  archive.number(client.resend);
  archive.number(client.retry);
  archive.numbers(client.laid);
}

template <class Archive>
void visit(Archive& archive, Place& place) {
  archive.count(place.clients);
  for (ClientPlace& client : place.clients) visit(archive, client);
  archive.number(place.server);
  archive.rows(place.leases);
  archive.number(place.resource);
  archive.numbers(place.monitors);
  archive.count(place.timed_monitors);
  for (TimedMonitor& monitor : place.timed_monitors) {
    archive.number(monitor.state);
    archive.rows(monitor.names);
  }
  archive.flags(place.server_is_paused, place.server_is_down);
  archive.row(place.server_wakes);
  archive.row(place.server_stood);
  archive.row(place.server_is_up);
  archive.count(place.cuts);
  for (Cut& cut : place.cuts) {
    archive.number(cut.lines);
    archive.row(cut.until);
    archive.number(cut.end);
  }
  archive.numbers(place.struck);
  archive.rows(place.to_strike);
  archive.count(place.triggers);
  for (std::vector<int>& seen : place.triggers) archive.numbers(seen);
  archive.numbers(place.rates);
  archive.rows(place.kept);
}

/// Connections that are closed get numbers in the order of their messages, and messages the order of their lines, so
/// that equal places are equal bytes.
void put_in_order(ClientPlace& client) {
  if (client.messages.size() < 2 && (client.messages.empty() || client.messages.front().connection == 0)) return;
  std::uint8_t last = 0;
  std::array<std::array<std::uint8_t, 256>, 2> numbers{};
  for (Message& message : client.messages) {
    std::uint8_t& number = numbers[message.of_resource][message.connection];
    if (message.connection != 0 && number == 0) number = ++last;
    message.connection = number;
  }
  std::ranges::stable_sort(client.messages, {}, [](const Message& message) {
    return std::tuple(message.of_resource, message.connection, !message.is_request());
  });
}

class Writer {
 public:
  explicit Writer(std::size_t rows) : numbers_(rows, forgotten), order_{now_row} { numbers_[now_row] = now_row; }

  template <class Number>
  void number(Number n) {
    const auto value = static_cast<std::uint32_t>(n);
    for (std::uint32_t left = value;; left >>= 7) {
      if (left < 0x80) return bytes_.push_back(static_cast<char>(left));
      bytes_.push_back(static_cast<char>((left & 0x7f) | 0x80));
    }
  }
  void row(Row& row) {
    if (row == forgotten) return number(0);
    if (numbers_[row] == forgotten) {
      numbers_[row] = static_cast<Row>(order_.size());
      order_.push_back(row);
    }
    row = numbers_[row];
    number(row + 1);
  }
  template <class... Flags>
  void flags(Flags&... all) {
    std::uint32_t bits = 0, bit = 1;
    ((bits |= all ? bit : 0, bit <<= 1), ...);
    number(bits);
  }
  template <class Item>
  void count(std::vector<Item>& items) {
    number(items.size());
  }
  void rows(std::vector<Row>& rows) {
    count(rows);
    for (Row& one : rows) row(one);
  }
  template <class Number>
  void numbers(std::vector<Number>& numbers) {
    count(numbers);
    for (Number& one : numbers) number(one);
  }
  [[nodiscard]] const std::vector<Row>& order() const { return order_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::vector<Row> numbers_;  // the new number of each row
  std::vector<Row> order_;    // the rows that were mentioned
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : at_(bytes.data()) {}

  template <class Number>
  void number(Number& n) {
    std::uint32_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      value |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    n = static_cast<Number>(value);
  }
  void row(Row& row) {
    number(row);
    row = row == 0 ? forgotten : row - 1;
  }
  template <class... Flags>
  void flags(Flags&... all) {
    std::uint32_t bits = 0, bit = 1;
    number(bits);
    ((all = (bits & bit) != 0, bit <<= 1), ...);
  }
  template <class Item>
  void count(std::vector<Item>& items) {
    std::size_t n = 0;
    number(n);
    items.resize(n);
  }
  void rows(std::vector<Row>& rows) {
    count(rows);
    for (Row& one : rows) row(one);
  }
  template <class Number>
  void numbers(std::vector<Number>& numbers) {
    count(numbers);
    for (Number& one : numbers) number(one);
  }

 private:
  const char* at_;
};

}  // namespace

int Place::faults() const { return std::accumulate(struck.begin(), struck.end(), 0); }

bool Place::is_urgent() const {
  const bool serves = !server_is_paused && !server_is_down;
  if (serves && (server_stood != forgotten || first_waiting())) return true;
  return std::ranges::any_of(clients, [](const ClientPlace& client) { return client.is_overdue && !client.is_paused; });
}

bool Place::is_cut(std::size_t client, const Message& message) const {
  const std::uint32_t line = line_bit(client, message.of_resource, message.is_request());
  return std::ranges::any_of(cuts, [&](const Cut& cut) { return (cut.lines & line) != 0; });
}

bool Place::is_next(const ClientPlace& client, std::size_t message) {
  return std::none_of(
      client.messages.begin(), client.messages.begin() + static_cast<std::ptrdiff_t>(message),
      [&](const Message& before) { return before.waits == 0 && before.is_of_line(client.messages[message]); });
}

std::optional<std::pair<std::size_t, std::size_t>> Place::first_waiting() const {
  std::optional<std::pair<std::size_t, std::size_t>> first;
  std::uint8_t least = UINT8_MAX;
  for (std::size_t client = 0; client < clients.size(); ++client) {
    for (std::size_t i = 0; i < clients[client].messages.size(); ++i) {
      const Message& message = clients[client].messages[i];
      if (!message.is_request() || message.waits == 0 || message.waits >= least) continue;
      least = message.waits;
      first = {client, i};
    }
  }
  return first;
}

bool Place::waits_before(std::size_t client, const Message& message) const {
  return std::ranges::any_of(clients[client].messages,
                             [&](const Message& one) { return one.waits != 0 && one.is_of_line(message); });
}

void Place::put_behind(std::size_t client, std::size_t index, bool is_one_queue) {
  Message& message = clients[client].messages[index];
  std::uint8_t last = 0, last_of_it = 0;
  for (std::size_t of = 0; of < clients.size(); ++of) {
    for (const Message& one : clients[of].messages) {
      if (!one.is_request() || one.waits == 0) continue;
      last = std::max(last, one.waits);
      if (of == client && one.connection == message.connection) last_of_it = std::max(last_of_it, one.waits);
    }
  }
  const bool is_behind_its_own = last_of_it != 0 || !is_one_queue;
  const auto place = static_cast<std::uint8_t>((is_behind_its_own ? last_of_it : last) + 1);
  for (ClientPlace& of : clients) {
    for (Message& one : of.messages) {
      if (is_one_queue && one.is_request() && one.waits >= place) ++one.waits;
    }
  }
  message.waits = place;
  message.arrives = forgotten;
}

void Place::put_first(std::size_t client, Message message, bool is_one_queue) {
  for (std::size_t of = 0; of < clients.size(); ++of) {
    for (Message& one : clients[of].messages) {
      const bool is_behind = is_one_queue || (of == client && one.connection == message.connection);
      if (is_behind && one.is_request() && one.waits != 0) ++one.waits;
    }
  }
  message.waits = 1;
  message.arrives = forgotten;
  clients[client].messages.insert(clients[client].messages.begin(), message);
}

std::string Place::make_canonical() {
  for (ClientPlace& client : clients) put_in_order(client);
  Writer writer(zone.size());
  visit(writer, *this);
  zone = zone.projected(writer.order());
  return writer.take();
}

Place Place::read(const std::string& bytes, const Zone& zone) {
  Place place;
  Reader reader(bytes);
  visit(reader, place);
  place.zone = zone;
  return place;
}

}  // namespace lockproof::zones
