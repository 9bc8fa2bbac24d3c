// SPDX-License-Identifier: Apache-2.0
#include "search/zones/place.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace lockproof::zones {
namespace {

/// One visitor for both ways, so that what is written is what is read.
template <class Archive>
void visit(Archive& archive, ClientPlace& client) {
  archive.number(client.state);
  archive.rows(client.names);
  archive.number(client.message);
  archive.number(client.of_resource);
  if (client.message != ClientPlace::Message::none) {
    archive.number(client.payload);
    archive.row(client.arrives);
  }
  archive.number(client.is_held);
  archive.number(client.is_overdue);
  archive.number(client.is_paused);
  if (client.is_paused) archive.row(client.wakes);
}

template <class Archive>
void visit(Archive& archive, Place& place) {
  archive.count(place.clients);
  for (ClientPlace& client : place.clients) visit(archive, client);
  archive.number(place.server);
  archive.rows(place.leases);
  archive.number(place.resource);
  archive.count(place.monitors);
  for (Id& monitor : place.monitors) archive.number(monitor);
  archive.count(place.struck);
  for (int& times : place.struck) archive.number(times);
  archive.rows(place.kept);
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
  template <class Item>
  void count(std::vector<Item>& items) {
    number(items.size());
  }
  void rows(std::vector<Row>& rows) {
    count(rows);
    for (Row& one : rows) row(one);
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

 private:
  const char* at_;
};

}  // namespace

int Place::faults() const { return std::accumulate(struck.begin(), struck.end(), 0); }

bool Place::is_urgent() const {
  return std::ranges::any_of(clients, [](const ClientPlace& client) { return client.is_overdue && !client.is_paused; });
}

std::string Place::make_canonical() {
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
