// SPDX-License-Identifier: Apache-2.0
// redis-server, as a server or as a sentinel, and talking to it: what all processes of that program have in common.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "real/services/server_program.hpp"

struct redisContext;

namespace lockproof::real {

/// `path`: the path of another build; empty: the one in PATH.
[[nodiscard]] ServerProgram redis_program(const std::string& path);

/// What a server says of itself in its INFO: "redis-server 7.0.15", "valkey 8.0.1".
[[nodiscard]] std::string server_version(std::string_view info);

/// Our own connection to one such process, on which we wait for each answer.
class ControlLink : public PinnedObject {
 public:
  ControlLink();
  ~ControlLink();

  /// Connects to that process on its port. False: it is not up yet, another process has the port, or it is loading.
  [[nodiscard]] bool connect(int port, pid_t pid);
  void close();
  [[nodiscard]] bool is_open() const { return context_ != nullptr; }
  /// Nothing: it does not answer.
  std::optional<Reply> ask(const std::vector<std::string>& words);
  /// The same, but it does not wait for long: without an answer the link is closed.
  std::optional<Reply> ask_soon(const std::vector<std::string>& words);
  /// Sends them in one piece, so that the server runs them in one go. Nothing: it does not answer all of them.
  std::optional<std::vector<Reply>> ask_together(const std::vector<std::vector<std::string>>& commands);

 private:
  struct Disconnect {
    void operator()(redisContext* context) const;
  };
  std::unique_ptr<redisContext, Disconnect> context_;
};

}  // namespace lockproof::real
