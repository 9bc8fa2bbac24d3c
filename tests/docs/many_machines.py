#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The samples for many machines, each run as its engine runs it, say what one machine says: many_machines.py LOCKPROOF
SOURCE.

GNU parallel and Slurm are those of Debian; Slurm's daemons serve the loopback, in a folder of this test. Of the matrix
of GitHub and of the Job of Kubernetes the commands are run, once for each part. Exit code 77: parallel or Slurm is
missing.
"""
import getpass
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

PROGRAM, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
SAMPLES = SOURCE / "docs/ci"
COMMAND = "frontier ours.toml --max-faults 2"
SCENARIO = """[algorithm]
name = "set-px-token"
[workload]
lease = "10s"
work = ["hold 2s"]
[explore]
max_faults = 2
[[explore.fault]]
kind = "pause"
target = "clients"
for = ["4s", "T+grid"]
[[explore.fault]]
kind = "clock-jump"
target = "servers"
by = ["T/2"]
[[explore.fault]]
kind = "crash"
"""
TASKS = 3  # sets of two entries


def expect(holds, what, text=""):
    if not holds:
        sys.exit(f"many_machines: {what}: {text}")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Team:
    """A folder with the scenario, in which `lockproof` is the program."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        (folder / "ours.toml").write_text(SCENARIO)
        tools = folder / "tools"
        tools.mkdir()
        (tools / "lockproof").symlink_to(PROGRAM)
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "NO_COLOR": "1"}

    def run(self, line, **more):
        done = subprocess.run(["sh", "-ec", line], cwd=self.folder, env={**self.environment, **more},
                              capture_output=True, text=True, check=False, timeout=200)
        expect(done.returncode == 0, f"{line} ends with {done.returncode}", done.stdout + done.stderr)
        return done.stdout

    def found(self, file="out/frontier.json"):
        (search,) = json.loads((self.folder / file).read_text())["frontiers"]
        for found in search["properties"]:  # one machine alone writes the scenarios of what it found
            for one in found["enough"] + found["harmless"]:
                one.pop("counterexample", None)
                one.pop("evidence", None)
        return search["properties"], search["not_tried"]


class Slurm:
    """slurmctld and slurmd on the loopback. They end with the object."""

    def __init__(self, folder):
        for name in ("state", "spool"):
            (folder / name).mkdir(parents=True)
        user = getpass.getuser()
        config = folder / "slurm.conf"
        config.write_text("\n".join((
            "ClusterName=loopback", "SlurmctldHost=localhost(127.0.0.1)", f"SlurmUser={user}", f"SlurmdUser={user}",
            "AuthType=auth/none", "CredType=cred/none", "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core", "ReturnToService=2", "MpiDefault=none",
            f"SlurmctldPort={free_port()}", f"SlurmdPort={free_port()}", f"StateSaveLocation={folder}/state",
            f"SlurmdSpoolDir={folder}/spool", f"SlurmctldPidFile={folder}/ctld.pid", f"SlurmdPidFile={folder}/d.pid",
            "SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=1",
            f"NodeName=localhost NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN",
            "PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP", "")))
        self.environment = {"SLURM_CONF": str(config)}
        self.log = (folder / "log").open("w+")
        path = f"{os.environ['PATH']}:/usr/sbin"
        self.daemons = [subprocess.Popen([*words, "-D"], env={**os.environ, **self.environment, "PATH": path},
                                         stdout=self.log, stderr=self.log)
                        for words in (["slurmctld", "-i"], ["slurmd", "-N", "localhost"])]

    def await_node(self):
        for _ in range(120):
            said = subprocess.run(["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True, check=False,
                                  env={**os.environ, **self.environment}).stdout.strip()
            if said == "idle":
                return
            time.sleep(0.5)
        self.log.seek(0)
        expect(False, "Slurm has no idle node", self.log.read()[-2000:])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait(30)


def check_matrix(team, whole):
    """Each part as its runner runs it, then the sum."""
    text = (SAMPLES / "matrix.yml").read_text()
    work, join = text.split("  join:")
    commands = [re.search(r"run: (.*)", part)[1] for part in re.split(r"^ +- ", text, flags=re.M)[1:]
                if "run: " in part and "apt-get" not in part]
    expect(len(commands) == 5, "the matrix has five commands", commands)
    parts = json.loads(re.search(r"part: (\[.*\])", work)[1])
    words = [command[1:-1] if command.startswith('"') else command for command in commands]
    for part in parts:
        for command in words[:3]:
            team.run(command.replace("${{ matrix.part }}", str(part)), COMMAND=COMMAND)
    for command in words[3:]:
        team.run(command, COMMAND=COMMAND, GITHUB_STEP_SUMMARY=str(team.folder / "summary.md"))
    team.run("lockproof join tasks.jsonl answers --out out")
    expect(team.found() == whole, "the matrix says otherwise", team.found())
    expect("set-px-token" in (team.folder / "summary.md").read_text(), "the summary names the lock")
    expect(len(list((team.folder / "answers").iterdir())) == TASKS, "each task has one answer")


def check_kubernetes(team, whole):
    text = (SAMPLES / "kubernetes.yml").read_text()
    command = re.search(r"command: \[sh, -c, '(.*)'\]", text)[1]
    team.run(f"lockproof plan {COMMAND} > tasks.jsonl")
    for index in range(TASKS):
        local = command.replace("/tasks/", "").replace("/answers", "answers")
        team.run(local, JOB_COMPLETION_INDEX=str(index))
    team.run("lockproof join tasks.jsonl answers --out out")
    expect(team.found() == whole, "the Job says otherwise", team.found())


def main():
    os.environ["PATH"] += ":/usr/sbin"
    missing = [name for name in ("parallel", "slurmctld", "slurmd", "sbatch") if not shutil.which(name)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        one = Team(folder / "one")
        one.run(f"lockproof {COMMAND} --out out")
        whole = one.found()
        check_matrix(Team(folder / "matrix"), whole)
        check_kubernetes(Team(folder / "kubernetes"), whole)
        if missing:
            print(f"not installed: {missing}")
            sys.exit(77)
        team = Team(folder / "parallel")
        team.run(f"sh {SAMPLES}/parallel.sh {COMMAND}")
        expect(team.found() == whole, "GNU parallel says otherwise", team.found())
        with Slurm(folder / "slurm") as slurm:
            slurm.await_node()
            team = Team(folder / "cluster")
            team.run(f"sh {SAMPLES}/slurm.sh {COMMAND}", **slurm.environment)
            expect(team.found() == whole, "Slurm says otherwise", team.found())
            answers = sorted((team.folder / "answers").iterdir())
            expect(len(answers) == TASKS, "each task has one answer", answers)
            answers[0].unlink()
            team.run(f"sh {SAMPLES}/slurm.sh {COMMAND}", **slurm.environment)
            expect(team.found() == whole, "a lost task is worked on again", team.found())
    print("many_machines: four engines say what one machine says")


if __name__ == "__main__":
    main()
