// SPDX-License-Identifier: Apache-2.0
// ExternalLink: our own connection to a server that lockproof did not start. It waits for nothing longer than its
// time allowed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned.hpp"
#include "real/network/endpoint.hpp"
#include "real/os/descriptor.hpp"

struct redisContext;
struct redisReply;

namespace lockproof::real {

class ExternalLink : public Pinned {
 public:
  static constexpr int time_allowed_ms = 2000;  // for a connection, and for each answer

  ExternalLink();
  ~ExternalLink();

  /// Empty: connected. Else why not.
  [[nodiscard]] std::string connect(const Endpoint& endpoint);

  /// What somebody who may not even be a Redis server answers to PING.
  struct Answer {
    enum class Kind { line, silence, closed };
    Kind kind = Kind::silence;
    std::string text;  // of a line: without its end, at most some bytes
  };
  [[nodiscard]] Answer first_answer();

  /// Nothing: see `trouble`. Then the connection has ended.
  std::optional<Reply> ask(const std::vector<std::string>& words);
  std::optional<Reply> ask(const Command& command);
  /// Why the last one has no answer, as what the server does: "it …". Empty: it has one.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  /// The quickest answer so far, in microseconds.
  [[nodiscard]] std::int64_t quickest_us() const { return quickest_us_; }

 private:
  struct Disconnect {
    void operator()(redisContext* context) const;
  };
  struct Free {
    void operator()(redisReply* reply) const;
  };
  [[nodiscard]] std::unique_ptr<redisReply, Free> answer(std::int64_t give_up);
  std::unique_ptr<redisContext, Disconnect> context_;
  std::string trouble_ = "it is not connected";
  std::int64_t quickest_us_ = time_allowed_ms * 1000;
};

/// The numbers of a host's name, or why there are none.
struct Resolved {
  std::vector<std::string> numbers;
  std::string trouble;
};
[[nodiscard]] Resolved resolve(const std::string& host);

/// A connection that is being made; closed: it cannot be. Does not wait.
[[nodiscard]] Descriptor dial(const Endpoint& endpoint);

}  // namespace lockproof::real
