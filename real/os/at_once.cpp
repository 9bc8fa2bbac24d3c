// SPDX-License-Identifier: Apache-2.0
#include "real/os/at_once.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "real/errors.hpp"

namespace lockproof::real {
namespace {

constexpr int piece_failed = 1;

struct Piece {
  pid_t pid;
  int answer;  // where it is read
};

/// Runs in the new process. Nothing of the old one is flushed or destroyed.
[[noreturn]] void work(const std::function<std::string()>& piece, int into) {
  std::string answer;
  int code = 0;
  try {
    answer = piece();
  } catch (const std::exception& e) {
    answer = e.what();
    code = piece_failed;
  }
  const bool written = ::write(into, answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
  ::_exit(written ? code : piece_failed);
}

Piece begin(const std::function<std::string()>& piece) {
  int ends[2];
  if (::pipe(ends) != 0) throw BadEnvironment(std::string("no pipe: ") + std::strerror(errno));
  const pid_t pid = ::fork();
  if (pid < 0) throw BadEnvironment(std::string("no process: ") + std::strerror(errno));
  if (pid == 0) {
    ::close(ends[0]);
    work(piece, ends[1]);
  }
  ::close(ends[1]);
  return {pid, ends[0]};
}

/// The process's result, and whether it succeeded.
std::pair<std::string, bool> end(const Piece& piece) {
  std::string answer;
  char bytes[4096];
  for (ssize_t n = 0; (n = ::read(piece.answer, bytes, sizeof bytes)) > 0;) {
    answer.append(bytes, static_cast<std::size_t>(n));
  }
  ::close(piece.answer);
  int status = 0;
  ::waitpid(piece.pid, &status, 0);
  return {answer, WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

}  // namespace

std::vector<std::string> at_once(const std::vector<std::function<std::string()>>& pieces) {
  std::fflush(nullptr);
  std::vector<Piece> begun;
  for (const auto& piece : pieces) begun.push_back(begin(piece));
  std::vector<std::string> answers;
  std::string wrong;
  for (const Piece& piece : begun) {
    const auto [answer, good] = end(piece);
    if (!good) wrong = answer.empty() ? "a process of lockproof's own died" : answer;
    answers.push_back(answer);
  }
  if (!wrong.empty()) throw BadEnvironment(wrong);
  return answers;
}

}  // namespace lockproof::real
