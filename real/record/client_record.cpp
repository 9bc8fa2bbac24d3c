// SPDX-License-Identifier: Apache-2.0
#include "real/record/client_record.hpp"

#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace lockproof::real {
namespace {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  explicit Writer(std::string& bytes) : bytes_(bytes) { bytes_.clear(); }

  void put(Plain auto value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  template <class Rep, class Period>
  void put(const std::chrono::duration<Rep, Period>& time) {
    put(time.count());
  }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  void put(const Value& value) {
    put(value.mark());
    put(value.bytes());
  }
  void put(const Command& command) {
    put(command.script());
    put(command.args());
  }
  void put(const Reply& reply) {
    put(reply.kind());
    put(reply.integer());
    put(reply.value());
    put(reply.items());
  }
  void put(const harness::Readings& clocks) { put_all(clocks.wall_ms, clocks.mono_us, clocks.boot_us); }
  void put(const harness::Effect& effect) { put_all(effect.change, effect.event, effect.key, effect.ttl); }
  void put(const harness::TimeLeft& left) { put_all(left.time, left.clock); }
  template <class T>
  void put(const std::vector<T>& items) {
    put(items.size());
    for (const T& item : items) put(item);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  void put_all(const auto&... values) { (put(values), ...); }

 private:
  std::string& bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  void take(Plain auto& value) {
    const std::string_view raw = take_bytes(sizeof value);
    std::memcpy(&value, raw.data(), sizeof value);
  }
  template <class Rep, class Period>
  void take(std::chrono::duration<Rep, Period>& time) {
    time = std::chrono::duration<Rep, Period>(taken<Rep>());
  }
  void take(std::string& text) { text = take_bytes(taken<std::size_t>()); }
  void take(harness::Readings& clocks) { take_all(clocks.wall_ms, clocks.mono_us, clocks.boot_us); }
  void take(harness::Effect& effect) { take_all(effect.change, effect.event, effect.key, effect.ttl); }
  void take(harness::TimeLeft& left) { take_all(left.time, left.clock); }
  template <class T>
  void take(std::vector<T>& items) {
    for (auto left = taken<std::size_t>(); left > 0; --left) items.push_back(taken<T>());
  }
  template <class T>
  void take(std::optional<T>& value) {
    if (taken<bool>()) value = taken<T>();
  }
  void take_all(auto&... values) { (take(values), ...); }

  template <class T>
  T taken() {
    if constexpr (std::is_same_v<T, Value>) {
      const auto mark = taken<Value::Mark>();
      return Value(taken<std::string>(), mark);
    } else if constexpr (std::is_same_v<T, Command>) {
      const auto script = taken<std::string>();
      auto words = taken<std::vector<Value>>();
      return script.empty() ? Command(std::move(words)) : Command(Script{script, {}}, std::move(words));
    } else if constexpr (std::is_same_v<T, Reply>) {
      return reply();
    } else {
      T value{};
      take(value);
      return value;
    }
  }
  [[nodiscard]] bool done() const { return bytes_.empty(); }

 private:
  std::string_view take_bytes(std::size_t count) {
    if (count > bytes_.size()) throw std::out_of_range("a client's record ends early");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  Reply reply() {
    const auto kind = taken<Reply::Kind>();
    const auto integer = taken<std::int64_t>();
    auto value = taken<Value>();
    auto items = taken<std::vector<Reply>>();
    switch (kind) {
      case Reply::Kind::nil: return Reply::nil();
      case Reply::Kind::integer: return Reply::integer(integer);
      case Reply::Kind::status: return Reply::status(value.bytes());
      case Reply::Kind::bulk: return Reply::bulk(std::move(value));
      case Reply::Kind::error: return Reply::error(value.bytes());
      case Reply::Kind::array: return Reply::array(std::move(items));
    }
    throw std::out_of_range("a client's record holds a reply of no kind");
  }

  std::string_view bytes_;
};

enum class RecordKind : char { event = 'E', lateness = 'L' };

/// The fields of an event, in the order in which they are written and read.
void each_field(auto& event, const auto& visit) {
  visit(event.what, event.host, event.at, event.clocks, event.round, event.attempt, event.peer, event.message,
        event.fault, event.command, event.reply, event.error, event.effects, event.token, event.fence, event.left,
        event.value, event.others, event.word, event.lock);
}

}  // namespace

void to_bytes(const NotedEvent& noted, std::string& bytes) {
  Writer writer(bytes);
  writer.put_all(RecordKind::event, noted.sequence, noted.port, noted.on_connection);
  each_field(noted.event, [&](const auto&... fields) { writer.put_all(fields...); });
}

void to_bytes(const NotedLateness& noted, std::string& bytes) {
  Writer writer(bytes);
  writer.put_all(RecordKind::lateness, noted.due_ns, noted.now_ns);
}

ClientRecord record_from(std::string_view bytes) {
  Reader reader(bytes);
  ClientRecord record;
  if (reader.taken<RecordKind>() == RecordKind::lateness) {
    NotedLateness late;
    reader.take_all(late.due_ns, late.now_ns);
    record = late;
  } else {
    NotedEvent noted;
    reader.take_all(noted.sequence, noted.port, noted.on_connection);
    each_field(noted.event, [&](auto&... fields) { reader.take_all(fields...); });
    record = std::move(noted);
  }
  if (!reader.done()) throw std::out_of_range("a client's record goes on behind its end");
  return record;
}

}  // namespace lockproof::real
