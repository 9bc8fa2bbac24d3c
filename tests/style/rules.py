# SPDX-License-Identifier: Apache-2.0
"""The tables behind check_style.py: who may include whom, what may not be written where, and what to do instead.

An exception to a rule is an entry in a table of this file, with its reason, and nowhere else.
"""

FILE_LINES_MAX = 400
ALGORITHM_LINES_MAX = 100
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 120

SOURCE_ENDINGS = (".cpp", ".hpp", ".c", ".h", ".py", ".sh")
SOURCE_FILES = ("dev", ".ci/run")  # sources without an ending
CPP_ENDINGS = (".cpp", ".hpp", ".c", ".h")

# folder -> folders of ours whose headers it may include. docs/architecture.md gives the reasons.
MAY_INCLUDE = {
    "algorithms": ("algorithms",),
    "harness": ("algorithms", "harness"),
    "sim": ("algorithms", "harness", "sim"),
    "search": ("algorithms", "harness", "sim", "search"),
    "real": ("algorithms", "harness", "real"),
    "programs": ("algorithms", "harness", "real", "programs"),
    "conformance": ("algorithms", "harness", "sim", "real", "conformance"),
    "execution": ("algorithms", "harness", "sim", "search", "real", "tracer", "execution"),
    "tracer": ("real", "tracer"),
    "cli": ("algorithms", "harness", "sim", "search", "real", "programs", "tracer", "execution", "cli"),
    "tests": ("algorithms", "harness", "sim", "search", "real", "programs", "tracer", "conformance", "execution", "cli",
              "tests"),
}
FOLDERS = tuple(MAY_INCLUDE)

# (folder, folder of ours) -> the only header of it that may be included there.
FRONT_DOORS = {("cli", "search"): "search/search.hpp"}

# The rooms of a folder, from the lowest up: a file may include headers of its own room and of those before it.
ROOMS = {
    "algorithms": ("algorithms/port", "algorithms", "algorithms/redis", "algorithms/memcached",
                   "algorithms/postgres", "algorithms/zookeeper", "algorithms/etcd", "algorithms/chubby"),
    "harness": ("harness", "harness/history", "harness/lua", "harness/program", "harness/scenario",
                "harness/scenario/faults", "harness/workload", "harness/record",
                "harness/check", "harness/scenario/file", "harness/report/text", "harness/report",
                "harness/report/answers", "harness/report/pull_request", "harness/report/tasks"),
    "sim": ("sim/kernel", "sim/world/sentinels", "sim/world/requests", "sim/world", "sim/world/symbolic",
            "sim/services/redis", "sim/services/memcached", "sim/services/postgres", "sim/services/zookeeper",
            "sim/services/etcd", "sim/services/chubby",
            "sim/services", "sim"),
    "search": ("search/containers", "search/core", "search/reduction", "search/fuzz",
               "search/liveness", "search/results", "search/reexecution", "search/automata",
               "search/state_space", "search/zones/time", "search/zones", "search/engines", "search",
               "search/minimize"),
    "real": ("real", "real/os", "real/clock", "real/network", "real/record", "real/client", "real/services",
             "real/services/redis", "real/services/memcached", "real/services/postgres", "real/services/zookeeper",
             "real/services/etcd",
             "real/program",
             "real/external", "real/trace_replay", "real/run"),
    "conformance": ("conformance/core", "conformance/redis", "conformance/memcached", "conformance/postgres",
                    "conformance/zookeeper", "conformance/etcd", "conformance"),
    "programs": ("programs/shim", "programs/shim/x86_64/machine", "programs/shim/aarch64/machine", "programs"),
    "cli": ("cli/output", "cli/options", "cli", "cli/commands"),
}
# (headers, room that includes them all the same, why)
AGAINST_THE_ORDER = (
    ("real/services/*/*_driver.hpp", "real/services", "the registry makes the driver of each service"),
    ("harness/scenario/faults/fault_words.hpp", "harness/history", "a history carries the words of its faults"),
)
# Folders of services, which only they themselves and the registry may know, and the rooms that must not include them.
# real/external, real/trace_replay, conformance and tests are about Redis and speak to it directly.
ONE_SERVICE = r"real/services/[^/]+/"
NAME_NO_SERVICE = ("real/run/*", "real/client/*", "real/record/*", "real/network/*", "real/os/*", "real/clock/*",
                   "execution/*", "cli/*")
# Of those, who may include the headers of one service all the same: (room, headers, why).
READ_ONE_SERVICE = (("execution/judge/*", "real/services/redis/monitor_line.hpp", "the log that it reads is Redis's"),)
HEADERS_MAX = 16  # in one room

# beginning of a third-party header -> where it may be included (patterns of paths); tests/ may include anything.
THIRD_PARTY = {
    "fmt/": ("harness/*.cpp", "sim/*.cpp", "search/*.cpp", "real/*.cpp", "programs/*.cpp", "tracer/*.cpp",
             "conformance/*.cpp", "execution/*.cpp", "cli/*.cpp"),
    "toml++/": ("harness/scenario/file/parse.cpp", "harness/scenario/file/document.cpp"),
    "nlohmann/json.hpp": ("harness/history/jsonl.cpp", "harness/report/*.cpp", "harness/program/said.cpp",
                          "execution/*_json.cpp", "real/services/etcd/wire.cpp",
                          "real/services/postgres/lock_snapshot.cpp"),
    "nlohmann/json_fwd.hpp": ("harness/report/text/headed.hpp",),
    "CLI/": ("cli/*", "conformance/main.cpp"),
    "hiredis/": ("real/*.cpp", "conformance/redis/real_side.cpp", "real/services/redis/hiredis_adapter.hpp",
                 "real/services/redis/hiredis_reply.hpp"),
    "uv.h": ("real/*.cpp",),
    "lua.hpp": ("sim/services/redis/*.cpp", "harness/lua/*.cpp"),
    "boost/property_tree/": ("harness/report/junit.cpp",),
    "boost/graph/": ("harness/check/*.cpp", "search/*.cpp"),
}
# Where <unistd.h>, <sys/…> and other C headers may be included.
OPERATING_SYSTEM = ("real/*", "programs/*", "tracer/*", "conformance/redis/real_side.cpp", "cli/*",
                    "search/containers/arena.cpp")

