#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One lockproof command on a cluster with Slurm: sh slurm.sh frontier redlock --max-faults 2
# Run it in a folder that all nodes share. Run again, it works on the tasks that have no answer yet.
set -e
[ -e tasks.jsonl ] || lockproof plan "$@" >tasks.jsonl
mkdir -p answers
lockproof join tasks.jsonl answers --missing >missing.jsonl
count=$(wc -l <missing.jsonl)
if [ "$count" -gt 0 ]; then
  # One task of the array for each line; sbatch waits for all of them.
  sbatch --wait --array="1-$count" --cpus-per-task=1 --output=/dev/null \
    --wrap 'sed -n "${SLURM_ARRAY_TASK_ID}p" missing.jsonl | lockproof work --workers 1 --out answers' || true
fi
lockproof join tasks.jsonl answers --out out
