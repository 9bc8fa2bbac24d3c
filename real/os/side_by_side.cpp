// SPDX-License-Identifier: Apache-2.0
#include "real/os/side_by_side.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "harness/cannot_judge.hpp"
#include "harness/input_error.hpp"
#include "real/errors.hpp"
#include "real/os/child_process.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {
namespace {

using Work = std::function<std::string(std::size_t)>;

constexpr char good = '+', bad = '-', lacks = '!', wrong = '?', open = '~';  // before what a process answers
constexpr int asked_each_ms = 500, asked_often_ms = 50;

struct Worker {
  std::size_t number;
  Descriptor answers;
  std::unique_ptr<ChildProcess> process;
  std::string answer;
};

[[noreturn]] void work_and_end(std::size_t number, const Work& work, int answers) {
  std::string answer;
  try {
    answer = good + work(number);
  } catch (const harness::CannotJudge& e) {
    answer = open + e.kind() + '\n' + e.what();
  } catch (const BadEnvironment& e) {
    answer = lacks + std::string(e.what());
  } catch (const harness::InputError& e) {
    answer = wrong + std::string(e.what());
  } catch (const std::exception& e) {
    answer = bad + std::string(e.what());
  }
  ::_exit(write_all(answers, answer.data(), answer.size()) ? 0 : 70);
}

std::unique_ptr<Worker> start(std::size_t number, const Work& work) {
  Pipe pipe = make_pipe();
  std::fflush(nullptr);  // what is not written yet must not be written twice
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw BadEnvironment(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) {
    die_with_parent(parent);
    work_and_end(number, work, pipe.write_end.get());
  }
  auto process = std::make_unique<ChildProcess>(pid);
  return std::make_unique<Worker>(Worker{number, std::move(pipe.read_end), std::move(process), {}});
}

/// Whether its result is complete; the process has then ended.
bool read_answer(Worker& worker) {
  char bytes[65536];
  const auto count = ::read(worker.answers.get(), bytes, sizeof bytes);
  if (count < 0 && errno == EINTR) return false;
  if (count > 0) {
    worker.answer.append(bytes, static_cast<std::size_t>(count));
    return false;
  }
  worker.process->wait();
  if (const auto trouble = worker.process->trouble()) {
    throw WorkerDeath(worker.number, fmt::format("the process of run {} {}", worker.number + 1, *trouble));
  }
  if (worker.answer.starts_with(open)) {
    const std::size_t end = worker.answer.find('\n');
    throw harness::CannotJudge(worker.answer.substr(1, end - 1), worker.answer.substr(end + 1));
  }
  if (worker.answer.starts_with(lacks)) throw BadEnvironment(worker.answer.substr(1));
  if (worker.answer.starts_with(wrong)) throw harness::InputError(worker.answer.substr(1));
  if (!worker.answer.starts_with(good)) {
    throw std::runtime_error(worker.answer.substr(std::min<std::size_t>(1, worker.answer.size())));
  }
  return true;
}

}  // namespace

void side_by_side(std::size_t count, unsigned jobs, const Work& work,
                  const std::function<void(std::size_t, std::string)>& done, const std::function<bool()>& may_start,
                  UnfinishedPolicy unfinished) {
  std::vector<std::unique_ptr<Worker>> workers;
  std::map<std::size_t, std::string> answers;  // that wait for those before them
  std::size_t started = 0, handed_on = 0;
  while (handed_on < count) {
    if (may_start && !may_start()) {
      count = started;
      if (unfinished == UnfinishedPolicy::ended) {
        for (auto& [number, answer] : answers) done(number, std::move(answer));  // those before them will never come
        return;
      }
    }
    while (started < count && workers.size() < std::max(1U, jobs)) workers.push_back(start(started++, work));
    std::vector<pollfd> look;
    for (const auto& worker : workers) look.push_back({worker->answers.get(), POLLIN, 0});
    if (look.empty()) return;
    const int asked_ms = unfinished == UnfinishedPolicy::ended ? asked_often_ms : asked_each_ms;
    ::poll(look.data(), look.size(), may_start ? asked_ms : -1);
    for (std::size_t i = workers.size(); i-- > 0;) {
      if ((look[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0 || !read_answer(*workers[i])) continue;
      answers[workers[i]->number] = workers[i]->answer.substr(1);
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (auto next = answers.begin(); next != answers.end() && next->first == handed_on; next = answers.erase(next)) {
      done(handed_on++, std::move(next->second));
    }
  }
}

}  // namespace lockproof::real
