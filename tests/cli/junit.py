#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What --junit writes, by the schemas of Jenkins and of Surefire, and what check makes of good and bad files.

Usage: junit.py PROGRAM ROOT
"""
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

PLAIN = '[algorithm]\nname = "set-px-token"\n'
FILES = {
    "one/lock.toml": PLAIN + '[expect]\nall = "no-violation"\n',
    "other/lock.toml": PLAIN + '[expect.run]\nmutual-exclusion = "outlived"\n',
    "undecided.toml": PLAIN + '[expect]\nrun = "holds"\n',
    "unstated.toml": PLAIN + '[expect]\nexplore = "holds"\n',
    "wrong <&> name.toml": PLAIN + 'locks = "lock"\n',
    "control.toml": 'title = "\\u001b[31mred\\n</x>&]]>"\nlock = "a\\u0000b\\n\\"x\\u001b[31m"\n' + PLAIN
                    + '[expect]\nrun = "violated"\n',
}


class Junit:
    def __init__(self, program, root, folder):
        self.program, self.root, self.folder = program, pathlib.Path(root), pathlib.Path(folder)
        self.failed = []

    def expect(self, good, what):
        if not good:
            self.failed.append(what)

    def run(self, *words, code):
        done = subprocess.run([self.program, *words], cwd=self.root, capture_output=True, text=True, timeout=100,
                              check=False)
        self.expect(done.returncode == code, f"{words} ends with {done.returncode}, not {code}: {done.stderr}")
        return done

    def complaint(self, schema, file):
        schema = self.root / "tests/cli/schemas" / schema
        done = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", schema, file], capture_output=True,
                              text=True, check=False)
        return "" if done.returncode == 0 else done.stderr

    def complaints(self, tree):
        """Of Jenkins about the document, and of Surefire about each of its suites."""
        file = self.folder / "checked.xml"
        tree.write(file)
        found = self.complaint("jenkins-junit-10.xsd", file)
        for suite in tree.getroot():
            ElementTree.ElementTree(suite).write(file)
            found += self.complaint("surefire-test-report.xsd", file)
        return found

    def valid(self, file, what):
        tree = ElementTree.parse(file)
        said = self.complaints(tree)
        self.expect(not said, f"{what}: {said}")
        for suite in tree.getroot():
            for attribute, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                self.expect(int(suite.get(attribute)) == len(suite.findall(f"testcase/{element}")),
                            f"{what}: {suite.get('name')} miscounts {attribute}")
            self.expect(int(suite.get("tests")) == len(suite.findall("testcase")), f"{what}: miscounted tests")
        for total in ("tests", "failures", "errors"):
            self.expect(int(tree.getroot().get(total)) == sum(int(suite.get(total)) for suite in tree.getroot()),
                        f"{what}: the total of {total} is no sum")
        return tree


def of_check(junit):
    scenarios, file = junit.folder / "scenarios", junit.folder / "check.xml"
    done = junit.run("check", str(scenarios), "--junit", str(file), code=64)
    junit.expect("wrong <&> name.toml:3: [algorithm] has no key 'locks'" in done.stdout + done.stderr,
                 f"check does not say what is wrong with the bad file: {done.stdout}")
    suites = {suite.get("name").removeprefix(f"{scenarios}/"): suite for suite in junit.valid(file, "check").getroot()}
    junit.expect(sorted(suites) == sorted([*(f"{name} (simulated)" for name in FILES if "wrong" not in name),
                                           "wrong <&> name.toml"]), f"the suites are {sorted(suites)}")
    said = {name: [(case.get("name"), outcome.tag, outcome.get("message")) for case in suite.iter("testcase")
                   for outcome in case] for name, suite in suites.items()}
    file_of = {name: suite.find("properties/property[@name='file']").get("value") for name, suite in suites.items()}
    junit.expect(all(name.startswith(value.removeprefix(f"{scenarios}/")) for name, value in file_of.items()),
                 f"the files are {file_of}")
    not_judged = ("fault-tolerance", "skipped", "not judged: the scenario states no bound ([judge] progress)")
    for name in ("one/lock.toml", "other/lock.toml", "undecided.toml"):
        junit.expect(not_judged in said[f"{name} (simulated)"], f"{name}: no word of what was not judged")
    tags = {name: {tag for _, tag, _ in cases} for name, cases in said.items()}
    junit.expect(tags == {"one/lock.toml (simulated)": {"skipped"},
                          "other/lock.toml (simulated)": {"failure", "skipped"},
                          "undecided.toml (simulated)": {"error", "skipped"},
                          "unstated.toml (simulated)": {"skipped"}, "wrong <&> name.toml": {"error"},
                          "control.toml (simulated)": {"failure"}}, f"the outcomes are {tags}")
    junit.expect(all("not compared" in message or "not judged" in message
                     for _, _, message in said["unstated.toml (simulated)"]), "unstated: no reason")


def answers(junit, scenario):
    """A plan, and the answers to its tasks."""
    tasks, done = junit.folder / "tasks.jsonl", junit.folder / "answers.jsonl"
    tasks.write_text(junit.run("plan", "run", scenario, "--runs", "20", code=0).stdout)
    with tasks.open() as given:
        done.write_text(subprocess.run([junit.program, "work"], cwd=junit.root, stdin=given, capture_output=True,
                                       text=True, check=True).stdout)
    return str(tasks), str(done)


def of_other_commands(junit):
    scenario, control = "scenarios/documented/leases/lease-outlived.toml", str(junit.folder / "scenarios/control.toml")
    file, out = str(junit.folder / "one.xml"), str(junit.folder / "out")
    for words, code in ((["run", scenario], 0), (["run", control], 1),
                        (["run", scenario, "--runs", "20", "--out", out], 0), (["join", *answers(junit, scenario)], 0),
                        (["explore", scenario], 0), (["explore", scenario, "--memory", "1M"], None),
                        (["explore", "scenarios/documented/leases/retry-starvation.toml", "--liveness"], 0)):
        done = junit.run(*words, "--junit", file, code=code) if code is not None else subprocess.run(
            [junit.program, *words, "--junit", file], cwd=junit.root, capture_output=True, check=False)
        if done:
            junit.valid(file, " ".join(words))


def can_fail(junit):
    """The schemas refuse a document without what they ask for."""
    file = junit.folder / "check.xml"
    for attribute in ("errors", "tests", "name"):
        tree = ElementTree.parse(file)
        del tree.getroot()[0].attrib[attribute]
        said = junit.complaints(tree)
        junit.expect(attribute in said, f"without {attribute} it is as good as before: {said}")


def main():
    program, root = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        junit = Junit(program, root, folder)
        for name, text in FILES.items():
            path = junit.folder / "scenarios" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        of_check(junit)
        of_other_commands(junit)
        can_fail(junit)
    if junit.failed:
        sys.exit("\n".join(junit.failed))
    print("what --junit writes is valid, and says what happened")


if __name__ == "__main__":
    main()
