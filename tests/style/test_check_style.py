#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of check_style.py finds what it forbids, in the right line, and leaves the rest alone.

The trees that it looks at are small and planted here.
"""

import tempfile
import unittest
from pathlib import Path

import words
from check_style import findings
from functions import cpp_functions, python_functions

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
HASH_LICENCE = "# SPDX-License-Identifier: Apache-2.0\n"


def found(planted):
    """What the checker finds in a tree of these files: path -> text."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in planted.items():
            place = Path(folder) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        return findings(folder)


def cpp(code):
    return LICENCE + code


class Words(unittest.TestCase):
    TABLE = cpp('RetiredWord{"patience", "acquire_timeout"},\nRetiredWord{"progress", "liveness"},\n'
                'RetiredWord{"--replay", "--trace"},\n')

    def test_a_retired_word_is_refused_as_identifier_key_string_and_option(self):
        for path, text, line in (
            ("sim/a.cpp", cpp("int newcomer = 0;\n"), 2), ("sim/a.cpp", cpp('find("patience");\n'), 2),
            ("tests/a.toml", '[workload]\npatience = "1s"\n', 2), ("tests/a.toml", '[expect]\nprogress = "holds"\n', 2),
            ("docs/a.md", "# A\n\n`lockproof real FILE --replay`\n", 3), ("cli/a.cpp", cpp('add("--replay");\n'), 2),
        ):
            with self.subTest(path=path, text=text):
                result = found({"harness/scenario/retired.cpp": self.TABLE, path: text})
                self.assertEqual([(one.path, one.line) for one in result], [(path, line)], result)
                self.assertIn("retired", result[0].what)

    def test_plain_english_and_what_keeps_its_name_is_left_alone(self):
        for path, text in (
            ("sim/a.cpp", cpp("// the newcomer's patience\nint rest = 0;\n")),
            ("tests/a.toml", '[judge]\nprogress = "1s"\n'),
            ("docs/a.md", "# A\n\nA replay, and --replay-all.\n"), ("docs/glossary.md", "# A\n\n`--replay`\n"),
        ):
            with self.subTest(path=path):
                self.assertEqual(found({"harness/scenario/retired.cpp": self.TABLE, path: text}), [])


