#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One lockproof command on all cores, by GNU parallel: sh parallel.sh frontier redlock --max-faults 2
# With --sshloginfile HOSTS behind "parallel" on those of other machines, which need the same lockproof and files.
set -e
lockproof plan "$@" >tasks.jsonl
# A task without an answer is named below, so the code of work does not end this script.
parallel --pipe -N1 lockproof work <tasks.jsonl >answers.jsonl || true
lockproof join tasks.jsonl answers.jsonl --out out
