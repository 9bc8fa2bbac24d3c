// SPDX-License-Identifier: Apache-2.0
#include "tracer/world_report.hpp"

#include <cstring>
#include <stdexcept>

namespace lockproof::tracer {
namespace {

/// Both directions visit the same members in the same order.
class Writer {
 public:
  void operator()(std::uint64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes_ += text;
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number() {
    std::uint64_t number = 0;
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  }
  std::string text() { return std::string(take(number())); }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) throw std::runtime_error("the traced world ended before its report was complete");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  std::string_view bytes_;
};

}  // namespace

std::string to_bytes(const WorldReport& report) {
  Writer write;
  write(static_cast<std::uint64_t>(report.end));
  write(report.words);
  write(report.digest);
  write(report.log);
  write(report.hosts.size());
  for (const HostReport& host : report.hosts) {
    write(host.output);
    write(host.errors);
    write(static_cast<std::uint64_t>(host.code));
  }
  write(report.files.size());
  for (const auto& [name, content] : report.files) {
    write(name);
    write(content);
  }
  for (const std::uint64_t count : {report.calls, report.messages, report.deliveries, report.connections,
                                    report.threads, report.cuts, static_cast<std::uint64_t>(report.ended_at)}) {
    write(count);
  }
  return write.take();
}

WorldReport report_from(std::string_view bytes) {
  Reader read(bytes);
  WorldReport report;
  report.end = static_cast<WorldReport::End>(read.number());
  report.words = read.text();
  report.digest = read.text();
  report.log = read.text();
  report.hosts.resize(read.number());
  for (HostReport& host : report.hosts) {
    host.output = read.text();
    host.errors = read.text();
    host.code = static_cast<int>(read.number());
  }
  for (std::uint64_t left = read.number(); left > 0; --left) {
    std::string name = read.text();
    report.files[std::move(name)] = read.text();
  }
  for (std::uint64_t* count :
       {&report.calls, &report.messages, &report.deliveries, &report.connections, &report.threads, &report.cuts}) {
    *count = read.number();
  }
  report.ended_at = static_cast<Nanos>(read.number());
  return report;
}

}  // namespace lockproof::tracer