class Includes(unittest.TestCase):
    def test_each_folder_includes_only_what_the_table_allows(self):
        for folder, header, allowed in (
            ("algorithms", "harness/history/event.hpp", False), ("harness", "algorithms/catalogue.hpp", True),
            ("harness", "sim/run.hpp", False), ("sim", "real/run/run.hpp", False), ("real", "sim/run.hpp", False),
            ("real", "harness/history/event.hpp", True), ("cli", "sim/run.hpp", True),
            ("tests", "real/run/run.hpp", True),
        ):
            with self.subTest(folder=folder, header=header):
                result = found({f"{folder}/a.cpp": cpp(f'#include "{header}"\n')})
                self.assertEqual(not result, allowed, result)
                if not allowed:
                    self.assertEqual((result[0].path, result[0].line), (f"{folder}/a.cpp", 2))
                    self.assertIn("may include only", result[0].what)

    def test_a_room_includes_only_what_is_below_it(self):
        for path, header, allowed in (
            ("real/network/a.cpp", "real/os/descriptor.hpp", True), ("real/os/a.cpp", "real/network/proxy.hpp", False),
            ("real/os/a.cpp", "real/os/janitor.hpp", True), ("sim/world/a.cpp", "search/core/walk.hpp", False),
            ("search/fuzz/a.cpp", "search/automata/host.hpp", False),
            ("sim/services/redis/a.cpp", "sim/world/service_model.hpp", True),
            ("sim/cellar/a.cpp", "sim/run.hpp", False),
        ):
            with self.subTest(path=path, header=header):
                result = found({path: cpp(f'#include "{header}"\n')})
                self.assertEqual(not result, allowed, result)

    def test_only_the_registry_knows_the_services(self):
        for path, header, allowed in (
            ("real/run/a.cpp", "real/services/redis/monitor.hpp", False),
            ("cli/commands/a.cpp", "real/services/memcached/program.hpp", False),
            ("execution/a.cpp", "real/services/redis/redis_driver.hpp", False),
            ("real/run/a.cpp", "real/services/service_driver.hpp", True),
            ("real/services/services.cpp", "real/services/redis/redis_driver.hpp", True),
            ("real/services/redis/a.cpp", "real/services/redis/monitor.hpp", True),
            ("real/external/a.cpp", "real/services/redis/hiredis_reply.hpp", True),
        ):
            with self.subTest(path=path, header=header):
                result = found({path: cpp(f'#include "{header}"\n')})
                self.assertEqual(not result, allowed, result)

    def test_the_command_line_has_one_door_into_the_search(self):
        for header, allowed in (("search/search.hpp", True), ("search/results/frontier.hpp", False)):
            with self.subTest(header=header):
                self.assertEqual(not found({"cli/commands/a.cpp": cpp(f'#include "{header}"\n')}), allowed)

    def test_private_words_do_not_spread(self):
        counts = words.count_stems(
            ["int shown_at = 0;", "class WayOn {};", "bool knows_ways();", "int swayed, toldest;"])
        self.assertEqual((counts["shown"], counts["way"], counts["told"]), (1, 2, 0))
        table = {words.TABLE: cpp("")}
        most = dict((stem, uses) for stem, uses, _ in words.STEMS)["tempt"]
        for uses, allowed in ((most, True), (most + 1, False)):
            result = found({**table, "sim/a.cpp": cpp("".join(f"int tempt_{i};\n" for i in range(uses)))})
            self.assertEqual(not result, allowed, result)

    def test_a_type_is_a_noun(self):
        for name, allowed in (("Found", False), ("WrittenDown", True), ("RoundsTested", False), ("Asking", False),
                              ("Any", False), ("Setting", True), ("FoundKey", True)):
            for kind in ("struct", "class", "enum class"):
                with self.subTest(name=name, kind=kind):
                    self.assertEqual(not found({"sim/a.cpp": cpp(f"{kind} {name} {{}};\n")}), allowed)
        self.assertFalse(found({"sim/a.cpp": cpp("struct Found;\nFound::Found() {}\n")}))

    def test_a_folder_has_at_most_16_headers(self):
        headers = {f"sim/world/h{i}.hpp": cpp("#pragma once\n") for i in range(17)}
        self.assertIn("one of 17 headers", found(headers)[0].what)
        headers.popitem()
        self.assertFalse(found(headers))

    def test_third_party_headers_stay_in_their_places(self):
        for path, header, allowed in (
            ("sim/services/redis/engine.cpp", "lua.hpp", True),
            ("sim/world/engine.cpp", "lua.hpp", False),
            ("real/store.cpp", "hiredis/async.h", True), ("real/store.hpp", "hiredis/async.h", False),
            ("cli/main.cpp", "CLI/CLI.hpp", True), ("harness/report/text.cpp", "CLI/CLI.hpp", False),
            ("harness/scenario/file/parse.cpp", "toml++/toml.h", True), ("cli/main.cpp", "toml++/toml.h", False),
            ("harness/check/cycle.cpp", "boost/graph/adjacency_list.hpp", True),
            ("algorithms/lock.cpp", "fmt/format.h", False), ("real/loop.cpp", "unistd.h", True),
            ("sim/world/world.cpp", "unistd.h", False), ("algorithms/lock.cpp", "vector", True),
            ("tests/real/store_test.cpp", "hiredis/async.h", True), ("sim/world/world.cpp", "zlib/zlib.hpp", False),
        ):
            with self.subTest(path=path, header=header):
                result = found({path: LICENCE + f"#include <{header}>\n#pragma once\n"})
                self.assertEqual(not result, allowed, result)

    def test_our_headers_are_named_from_the_root(self):
        self.assertIn("from the root", found({"sim/a.cpp": cpp('#include "../run.hpp"\n')})[0].what)


