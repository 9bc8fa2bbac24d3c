// SPDX-License-Identifier: Apache-2.0
// Sequence diagram: a history in the language of Mermaid, which a pull request or a design document draws.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/check/expectation.hpp"
#include "harness/history/history.hpp"

namespace lockproof::harness {

/// The events that the trace shows, with a call as two arrows: the command when the server runs it, and its reply. A
/// client is active while it is inside. A note behind the event that completes a violation says what is violated.
/// `origin`, a comment in the diagram, is how to make the run again.
[[nodiscard]] std::string sequence_diagram(const History& history,
                                           const std::vector<check::ComparedFinding>& properties,
                                           std::string_view origin);

}  // namespace lockproof::harness
