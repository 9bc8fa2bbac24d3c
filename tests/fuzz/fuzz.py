#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes one target for so long, or builds them all with Clang, libFuzzer, ASan and UBSan first:
fuzz.py SOURCE build | fuzz.py SOURCE TARGET SECONDS

What makes a target fail is left in build/fuzz/found; mended, it belongs to tests/fuzz/corpus. Where there is no Clang
with libFuzzer, the test is skipped.
"""
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
TARGETS = ("scenario", "history", "checkpoint", "resp", "command_line")
PRINTS = {"command_line"}
LONGEST = {"scenario": 20_000, "history": 20_000}  # bytes of an input


def can_fuzz():
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "empty.cpp"
        source.write_text('extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n',
                          encoding="utf-8")
        try:
            done = subprocess.run(["clang++", "-fsanitize=fuzzer,address", str(source), "-o", f"{folder}/empty"],
                                  capture_output=True, check=False)
        except FileNotFoundError:
            return False
        return done.returncode == 0


def build(source):
    subprocess.run(["cmake", "--preset", "fuzz", "--log-level=WARNING"], cwd=source, check=True)
    targets = [f"lockproof-fuzz-{name}" for name in TARGETS]
    subprocess.run(["cmake", "--build", "--preset", "fuzz", "--target", *targets], cwd=source, check=True)


def fuzz(source, name, seconds):
    folder = source / "build/fuzz"
    grown, found = folder / f"corpus-{name}", folder / "found"
    for made in (grown, found):
        made.mkdir(parents=True, exist_ok=True)
    seeds = [source / "tests/fuzz/corpus" / name]
    if name == "scenario":
        seeds += sorted(path for path in (source / "scenarios").iterdir() if path.is_dir())
    options = [f"-max_total_time={seconds}", f"-artifact_prefix={found}/{name}-", "-timeout=10", "-rss_limit_mb=2048",
               f"-max_len={LONGEST.get(name, 4096)}", "-print_final_stats=1"]
    if name in PRINTS:
        options.append("-close_fd_mask=3")
    command = [folder / f"lockproof-fuzz-{name}", *options, grown, *seeds]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                          check=False)
    print("\n".join(done.stderr.splitlines()[-40:]))
    return done.returncode


def main():
    source, what = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    if not can_fuzz():
        print("skipped: no clang++ with libFuzzer; Debian's packages are clang and libclang-rt-14-dev")
        return SKIPPED
    if what == "build":
        build(source)
        return 0
    return 1 if fuzz(source, what, int(sys.argv[3])) != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