class Sizes(unittest.TestCase):
    def test_files_have_at_most_400_lines_and_algorithms_100(self):
        self.assertEqual(found({"sim/a.cpp": cpp("\n" * 399)}), [])
        self.assertIn("401 lines, at most 400", found({"sim/a.cpp": cpp("\n" * 400)})[0].what)
        self.assertIn("at most 100", found({"algorithms/a.cpp": cpp("\n" * 100)})[0].what)
        self.assertEqual(found({"algorithms/port/a.cpp": cpp("\n" * 300)}), [])
        self.assertIn("at most 400", found({"dev": "#!/bin/bash\n" + HASH_LICENCE + "\n" * 400})[0].what)

    def test_functions_have_at_most_70_lines(self):
        body = "  step();\n" * 68
        self.assertEqual(found({"sim/a.cpp": cpp(f"void run() {{\n{body}}}\n")}), [])
        result = found({"sim/a.cpp": cpp(f"namespace a {{\n\nvoid run() {{\n{body}  step();\n}}\n\n}}\n")})
        self.assertEqual([(f.line, f.what) for f in result], [(4, "run has 71 lines, at most 70")])
        python = HASH_LICENCE + "def run():\n" + "    step()\n" * 70
        self.assertEqual([f.line for f in found({"reports/a.py": python})], [2])

    def test_lines_have_at_most_120_columns_counted_in_characters(self):
        self.assertEqual(found({"sim/a.cpp": cpp("//" + "ä" * 118 + "\n")}), [])
        self.assertIn("121 columns", found({"sim/a.cpp": cpp("//" + "a" * 119 + "\n")})[0].what)


class Functions(unittest.TestCase):
    def names(self, code):
        return [name for name, _, _ in cpp_functions(code)]

    def test_finds_members_templates_constructors_and_tests(self):
        code = """
template <class T>
Task<T> made(T (*f)()) {
  auto g = [&](int x) { return x; };
  if (a) { b(); }
}
class A final : public B<int> {
 public:
  A(int x) : x_(x), y_{x} {}
  int get() const override { return x_; }
  int values[2] = {1, 2};
};
TEST(Checker, FindsIt) { EXPECT_TRUE(f()); }
"""
        self.assertEqual(self.names(code), ["made", "A", "get", "TEST"])
        self.assertEqual(cpp_functions("A(int x) : a_(x), y_{x} {\n  f();\n}\n"), [("A", 1, 3)])

    def test_braces_in_texts_and_comments_do_not_count(self):
        code = 'void f() {\n  // {\n  g("{", \'{\', R"lua({)lua");\n  const int n = 1\'000;\n}\nvoid h() {}\n'
        self.assertEqual(cpp_functions(code), [("f", 1, 5), ("h", 6, 1)])

    def test_python_methods_count(self):
        self.assertEqual(python_functions("class A:\n    def f(self):\n        pass\n"), [("f", 2, 2)])


class Banned(unittest.TestCase):
    def test_what_makes_runs_differ_is_banned_where_it_matters(self):
        for code, folder, allowed in (
            ("std::random_device d;", "sim", False), ("#include <random>", "harness", False),
            ("std::ranges::shuffle(v, g);", "sim", False), ("std::chrono::steady_clock::now();", "sim", False),
            ("std::chrono::steady_clock::now();", "real", True), ("std::mutex m;", "harness", False),
            ("std::jthread t;", "sim", False), ("std::jthread t;", "search", True),
            ("getenv(name);", "algorithms", False),
            ("std::unordered_map<int, int> m;", "sim", False), ("std::hash<int> h;", "sim", False),
            ("double d;", "sim", False), ("double d;", "algorithms", False), ("double d;", "harness/report", True),
            ("if (isSimulated()) f();", "real", False), ("if (is_simulated()) f();", "cli", False),
            ("#ifdef __linux__", "cli", False), ("#define X 1", "harness", False), ("#pragma once", "sim", True),
            ("#include <iostream>", "cli", False),
            ("#include <fstream>", "sim", False), ("#include <fstream>", "cli", True),
            ("using namespace std;", "sim", False), ("using namespace std::chrono_literals;", "sim", True),
            ("// a double, drawn from std::random_device", "sim", True), ('f("double");', "sim", True),
            ("InstantAccess::us(x);", "algorithms", False), ("InstantAccess::us(x);", "algorithms/port", True),
            ("InstantAccess::us(x);", "harness", True), ("fmt::print(x);", "algorithms", False),
        ):
            with self.subTest(code=code, folder=folder):
                result = found({f"{folder}/a.cpp": cpp(code + "\n")})
                self.assertEqual(not result, allowed, result)
                self.assertTrue(all(f.line == 2 and f.instead for f in result))

    def test_marks_and_paths_of_one_machine_are_found_in_any_text(self):
        self.assertEqual([f.line for f in found({"docs/a.md": "fine\n// FIX" + "ME later\n"})], [2])
        self.assertEqual([f.line for f in found({"docs/a.md": "see /ho" + "me/someone/x\n"})], [1])
        self.assertEqual(found({"docs/a.md": "see docs/home/x and https://example.org/ho" + "me/x\n"}), [])


