// SPDX-License-Identifier: Apache-2.0
// ExternalLink: our own connection to a server that lockproof did not start. It waits for each answer at most as long
// as its time allowed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "real/network/endpoint.hpp"
#include "real/os/descriptor.hpp"

struct redisContext;
struct redisReply;

namespace lockproof::real {

class ExternalLink : public PinnedObject {
 public:
  static constexpr int time_allowed_ms = 2000;  // for a connection, and for each answer

  ExternalLink();
  ~ExternalLink();

  /// Returns an empty text if connected, otherwise the reason why not.
  [[nodiscard]] std::string connect(const Endpoint& endpoint);

  /// The answer to PING of a process that may not be a Redis server.
  struct Answer {
    enum class Kind { line, silence, closed };
    Kind kind = Kind::silence;
    std::string text;  // a line without its end, limited to a few bytes
  };
  [[nodiscard]] Answer first_answer();

  /// Nothing: there is no answer, see `trouble`; the connection has ended.
  std::optional<Reply> ask(const std::vector<std::string>& words);
  std::optional<Reply> ask(const Command& command);
  /// Why the last command has no answer, as a clause about the server: "it …". Empty: it has one.
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

/// The numeric addresses of a host's name, or why there are none.
struct HostAddresses {
  std::vector<std::string> numbers;
  std::string trouble;
};
[[nodiscard]] HostAddresses resolve(const std::string& host);

/// Starts to connect, without waiting; a closed descriptor: it is impossible.
[[nodiscard]] Descriptor dial(const Endpoint& endpoint);

}  // namespace lockproof::real