# (what must not be written, where, except where, what it is, what to do instead). Comments and texts do not count.
BANNED = (
    (r"(?i)redis", ("sim/world/*", "search/*", "harness/workload/*", "harness/record/*", "harness/history/*",
                    "harness/check/*"), (),
     "one service by its name", "what differs between services stands in their folders, see sim/world/service_model.hpp"
     ),
    (r"std::random_device|\bs?rand\(", ("algorithms/*", "sim/*", "search/*", "harness/*"), (),
     "a source of entropy", "draw through the Random port or the Chooser"),
    (r"#\s*include\s*<random>", ("algorithms/*", "sim/*", "search/*", "harness/*"), (),
     "<random>, whose distributions differ between libraries", "draw through the Random port or the Chooser"),
    (r"std::(ranges::)?shuffle\b", ("algorithms/*", "sim/*", "search/*", "harness/*"), (),
     "std::shuffle, which differs between libraries", "choose each position through the Chooser"),
    (r"\b(system|steady|high_resolution|utc|file)_clock\b", ("algorithms/*", "sim/*", "search/*", "harness/*"), (),
     "a clock of this machine", "ask the Clock port, or the world's time"),
    (r"std::j?thread\b|std::(\w+_)?mutex\b|std::async\b|std::condition_variable\b",
     ("algorithms/*", "sim/*", "harness/*"), ("harness/lua/runtime.hpp", "harness/lua/script_texts.hpp"),
     "a thread or a lock", "one world is one thread; only the workers of search/ run in parallel"),
    (r"\b(secure_)?getenv\b", ("algorithms/*", "sim/*", "search/*", "harness/*"), (),
     "the environment", "pass the value down from cli/"),
    (r"std::unordered_\w+|#\s*include\s*<unordered_", ("algorithms/*", "sim/*", "search/*", "harness/*"), (),
     "an unordered container, whose order differs between libraries", "std::map, std::set or a sorted vector"),
    (r"std::hash\b", ("algorithms/*", "sim/*", "search/*", "harness/*"), (),
     "std::hash, which differs between libraries", "order or compare the values themselves"),
    (r"\b(float|double)\b", ("algorithms/*", "sim/*", "search/*"), (),
     "floating point", "integers: microseconds for time, parts per billion for rates"),
    (r"(?i)\b\w*(?:is_?simulat|in_?simulation|is_?real_?world|testing_?mode)\w*", ("*",), (),
     "a question whether this is a simulation", "put the difference behind a port; nothing else may know"),
    (r"\bInstantAccess\b", ("algorithms/*.cpp",), ("algorithms/port/*",),
     "InstantAccess", "compare and shift instants; an algorithm must not depend on absolute time"),
    (r"\bfmt::|\bstd::print|\bprintf\b|\bputs\b|\bstd::(cout|cerr|clog)\b", ("algorithms/*",), (),
     "output", "leave it out: the decorators of harness/record write down what crosses the ports"),
    (r"#\s*include\s*<(iostream|ostream|istream|sstream|iomanip)>", ("*",),
     ("tests/*", "harness/report/junit.cpp", "search/results/state_graph.cpp"),  # what Boost's writers write to
     "an iostream", "fmt for text"),
    (r"#\s*include\s*<fstream>", ("algorithms/*", "harness/*", "sim/*", "search/*"), ("harness/scenario/*.cpp",),
     "access to files", "take and return texts; cli/ and real/ read and write the files"),
    (r"#\s*(if|ifdef|ifndef|elif|define)\b", ("*",), 
     ("*.c", "real/clock/clock_layout.h",  # that header is C as well
      "tests/algorithms/task_guard.cpp"),  # one source of several programs that must not compile
     "a conditional or a macro", "plain C++: another file for another case, a constexpr for a constant"),
    (r"\busing namespace (?!std::(chrono|string)_literals\b|std::literals\b)", ("*",), (),
     "using namespace", "name what you need; only the literals' namespaces may be opened, in a .cpp"),
)

# Marks that must not stay, in any text file of ours: (what, what it is, what to do instead).
MARKS = (
    (r"\bFIX" r"ME\b", "a mark of unfinished work", "mend it now, or open an issue and write TODO(name) with it"),
    (r"(?:^|[^\w.~])/(?:h[o]me|Us[e]rs|r[o]ot|w[o]rk|f[a]rm)/", "a path of one machine",
     "a path relative to the root of the tree"),
)

FORBIDDEN_NAME = r"(^|[_-])(utils?|common|misc|helpers?|managers?)($|[_-])"

TWINLESS = ("scenarios/bench/*", "scenarios/budgets/*", "scenarios/cases.toml")  # they show no failure
