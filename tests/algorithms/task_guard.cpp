// SPDX-License-Identifier: Apache-2.0
// Compiles as it is; with one of BAD_… defined it must not, and must say why.
#include <string>
#include <vector>

#include "algorithms/port/task.hpp"

namespace {

using lockproof::PinnedObject;
using lockproof::Task;

struct Host : PinnedObject {
  Task<int> member(std::string owned) { co_return static_cast<int>(owned.size()); }
};
struct Words {
  std::vector<std::string> words;
};

Task<int> good(Host& host, std::vector<int> owned, int plain) {
  const int size = co_await host.member("x");
  co_return size + plain + static_cast<int>(owned.size());
}
#ifdef BAD_view
Task<int> bad(std::string_view text) { co_return static_cast<int>(text.size()); }
#endif
#ifdef BAD_reference
Task<int> bad(const std::string& text) { co_return static_cast<int>(text.size()); }
#endif
#ifdef BAD_pointer
Task<int> bad(const int* p) { co_return *p; }
#endif
#ifdef BAD_lambda
int captured = 0;
auto bad = [n = captured]() -> Task<int> { co_return n; };
auto started = bad();
#endif
#ifdef BAD_aggregate
Task<int> bad(Words words) { co_return static_cast<int>(words.words.size()); }
#endif

}  // namespace

int main() {
  Host host;
  auto task = good(host, {1, 2}, 3);
  task.start();
  return task.result() == 6 ? 0 : 1;
}