class Heads(unittest.TestCase):
    def test_sources_start_with_their_licence(self):
        self.assertIn("licence", found({"sim/a.cpp": "int x;\n"})[0].what)
        self.assertEqual(found({"reports/a.py": "#!/usr/bin/env python3\n" + HASH_LICENCE}), [])
        self.assertIn("licence", found({"reports/a.py": "import os\n" + HASH_LICENCE})[0].what)

    def test_headers_are_read_once(self):
        self.assertIn("included twice", found({"sim/a.hpp": LICENCE + "int f();\n"})[0].what)
        self.assertEqual(found({"sim/a.hpp": LICENCE + "#pragma once\n"}), [])

    def test_names_say_what_is_in_a_file(self):
        for name in ("util", "string_utils", "common", "test_helpers", "lock-manager", "misc"):
            self.assertIn("does not say", found({f"sim/{name}.cpp": LICENCE})[0].what, name)
        self.assertEqual(found({"sim/commons_of_mine.cpp": LICENCE, "sim/utility.cpp": LICENCE}), [])


class Scenarios(unittest.TestCase):
    TEST = {"tests/catalogue_test.cpp": cpp('run("scenarios/notes");\n')}

    def test_each_scenario_has_its_twin(self):
        both = {"scenarios/notes/a.toml": "", "scenarios/notes/a-twin.toml": ""}
        self.assertEqual(found({**both, **self.TEST}), [])
        self.assertIn("has no twin", found({"scenarios/notes/a.toml": "", **self.TEST})[0].what)
        self.assertEqual(found({"scenarios/notes/a.toml": '[twin]\nwithout = "faults"\n', **self.TEST}), [])
        self.assertIn("a twin without", found({"scenarios/notes/a-twin.toml": "", **self.TEST})[0].what)

    def test_what_has_no_fault_and_breaks_nothing_needs_no_twin(self):
        for quiet in ('[expect]\nrun = "no-violation"\n', '[case]\nid = "a"\nrole = "fix"\n'):
            self.assertEqual(found({"scenarios/notes/a.toml": quiet, **self.TEST}), [])
            self.assertIn("has no twin", found({"scenarios/notes/a.toml": quiet + "[[fault]]\n", **self.TEST})[0].what)

    def test_each_scenario_is_run_by_a_test(self):
        both = {"scenarios/other/a.toml": "", "scenarios/other/a-twin.toml": ""}
        self.assertEqual([f.what for f in found({**both, **self.TEST})], ["no test runs this scenario"] * 2)
        by_name = "scenarios/other/a.toml scenarios/other/a-twin.toml"
        for text in (by_name, "check ${ROOT}/scenarios/other/", "check scenarios"):
            self.assertEqual(found({**both, "tests/CMakeLists.txt": text + "\n"}), [], text)


class Links(unittest.TestCase):
    def test_relative_links_lead_somewhere(self):
        page = "[a](b.md) [c](https://example.org/x) [d](#part)\n```\n[e](nowhere.md)\n```\n\n[f](gone.md#part)\n"
        result = found({"docs/a.md": page, "docs/b.md": "b\n"})
        self.assertEqual([(f.line, f.what) for f in result], [(6, "the link to gone.md leads nowhere")])


class Messages(unittest.TestCase):
    def test_a_finding_says_where_what_and_what_to_do_instead(self):
        text = str(found({"sim/a.cpp": cpp("double x;\n")})[0])
        self.assertRegex(text, r"^sim/a.cpp:2: floating point .*; instead: \S")


if __name__ == "__main__":
    unittest.main()
