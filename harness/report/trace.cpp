// SPDX-License-Identifier: Apache-2.0
#include "harness/report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "harness/check/promise.hpp"
#include "harness/report/text/columns.hpp"
#include "harness/report/text/told_events.hpp"

namespace lockproof::harness {
namespace {

constexpr std::size_t between = 2;  // columns

/// "client-1, 2": what the first name ends with, and the others, of which only that differs.
std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const std::size_t stem = name.rfind('-') + 1;
    const bool alike = !text.empty() && names.front().compare(0, stem, name, 0, stem) == 0;
    text += (text.empty() ? "" : ", ") + name.substr(alike ? stem : 0);
  }
  return text;
}

/// One event as the table has it.
struct TableRow {
  std::string time, host, said, effects, inside;
  bool alarming = false, faint = false, crowded = false;
};

/// Columns as wide as what is in them; the events take what the width leaves.
class Table {
 public:
  Table(std::vector<TableRow> rows, const Style& style) : rows_(std::move(rows)), style_(style) {
    std::size_t widest = 0;
    for (const TableRow& row : rows_) {
      time_ = std::max(time_, row.time.size());
      host_ = std::max(host_, columns_of(row.host));
      inside_ = std::max(inside_, columns_of(row.inside));
      widest = std::max(widest, columns_of(whole(row)));
    }
    inside_ = std::min(inside_, style_.columns() / 4);
    if (inside_ > 0) inside_ = std::max(inside_, std::string_view("inside").size());
    event_ = std::min(widest, style_.columns() - begin() - (inside_ > 0 ? inside_ + between : 0));
  }

  [[nodiscard]] std::string text() const {
    const std::string heading =
        fmt::format("{:>{}}  {:<{}}  {:<{}}{}", "time (s)", time_, "host", host_, inside_ > 0 ? "event" : "",
                    inside_ > 0 ? event_ + between : 0, inside_ > 0 ? "inside" : "event");
    std::string all = style_.strong(heading) + "\n";
    for (const TableRow& row : rows_) all += lines(row);
    return all;
  }

 private:
  static constexpr std::size_t deeper = 2;

  [[nodiscard]] std::size_t begin() const { return time_ + host_ + 2 * between; }
  static std::string whole(const TableRow& row) {
    return row.effects.empty() ? row.said : row.said + "   " + row.effects;
  }

  /// What an event says, in lines of this width; what comes of it stands apart where it does not fit beside it.
  static std::vector<std::string> said(const TableRow& row, std::size_t columns) {
    std::string text = wrapped(whole(row), columns, deeper, LongWords::are_cut);
    if (!row.effects.empty() && columns_of(whole(row)) > columns) {
      text = wrapped(row.said, columns, deeper, LongWords::are_cut) + "\n" +
             wrapped(std::string(deeper, ' ') + row.effects, columns, deeper, LongWords::are_cut);
    }
    std::vector<std::string> lines{""};
    for (const char c : text) c == '\n' ? void(lines.emplace_back()) : lines.back().push_back(c);
    return lines;
  }

  [[nodiscard]] std::string lines(const TableRow& row) const {
    const std::size_t free = row.inside.empty() ? style_.columns() - begin() : event_;
    std::string all;
    for (const std::string& line : said(row, free)) {
      const bool first = all.empty();
      all += fmt::format("{:>{}}  {:<{}}  ", first ? row.time : "", time_, first ? row.host : "", host_);
      all += row.alarming ? style_.bad(line) : row.faint ? style_.faint(line) : line;
      if (first && !row.inside.empty()) {
        const std::string who = shortened(row.inside, inside_);
        all += std::string(event_ + between - columns_of(line), ' ') + (row.crowded ? style_.bad(who) : who);
      }
      all.erase(all.find_last_not_of(' ') + 1);
      all += "\n";
    }
    return all;
  }

  const std::vector<TableRow> rows_;
  const Style& style_;
  std::size_t time_ = std::string_view("time (s)").size(), host_ = std::string_view("host").size();
  std::size_t inside_ = 0, event_ = 0;
};

/// Who is inside, by lock; an empty name is the scenario's.
using Insiders = std::map<std::string, std::map<HostIndex, Mode>>;

/// "client-1, 2; b: client-2".
std::string insiders_text(const History& history, const Insiders& inside) {
  std::string text;
  for (const auto& [lock, clients] : inside) {
    if (clients.empty()) continue;
    std::vector<std::string> names;
    for (const auto& [client, mode] : clients) names.push_back(history.host_name(client));
    text += (text.empty() ? "" : "; ") + (lock.empty() ? "" : lock + ": ") + names_text(names);
  }
  return text;
}

bool has_room(const History& history, const Insiders& inside) {
  return std::ranges::all_of(inside, [&](const auto& of_lock) {
    check::Crowd crowd;
    for (const auto& [client, mode] : of_lock.second) crowd.add(mode);
    return crowd.fits(history.header.permits);
  });
}

TableRow row_of(const History& history, const ToldEvent& told, const Insiders& inside) {
  const Event& event = history.events[told.position];
  const bool is_crowded = !has_room(history, inside);
  const bool enters_too_many = event.what == What::enter && is_crowded;
  return {.time = fmt::format("{}.{:06}", event.at.count() / 1'000'000, event.at.count() % 1'000'000),
          .host = event.host == no_host ? "" : history.host_name(event.host),
          .said = told.text,
          .effects = told.effects,
          .inside = insiders_text(history, inside),
          .alarming = !told.folds && (event.what == What::strike || enters_too_many),
          .faint = told.folds,
          .crowded = is_crowded};
}

}  // namespace

std::string trace(const History& history, const Style& style) {
  std::vector<TableRow> rows;
  Insiders inside;
  std::size_t next = 0;  // event that `inside` does not know yet
  for (const ToldEvent& told : told_events(history, std::min(style.columns() * 3 / 4, longest_value))) {
    for (; next <= told.position; ++next) {
      const Event& event = history.events[next];
      if (event.what == What::enter) inside[event.lock][event.host] = mode_of(event);
      for (auto& [lock, clients] : inside) {
        const bool concerns = event.what == What::strike || event.lock == lock;
        if (ends_work(event) && concerns) clients.erase(event.host);
      }
    }
    rows.push_back(row_of(history, told, inside));
  }
  return Table(std::move(rows), style).text();
}

}  // namespace lockproof::harness
