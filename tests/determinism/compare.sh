#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Same input, same bytes: builds the simulator with other compilers and optimisation levels and compares the histories
# of all scenarios over several seeds with those of the program under test.
# usage: compare.sh SOURCE LOCKPROOF WORK GENERATED COMPILER-LEVEL… as in clang++-O2. SEEDS: the seeds, 1 to 3 if unset.
set -euo pipefail
seeds=${SEEDS:-1 2 3}

if [[ $1 == --run ]]; then  # SOURCE PROGRAM OUT SCENARIO…
  cd "$2"
  for scenario in "${@:5}"; do
    for seed in $seeds; do
      "$3" run "$scenario" --seed "$seed" --quiet --out "$4/$(basename "$scenario" .toml)/$seed" >/dev/null ||
        [ $? -le 2 ]  # a failed expectation is a result as well
    done
  done
  exit
fi

source=$1 program=$2 work=$3 generated=$4
shift 4
mkdir -p "$work"

histories() {  # PROGRAM OUT
  rm -rf "$2"
  for scenario in $(find "$source/scenarios" "$source/tests/determinism" -name '*.toml' | sort); do
    [[ $scenario == */budgets/* || $scenario == */cases.toml ]] && continue  # no scenarios
    printf '%s\n' "${scenario#"$source"/}"
  done | xargs -P 2 -n 8 "${BASH_SOURCE[0]}" --run "$source" "$1" "$2"
  (cd "$2" && find . -name history.jsonl | sort | xargs sha256sum)
}

build() {  # NAME COMPILER FLAGS…
  set -e
  local name=$1 compiler=$2; shift 2
  rm -rf "${work:?}/$name"
  mkdir -p "$work/$name"
  # In batches of eight files of a folder, each batch one unit for the compiler: that takes a third of the time.
  local folder
  for folder in $(cd "$source" && ls -d algorithms algorithms/*/ harness harness/{check,history,lua,program,record}/ \
    harness/{scenario,scenario/{faults,file},workload}/ sim sim/{kernel,services,services/*,world,world/*}/ \
    tests/determinism/); do
    (cd "$source" && ls "${folder%/}"/*.cpp 2>/dev/null) | sed 's/.*/#include "&"/' |
      split -l 8 -d --additional-suffix=.cpp - "$work/$name/$(echo "${folder%/}" | tr / _)-"
  done
  local flags=(-std=c++20 "$@" -foptimize-sibling-calls -DFMT_SHARED -I"$source" -I"$generated")
  flags+=($(pkg-config --cflags lua5.1-c++))
  local precompiled=()  # at -O0 that takes two fifths less
  if [[ $compiler == clang* ]]; then
    "$compiler" "${flags[@]}" -x c++-header "$source/tests/determinism/precompiled.hpp" -o "$work/$name/precompiled.pch"
    precompiled=(-include-pch "$work/$name/precompiled.pch")
  fi
  find "$work/$name" -name '*.cpp' | sort |
    xargs -P 2 -I{} "$compiler" "${flags[@]}" "${precompiled[@]}" -c {} -o {}.o
  "$compiler" "$work/$name"/*.o -o "$work/$name/lockproof" -lfmt -ltomlplusplus $(pkg-config --libs lua5.1-c++)
  echo "$work/$name/lockproof"
}

histories "$program" "$work/histories-tested" >"$work/tested.sums"
count=$(wc -l <"$work/tested.sums")
[ "$count" -ge 36 ] || { echo "only $count histories were written"; exit 1; }
status=0
for variant in "$@"; do
  built=$(build "$variant" "${variant%-*}" "-${variant##*-}") && [ -x "$built" ] ||
    { echo "$variant: it does not build"; exit 1; }
  histories "$built" "$work/histories-$variant" >"$work/$variant.sums"
  if diff "$work/tested.sums" "$work/$variant.sums" >/dev/null; then
    echo "$variant: the same $count histories, byte for byte"
  else
    echo "$variant: other bytes:"; diff "$work/tested.sums" "$work/$variant.sums" | head -5; status=1
  fi
done
exit $status
