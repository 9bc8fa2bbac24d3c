// SPDX-License-Identifier: Apache-2.0
// Resource: what the lock protects, a register with a version. READ answers the version; WRITE with the version that
// the new content was made from is always accepted and answers the new version. That it does not compare is the point:
// a write based on an old version is a lost update, and the checker finds it.
#pragma once

#include "sim/world/server_model.hpp"

namespace lockproof::sim {

class Resource final : public ServerModel {
 public:
  Executed execute(const Request& request) override {
    const Command& command = request.command;
    if (command.verb() == "READ" && command.words().size() == 1) return {Reply::integer(version_)};
    if (command.verb() == "WRITE" && command.words().size() == 2) return {Reply::integer(++version_)};
    return {Reply::error("ERR the resource knows READ and WRITE base")};
  }
  [[nodiscard]] std::int64_t version() const { return version_; }

 private:
  std::int64_t version_ = 0;
};

}  // namespace lockproof::sim
