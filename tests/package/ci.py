#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The GitHub Action and the GitLab template install the archive and check scenarios; what the workflows call exists.

ci.py CMAKE BUILD_FOLDER. A gh that hands out the archive, and an apt-get that does nothing, are what a runner has.
Needs Debian's python3-yaml.
"""
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77
try:
    import yaml
except ImportError:
    print("skipped: this Python has no yaml")
    sys.exit(SKIPPED)

GH = """#!/bin/bash
while [[ $1 != --dir ]]; do shift; done
cp "$ARCHIVES"/* "$2"
"""


def archive(folder, cmake, build):
    """As ./dev bundle makes it, with its sum."""
    name = "lockproof-0.0.0-linux-amd64"
    subprocess.run([cmake, "--install", build, "--prefix", folder / name], check=True, capture_output=True)
    made = folder / "archives"
    made.mkdir()
    file = made / f"{name}.tar.gz"
    with tarfile.open(file, "w:gz", compresslevel=1) as tar:
        tar.add(folder / name, name)
    (made / "SHA256SUMS").write_text(f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n", encoding="utf-8")
    return file


def runner(folder, file, expected):
    """A project with one scenario, and the environment of its jobs."""
    project = folder / f"project-{expected}"
    (project / "locks").mkdir(parents=True)
    shutil.copy(ROOT / "scenarios/lua/set_px_token.lua", project / "locks/ours.lua")
    (project / "locks/ours.toml").write_text(
        '[algorithm]\nfile = "ours.lua"\n[workload]\nlease = "10s"\nwork = ["read", "hold 5s", "write"]\n'
        f'[expect]\nrun = "{expected}"\n', encoding="utf-8")
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    for name, text in {"gh": GH, "apt-get": "#!/bin/sh\n"}.items():
        (tools / name).write_text(text, encoding="utf-8")
        (tools / name).chmod(0o755)
    return project, {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(folder), "NO_COLOR": "1",
                     "ARCHIVES": str(file.parent)}


def run_action(folder, file, expected):
    """The exit code of its last step, and the job's summary."""
    project, environment = runner(folder, file, expected)
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    given = {name: value.get("default", "") for name, value in action["inputs"].items()}
    files = {name: project.parent / f"{name}-{expected}" for name in ("GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
    environment.update({name: str(path) for name, path in files.items()})
    environment["RUNNER_TEMP"] = str(project / "temp")
    for step in action["runs"]["steps"]:
        values = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: given[found[1]], value)
                  for name, value in step["env"].items()}
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], cwd=project, check=False,
                              env={**environment, **values}, capture_output=True, text=True)
        if files["GITHUB_PATH"].exists():
            environment["PATH"] = f"{files['GITHUB_PATH'].read_text().strip()}:{environment['PATH']}"
    assert (project / "out/locks/junit.xml").exists(), done.stdout + done.stderr
    assert (project / "out/locks/pages/index.html").exists(), done.stdout + done.stderr
    return done.returncode, files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")


def run_template(folder, file, expected):
    """The exit code of its script."""
    project, environment = runner(folder / "gitlab", file, expected)
    job = yaml.safe_load((ROOT / "docs/ci/lockproof.gitlab-ci.yml").read_text(encoding="utf-8"))[".lockproof"]
    environment.update(job["variables"], LOCKPROOF_ARCHIVE=str(file))
    places = {"/opt/lockproof": str(project / "opt"), "/tmp/lockproof.tar.gz": str(project / "archive.tar.gz"),
              "/usr/local/bin/lockproof": str(folder / "gitlab/tools/lockproof")}
    code = 0
    for part in ("before_script", "script", "after_script"):
        script = "\n".join(job[part])
        for place, here in places.items():
            script = script.replace(place, here)
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=project, env=environment,
                              capture_output=True, text=True, check=False)
        assert part == "script" or done.returncode == 0, done.stdout + done.stderr
        code = done.returncode if part == "script" else code
    assert (project / "out/locks/junit.xml").exists() and (project / "out/locks/pages/index.html").exists()
    return code


def check_workflows():
    """Each script is one, and calls verbs of ./dev that exist."""
    usage = subprocess.run(["bash", ROOT / "dev", "help"], capture_output=True, text=True, check=True).stdout
    verbs = set(re.findall(r"^  ([a-z]+)", usage, re.MULTILINE))
    called = set()
    for file in sorted((ROOT / ".github/workflows").glob("*.yml")):
        for job in yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"].values():
            for script in (step["run"] for step in job["steps"] if "run" in step):
                plain = re.sub(r"\$\{\{.*?\}\}", "", script)
                subprocess.run(["bash", "-n"], input=plain, text=True, check=True)
                called |= set(re.findall(r"\./dev ([a-z]+)", script))
    assert {"test", "bundle", "package", "wheel"} <= called <= verbs, (called, verbs)


def main():
    check_workflows()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        file = archive(scratch, *sys.argv[1:])
        (scratch / "gitlab").mkdir()
        for expected, code in (("no-violation", 0), ("violated", 1)):
            ended, summary = run_action(scratch, file, expected)
            assert ended == code and summary, (ended, summary)
            assert run_template(scratch, file, expected) == code
    print("the Action and the template check scenarios")


if __name__ == "__main__":
    main()
