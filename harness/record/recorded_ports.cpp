// SPDX-License-Identifier: Apache-2.0
#include "harness/record/recorded_ports.hpp"

#include <utility>

namespace lockproof::harness {
namespace {

template <class I>
I note_reading(Journal& journal, const char* clock, I reading) {
  Event event{.what = What::read};
  event.word = clock;
  event.value = InstantAccess::us(reading);
  journal.note(std::move(event));
  return reading;
}

void note_call(Journal& journal, HostIndex server, int number, const Command& command, const char* word = "") {
  Event event{.what = What::call};
  event.word = word;
  event.peer = server;
  event.message = number;
  event.command = command;
  journal.note(std::move(event));
}

void note_answer(Journal& journal, HostIndex server, int number, const Result<Reply>& result, const char* word = "") {
  Event event{.what = What::answer};
  event.word = word;
  event.peer = server;
  event.message = number;
  if (result) {
    event.reply = *result;
  } else {
    event.error = result.error();
  }
  journal.note(std::move(event));
}

}  // namespace

Command subscription(const Name& channel) { return Command(std::vector<Value>{"SUBSCRIBE", channel}); }
Command awaited_message(const Name& channel) { return Command(std::vector<Value>{"MESSAGE", channel}); }

Wall RecordedClock::wall() { return note_reading(journal_, "wall", inner_.wall()); }
Mono RecordedClock::mono() { return note_reading(journal_, "mono", inner_.mono()); }
Boot RecordedClock::boot() { return note_reading(journal_, "boot", inner_.boot()); }

Token RecordedRandom::token() {
  Token drawn = inner_.token();
  Event event{.what = What::draw};
  event.word = "token";
  event.token = drawn;
  journal_.note(std::move(event));
  return drawn;
}

Duration RecordedRandom::between(Duration least, Duration most) {
  const Duration drawn = inner_.between(least, most);
  Event event{.what = What::draw};
  event.word = "jitter";
  event.value = drawn.count();
  journal_.note(std::move(event));
  return drawn;
}

Task<Result<Reply>> RecordedStore::call(Command command) {
  const int number = ++calls_;
  note_call(journal_, server_, number, command);
  const Result<Reply> result = co_await inner_.call(std::move(command));
  note_answer(journal_, server_, number, result);
  co_return result;
}

Task<Result<Reply>> RecordedStore::subscribe(Name channel) {
  const int number = ++calls_;
  note_call(journal_, server_, number, subscription(channel));
  const Result<Reply> result = co_await inner_.subscribe(std::move(channel));
  note_answer(journal_, server_, number, result);
  co_return result;
}

Task<bool> RecordedStore::message(Name channel, Mono until) {
  const int number = ++calls_;
  note_call(journal_, server_, number, awaited_message(channel));
  const bool came = co_await inner_.message(std::move(channel), until);
  note_answer(journal_, server_, number, Reply::integer(came));
  co_return came;
}

RecordedStores::RecordedStores(Stores& inner, const std::vector<HostIndex>& servers, Journal& journal)
    : inner_(inner), servers_(servers), journal_(journal) {
  for (std::size_t i = 0; i < inner.size(); ++i) {
    stores_.push_back(std::make_unique<RecordedStore>(inner.at(i), servers_.at(i), journal));
  }
}

Task<Replies> RecordedStores::gather(Command command, Duration timeout) {
  const int number = ++gathers_;
  note_call(journal_, no_host, number, command, "gather");
  const Replies replies = co_await inner_.gather(std::move(command), timeout);
  for (std::size_t i = 0; i < replies.size(); ++i) note_answer(journal_, servers_[i], number, replies[i], "gather");
  co_return replies;
}

}  // namespace lockproof::harness
