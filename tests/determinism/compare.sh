#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Same input, same bytes: builds the simulator with other compilers and optimisation levels and compares the histories
# of all scenarios over several seeds with those of the program under test.
# usage: compare.sh SOURCE LOCKPROOF WORK GENERATED COMPILER-LEVEL… as in clang++-O2
set -euo pipefail
source=$1 program=$2 work=$3 generated=$4
shift 4
mkdir -p "$work"
seeds="1 2 3"
launcher=$(command -v ccache || true)

histories() {  # PROGRAM OUT
  rm -rf "$2"
  for scenario in $(find "$source/scenarios" "$source/tests/determinism" -name '*.toml' | sort); do
    [[ $scenario == */budgets/* || $scenario == */cases.toml ]] && continue  # no scenarios
    for seed in $seeds; do
      out=$2/$(basename "$scenario" .toml)/$seed
      (cd "$source" && "$1" run "${scenario#"$source"/}" --seed "$seed" --no-trace --out "$out" >/dev/null) ||
        [ $? -le 2 ]  # a failed expectation is a result as well
    done
  done
  (cd "$2" && find . -name history.jsonl | sort | xargs sha256sum)
}

build() {  # NAME COMPILER FLAGS…
  set -e
  local name=$1 compiler=$2; shift 2
  rm -rf "${work:?}/$name"
  mkdir -p "$work/$name"
  local files
  files=$(cd "$source" && ls algorithms/*.cpp algorithms/*/*.cpp harness/*.cpp \
    harness/{check,history,lua,program,record,scenario,scenario/file,workload}/*.cpp sim/*.cpp \
    sim/{kernel,services,services/*,world}/*.cpp tests/determinism/*.cpp)
  printf '%s\n' $files | xargs -P 2 -I{} bash -c \
    'out="$0/$(echo {} | tr / _).o"; cd "$1" && shift && "$@" -c {} -o "$out"' \
    "$work/$name" "$source" $launcher "$compiler" -std=c++20 "$@" -foptimize-sibling-calls -DFMT_SHARED \
    -I"$source" -I"$generated" $(pkg-config --cflags lua5.1-c++)
  "$compiler" "$work/$name"/*.o -o "$work/$name/lockproof" -lfmt -ltomlplusplus $(pkg-config --libs lua5.1-c++)
  echo "$work/$name/lockproof"
}

histories "$program" "$work/histories-tested" >"$work/tested.sums"
count=$(wc -l <"$work/tested.sums")
[ "$count" -ge 36 ] || { echo "only $count histories were written"; exit 1; }
status=0
for variant in "$@"; do
  built=$(build "$variant" "${variant%-*}" "-${variant##*-}") || { echo "$variant: it does not build"; exit 1; }
  histories "$built" "$work/histories-$variant" >"$work/$variant.sums"
  if diff "$work/tested.sums" "$work/$variant.sums" >/dev/null; then
    echo "$variant: the same $count histories, byte for byte"
  else
    echo "$variant: other bytes:"; diff "$work/tested.sums" "$work/$variant.sums" | head -5; status=1
  fi
done
exit $status
