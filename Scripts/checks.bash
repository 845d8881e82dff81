# What Scripts/check and Scripts/examples have in common: checks that are counted, tests that are, and the examples.
# Whoever sources it stands in the root afterwards.
source "$(dirname "${BASH_SOURCE[0]}")/house.bash"

# A trait is a flag of every module: turned on here and off there, it would build all of them twice. So everything
# that is checked has it, and is built once.
traits=(--traits NATS)
if ! Scripts/prerequisites --with-nats; then
  echo "Without libnats and nats-server, StarlingNATS is neither built nor tested."
  traits=()
fi

logs=.build/check
mkdir -p "$logs"
passed=0
failed=0

begin() { # begin TITLE LOG
  began=$SECONDS
  title=$1
  local last
  last=$(last_duration "check-$(file_name "$title")")
  echo "$title ...${last:+ (last time $(spoken "$last"))}"
  : >"$2"
  watch_log "$title" "$2" "$last"
}

end() { # end VERDICT
  end_watch
  note_duration "check-$(file_name "$title")" $((SECONDS - began))
  echo "  $1 ($(spoken $((SECONDS - began))))"
}

log_of() { # log_of TITLE
  echo "$logs/$(tr -cs '[:alnum:]\n' - <<<"$1").log"
}

# One check that holds or does not.
check() { # check TITLE COMMAND...
  local log
  log=$(log_of "$1")
  begin "$1" "$log"
  if "${@:2}" >"$log" 2>&1; then
    passed=$((passed + 1))
    end "holds"
  else
    failed=$((failed + 1))
    end_watch
    tail -n 200 "$log"
    end "does not hold; all of it: $log"
    return 1
  fi
}

# Runs the command, and ends it with all that it began where it hangs.
minutes_max=45
within_bound() { # within_bound COMMAND...
  local run watch status=0
  set -m
  "$@" &
  run=$!
  watch_over "$run" &
  watch=$!
  set +m
  wait "$run" || status=$?
  kill -- "-$watch" 2>/dev/null || true
  return $status
}

# Whether a process that runs tests descends from RUN: `swift test` starts one, NAME.xctest or a helper of its own.
tests_run_below() { # tests_run_below RUN
  ps -A -o pid=,ppid=,args= | awk -v run="$1" '
    { parent[$1] = $2; if ($3 ~ /\.xctest$|\/xctest$|\/swiftpm-testing-helper$/) tests[$1] = 1 }
    END {
      for (pid in tests) for (above = pid; above in parent; above = parent[above]) if (above == run) found = 1
      exit !found
    }'
}

# A process that ends while its crash is described leaves the program that describes it (swift-backtrace) waiting for it for
# ever, and that holds the output for whose end `swift test` waits.
end_orphaned_backtraces() {
  ps -A -o pid=,ppid=,sess=,comm= | awk -v session="$(ps -o sess= -p $$)" \
    '$2 == 1 && $3 == session && $4 ~ /swift-backtrace/ { print $1 }' | xargs -r kill 2>/dev/null || true
}

# Ends a run that stands still: soon after its tests died, or at the bound.
watch_over() { # watch_over RUN
  local began=$SECONDS have_run=0 gone=0
  while ((SECONDS - began < 60 * minutes_max)); do
    sleep 5
    if tests_run_below "$1"; then have_run=1 gone=0; continue; fi
    # A run ends at once where its tests did so properly.
    ((have_run && ++gone >= 2)) || continue
    echo "error: The process that ran the tests ended, and the run did not end with it."
    end_orphaned_backtraces
    sleep 5
    break
  done
  { kill -TERM -- "-$1"; sleep 10; kill -KILL -- "-$1"; } 2>/dev/null
}

# What began and did not end: "◇ Test name started." without "✔ Test name passed after ...".
unfinished() { # unfinished LOG
  awk 'match($0, / Test .* (started\.|passed after|failed after)/) && !/Test (case|run)/ {
    name = substr($0, RSTART, RLENGTH)
    ends = !sub(/ started\.$/, "", name)
    sub(/ (passed|failed) after$/, "", name)
    sub(/ with [0-9]+ test cases?$/, "", name)
    if (ends) delete begun[name]; else begun[name] = 1
  }
  END { for (name in begun) print "  did not end:" name }' "$1"
}

