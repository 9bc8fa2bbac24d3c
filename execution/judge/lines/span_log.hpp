// SPDX-License-Identifier: Apache-2.0
// SpanLog: OpenTelemetry's spans of workers, as OTLP JSON: one document, or one on each line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "execution/judge/lines/line_kind.hpp"

namespace lockproof::execution {

/// A worker is a resource. An attribute lock.name, or one like it, tells of which lock a span is. It is inside from the
/// beginning of a span that is called held, or from the end of an acquire that says acquired = true; its work has ended
/// where a release begins. When a held span ends is not known: before the release, or after it. With patterns, "NAME
/// begins" and "NAME ends" are its lines. Nothing: it is no JSON. Throws InputError: it is, and has no spans.
[[nodiscard]] std::optional<std::vector<WorkerLog>> workers_of_spans(const std::string& path, const std::string& text,
                                                                     const LinePatterns& patterns);

}  // namespace lockproof::execution
