// SPDX-License-Identifier: Apache-2.0
// Writes a difference as a test, to be pasted into tests/sim.
#include <fmt/format.h>

#include "conformance/redis/nodes_sides.hpp"
#include "conformance/redis/sides.hpp"

namespace lockproof::conformance::redis {
namespace {

std::string literal(const std::string& bytes) {
  std::string text = "\"";
  bool hex = false;
  for (const char c : bytes) {
    const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (hex && digit) text += "\" \"";  // or it would be read as part of the number before it
    hex = c < ' ' || c > '~';
    if (hex) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else if (c == '"' || c == '\\') {
      text += fmt::format("\\{}", c);
    } else {
      text += c;
    }
  }
  return text + "\"";
}

std::string expression(const Reply& reply) {
  switch (reply.kind()) {
    case Reply::Kind::nil: return "Reply::nil()";
    case Reply::Kind::integer: return fmt::format("Reply::integer({})", reply.integer());
    case Reply::Kind::status: return fmt::format("Reply::status({})", literal(reply.value().bytes()));
    case Reply::Kind::bulk: return fmt::format("Reply::bulk({})", literal(reply.value().bytes()));
    case Reply::Kind::error: return fmt::format("Reply::error({})", literal(reply.value().bytes()));
    case Reply::Kind::array: break;
  }
  std::string items;
  for (const Reply& item : reply.items()) items += (items.empty() ? "" : ", ") + expression(item);
  return fmt::format("Reply::array({{{}}})", items);
}

std::string words_of(const Step& step) {
  std::string words;
  for (const Value& word : step.words) words += (words.empty() ? "" : ", ") + literal(word.bytes());
  return words;
}

std::string call(const Step& step) {
  return fmt::format("node.execute({{{}, Command({{{}}}), {{now_ms}}}})", step.connection, words_of(step));
}

/// The step as a value.
std::string initializer(const Step& step) {
  constexpr const char* kinds[] = {"command", "clock",   "reconnect", "min_replicas", "jump",    "follow",    "copy",
                                   "load",    "deliver", "promote",   "fail_over",    "restart", "power_cut", "evict"};
  std::string text = fmt::format("{{.kind = Step::Kind::{}", kinds[static_cast<std::size_t>(step.kind)]);
  if (step.kind != Step::Kind::clock) text += fmt::format(", .node = {}", step.node);
  if (step.kind == Step::Kind::follow) text += fmt::format(", .peer = {}", step.peer);
  if (step.kind == Step::Kind::deliver) text += fmt::format(", .count = {}", step.count);
  if (step.kind == Step::Kind::command || step.kind == Step::Kind::reconnect) {
    text += fmt::format(", .connection = {}", step.connection);
  }
  if (step.kind == Step::Kind::command) text += fmt::format(", .words = {{{}}}", words_of(step));
  if (step.kind == Step::Kind::evict) text += fmt::format(", .key = {}", literal(step.key));
  if (step.kind == Step::Kind::clock)
    text += fmt::format(", .clock_us = epoch_ms * 1000 + {}", step.clock_us - epoch_ms * 1000);
  if (step.kind == Step::Kind::jump) text += fmt::format(", .clock_us = {}", step.clock_us);
  if (step.kind == Step::Kind::min_replicas) text += fmt::format(", .min_replicas = {}", step.min_replicas);
  return text + "}";
}

}  // namespace

std::string Sides::as_test(const Steps& steps, const Mismatch& mismatch) {
  std::string body;
  const bool reply = mismatch.what == "the reply";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const bool last = i + 1 == steps.size();
    switch (step.kind) {
      case Step::Kind::clock: body += fmt::format("  now_ms = {};\n", step.clock_us / 1000); break;
      case Step::Kind::min_replicas: body += fmt::format("  node.set_min_replicas({});\n", step.min_replicas); break;
      case Step::Kind::reconnect: body += fmt::format("  node.disconnected({});\n", step.connection); break;
      case Step::Kind::command:
        if (last && reply) {
          body += fmt::format("  EXPECT_EQ({}.reply,\n            {});\n", call(step),
                              expression(mismatch.expected.replies.front()));
        } else {
          body += fmt::format("  {}{};\n", last ? "const Executed last = " : "", call(step));
        }
        break;
      default: break;  // for several nodes
    }
  }
  if (!reply) body += fmt::format("  // {} must be: {}\n", mismatch.what, mismatch.real);
  return fmt::format("TEST_F(RedisNode, AnswersAsTheRealOne) {{\n  now_ms = {};\n{}}}\n", epoch_ms, body);
}

std::string NodesSides::as_test(const Steps& steps, const Mismatch& mismatch) {
  std::string body;
  const bool reply = mismatch.what == "the reply";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool last = i + 1 == steps.size();
    if (last && reply) {
      body += fmt::format("  EXPECT_EQ(nodes.run({}).replies.front(),\n            {});\n", initializer(steps[i]),
                          expression(mismatch.expected.replies.front()));
    } else {
      body += fmt::format("  {}nodes.run({});\n", last ? "const Outcome last = " : "(void)", initializer(steps[i]));
    }
  }
  if (!reply) body += fmt::format("  // {} must be: {}\n", mismatch.what, mismatch.real);
  return fmt::format("TEST(SeveralNodes, AnswerAsRealOnes) {{\n  ModelNodes nodes;\n{}}}\n", body);
}

}  // namespace lockproof::conformance::redis