# Many checks that Swift Testing counts: "Test run with 12 tests in 3 suites passed after ...".
tests() { # tests TITLE COMMAND...
  local log status=0 run broken held skipped
  # Without a bound all tests run at once: those that are given little time wait for the others in it, and the files that
  # they have open together are more than Foundation's Process survives (it reads past the end of a full page of names
  # below /proc/self/fd). One test of a store has some forty open, and many machines let a process have 1,024.
  local -x SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8
  # The allocator overwrites what is freed: a value that is read too late shows at once, and not once in a hundred runs.
  local -x MALLOC_PERTURB_=165
  log=$(log_of "$1")
  begin "$1" "$log"
  within_bound "${@:2}" >"$log" 2>&1 || status=$?
  end_watch
  run=$(sed -nE 's/^.* Test run with ([0-9]+) tests? .*$/\1/p' "$log" | paste -sd+ -)
  skipped=$(grep -cE '^[^ ]+ Test .* skipped' "$log" || true)
  broken=$(grep -E '^[^ ]+ Test .* failed after ' "$log" | grep -cvE '^[^ ]+ Test (run with|case passing) ' || true)
  if [[ -n $run ]]; then
    held=$((run - broken - skipped)) # The run counts the skipped ones too.
  else # The run crashed before its summary: one failure more than those it told of.
    held=$(grep -E '^[^ ]+ Test .* passed after ' "$log" | grep -cvE '^[^ ]+ Test case passing ' || true)
    broken=$((broken + 1))
    unfinished "$log"
    sed -nE 's/^error: (The process that ran|Process .* exited with)/  died: \1/p' "$log"
    grep -m 3 -A 15 -E 'Assertion .*failed|Fatal error|Crash|[Cc]rashed|Sanitizer|unexpected signal' "$log" || tail -n 60 "$log"
  fi
  if ((status != 0 && broken == 0)); then
    broken=1
    tail -n 60 "$log"
  fi
  grep -E '^note: ' "$log" | sed 's/^/  /' || true
  grep -E -A 4 '^[^ ]+ Test .* recorded an issue' "$log" | grep -vE '^[^ ]+ Test .* started' | tail -n 200 || true
  passed=$((passed + held))
  failed=$((failed + broken))
  ((skipped == 0)) || grep -E '^[^ ]+ Test .* skipped' "$log" | sed 's/^/  /'
  end "$held passed, $broken failed, $skipped skipped; all of it: $log"
}

# Builds or tests in another package with what the root was built with; a package that does not pass the trait on has none.
swift_in() { # swift_in PACKAGE_FOLDER COMMAND OPTIONS...
  local passed_on=()
  if grep -q '"NATS"' "$1/Package.swift"; then passed_on=(${traits[@]+"${traits[@]}"}); fi
  swift "$2" $planned --package-path "$1" --scratch-path .build ${passed_on[@]+"${passed_on[@]}"} "${@:3}"
}

finish() {
  echo "$passed passed, $failed failed"
  ((failed == 0 && passed > 0))
}

# Every package of Examples/, built and tested as a user's package is: from outside, through its own manifest.
check_examples() {
  local package
  for package in Examples/*/; do
    package=${package%/}
    [[ -e $package/Package.swift ]] || continue
    share_versions "$package"
    check "Building $package" swift_in "$package" build --build-tests || continue
    if [[ -d $package/Tests ]]; then
      tests "Testing $package" swift_in "$package" test --skip-build --disable-xctest
    fi
  done
  check "Playing at the board: no card and no vote is lost" .build/debug/board --seconds 6 || true
  check "Running the examples as two processes" Scripts/two-processes || true
  check "Installing the Python peer" install_python_peer &&
    python_tests "Testing Examples/Python" Examples/Python/tests || true
}

# Into an environment of its own, as pip installs it for a user.
install_python_peer() {
  # An environment names its own folder: one of a checkout that was moved or copied does not run.
  .build/python/bin/pip --version >/dev/null 2>&1 || python3 -m venv --clear .build/python || return
  # pip leaves what it builds beside the sources, so it gets a copy of them.
  rm -rf .build/python-source && cp -R Examples/Python .build/python-source || return
  .build/python/bin/pip install --quiet ./.build/python-source &&
    .build/python/bin/pip install --quiet --force-reinstall --no-deps ./.build/python-source &&
    .build/python/bin/starling-peer --version
}

# Tests that unittest counts: "Ran 12 tests in 3.1s", and then "OK" or "FAILED (failures=1, errors=2, skipped=3)".
python_tests() { # python_tests TITLE FOLDER
  local log status=0 run broken skipped
  log=$(log_of "$1")
  begin "$1" "$log"
  STARLING_PRODUCTS=$PWD/.build/debug within_bound .build/python/bin/python -m unittest discover -s "$2" >"$log" 2>&1 ||
    status=$?
  run=$(sed -nE 's/^Ran ([0-9]+) tests? .*/\1/p' "$log")
  broken=$(sed -nE 's/^FAILED \((.*)\)/\1/p' "$log" | grep -oE '(failures|errors)=[0-9]+' | cut -d= -f2 | paste -sd+ -)
  skipped=$(grep -oE 'skipped=[0-9]+' "$log" | tail -n 1 | cut -d= -f2)
  broken=$((${broken:-0})) skipped=$((${skipped:-0}))
  if ((status != 0 && broken == 0)); then broken=1; fi
  ((broken == 0)) || tail -n 60 "$log"
  passed=$((passed + ${run:-0} - broken - skipped))
  failed=$((failed + broken))
  end "$((${run:-0} - broken - skipped)) passed, $broken failed, $skipped skipped; all of it: $log"
}
