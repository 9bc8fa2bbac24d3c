// SPDX-License-Identifier: Apache-2.0
// lockproof-tracer, for developers: runs programs in one virtual time, several times over, and compares.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/traced_run.hpp"

namespace lockproof::tracer {
namespace {

constexpr auto usage =
    "Usage: lockproof-tracer [--times N] [--log] [--calls] [--limit SECONDS]\n"
    "                        [--fault pause|kill|crash|discard:DELIVERY:HOST:SECONDS]\n"
    "                        --server COMMAND… [--server COMMAND…] --client COMMAND… [--line TEXT]… [--client …]\n"
    "Clients start a second after the servers. --line: what the client is told after a line that it wrote.\n";

struct Request {
  WorldSpec spec;
  int times = 1;
  bool shows_log = false, is_wrong = false;
};

FaultSpec fault_from(const std::string& text) {
  const auto part = [&](int which) {
    std::size_t at = 0;
    for (int i = 0; i < which && at != std::string::npos; ++i) at = text.find(':', at) + 1;
    return text.substr(at, text.find(':', at) - at);
  };
  const std::map<std::string, FaultSpec::Kind> kinds{{"pause", FaultSpec::Kind::pause},
                                                     {"kill", FaultSpec::Kind::kill},
                                                     {"crash", FaultSpec::Kind::crash},
                                                     {"discard", FaultSpec::Kind::discard}};
  return {kinds.at(part(0)), std::stoi(part(1)), std::stoi(part(2)), std::stol(part(3)) * second};
}

void add_host(WorldSpec& spec, bool is_server) {
  constexpr Nanos between = 50 * millisecond;
  HostSpec host;
  host.server = is_server;
  host.name = fmt::format("host-{}", spec.hosts.size());
  host.start = static_cast<Nanos>(spec.hosts.size()) * between + (is_server ? 0 : second);
  spec.hosts.push_back(std::move(host));
}

Request request_from(const std::vector<std::string>& words) {
  Request request;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool has_value = i + 1 < words.size();
    if (word == "--server" || word == "--client")
      add_host(request.spec, word == "--server");
    else if (word == "--line" && has_value && !request.spec.hosts.empty())
      request.spec.hosts.back().input.push_back(words[++i]);
    else if (!request.spec.hosts.empty())
      request.spec.hosts.back().command.push_back(word);
    else if (word == "--times" && has_value)
      request.times = std::atoi(words[++i].c_str());
    else if (word == "--log")
      request.shows_log = true;
    else if (word == "--calls")
      request.shows_log = request.spec.logs_calls = true;
    else if (word == "--limit" && has_value)
      request.spec.limit = std::atol(words[++i].c_str()) * second;
    else if (word == "--fault" && has_value)
      request.spec.fault = fault_from(words[++i]);
    else
      request.is_wrong = true;
  }
  request.is_wrong |= request.spec.hosts.empty();
  for (const HostSpec& host : request.spec.hosts) request.is_wrong |= host.command.empty();
  return request;
}

void print_report(const Request& request, const WorldReport& report) {
  constexpr std::array<std::string_view, 5> ends{"finished", "stuck", "limit", "refused", "not allowed"};
  if (request.shows_log) fmt::print("{}", report.log);
  fmt::print("{} {}{}{}: {} calls, {} messages, {} connections, {} threads, {} cuts, {}.{:09} s\n", report.digest,
             ends.at(static_cast<std::size_t>(report.end)), report.words.empty() ? "" : ", ", report.words,
             report.calls, report.messages, report.connections, report.threads, report.cuts, report.ended_at / second,
             report.ended_at % second);
  for (std::size_t i = 0; i < report.hosts.size(); ++i) {
    if (request.spec.hosts[i].server && !request.shows_log) continue;
    fmt::print("host {} ended with {}\n{}{}", i, report.hosts[i].code, report.hosts[i].output, report.hosts[i].errors);
  }
}

int run(const std::vector<std::string>& words) {
  const Request request = request_from(words);
  if (request.is_wrong) {
    fmt::print("{}", usage);
    return 64;
  }
  std::map<std::string, int> digests;
  for (int i = 0; i < request.times; ++i) {
    const WorldReport report = run_world(request.spec);
    if (++digests[report.digest] == 1) print_report(request, report);
    if (report.end == WorldReport::End::not_allowed) return 69;
  }
  if (request.times > 1) fmt::print("{} runs, {} different\n", request.times, digests.size());
  return digests.size() == 1 ? 0 : 1;
}

}  // namespace
}  // namespace lockproof::tracer

int main(int count, char** words) { return lockproof::tracer::run({words + 1, words + count}); }
