# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The phases of ./dev test, for dev alone.

# What failed is said once more at the end: between thousands of other tests nobody finds it.
run_ctest() {  # PRESET CTEST-ARGUMENT…
  local logs="build/$1/Testing/Temporary" failed=0 name
  ctest --test-dir "build/$1" --output-on-failure -j 2 "${@:2}" || failed=$?
  ((failed)) || return 0
  while IFS=: read -r _ name; do
    printf '%s\n' "$name" >>build/failed-tests
    say "$name failed. The end of what it printed:"
    awk -v name="$name" '/ Test: / { here = substr($0, index($0, " Test: ") + 7) == name }
      /^<end of output>/ { here = 0 } here' "$logs/LastTest.log" |
      tail -n 40
  done < <(head -n 10 "$logs/LastTestsFailed.log" 2>/dev/null)
  return "$failed"
}

# What happens on real servers depends on when the machine lets them run: such a test may be tried again, the
# simulator's may not. They wait more than they compute, so several run on each core, and the long tests of the
# simulator, which only compute, have what they leave: an idle process gives way at once. Two ctest in one folder would
# write the same files, so the second has a folder of its own, which names the tests of the first.
run_all_tests() {  # PRESET CTEST-ARGUMENT…
  local failed=0 beside="$1/beside" computing
  mkdir -p "build/$beside"
  printf 'subdirs("%s")\n' "$PWD/build/$1" >"build/$beside/CTestTestfile.cmake"
  set -m  # a process group of its own, which ends with this script
  (idle run_ctest "$beside" "${@:2}" -L "^long$") >"build/$beside/log" 2>&1 </dev/null &
  computing=$!
  set +m
  trap "kill -- -$computing 2>/dev/null" EXIT
  run_ctest "$@" -j 4 -L "^(real|execution|contracts|conformance|needs-redis)$" --repeat until-pass:3 || failed=$?
  run_ctest "$@" -j 3 -L "^services$" --repeat until-pass:3 || failed=$?
  say "The long tests of the simulator, which ran beside the others"
  wait "$computing" || failed=$?
  trap - EXIT
  cat "build/$beside/log"
  return "$failed"
}

# Names the tests that failed since build/failed-tests was emptied, as the last words of a command with several phases.
name_failed_tests() {
  if [[ -s build/failed-tests ]]; then say "Failed: $(sort -u build/failed-tests | paste -sd' ')"; fi
}

# Runs it with what other processes leave of the cores.
idle() {  # COMMAND…
  chrt --idle --pid 0 "$BASHPID" 2>/dev/null || renice -n 19 "$BASHPID" >/dev/null
  "$@"
}

# How many lines of the simulator, the search and the locks the unit tests run. Below the floor something came without
# a test of its own.
coverage_floor=84
measure_coverage() {
  local covered='(algorithms|sim|harness|search)/'
  configure_and_build coverage --target unit_tests || return
  find build/coverage -name '*.gcda' -delete
  run_ctest coverage -L "^(algorithms|harness|sim|explore|zones|lua|liveness|minimize|mutants)$" \
    -E "_NOT_BUILT|^cli\." --quiet || return
  say "Coverage of algorithms/, sim/, harness/ and search/ by unit tests, with a floor of $coverage_floor % of lines"
  gcovr --root . --filter "$covered" --gcov-ignore-parse-errors --exclude-throw-branches \
    --fail-under-line "$coverage_floor" \
    --txt build/coverage/report.txt --print-summary -j 2 build/coverage 2>build/coverage/gcovr.log && return
  say "gcovr failed. The end of build/coverage/gcovr.log:"
  tail -n 5 build/coverage/gcovr.log
  return 1
}
