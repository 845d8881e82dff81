# How scripts show that they go on: a line for what takes long, a bar where somebody watches, the output in a file.
# Sourced by house.bash, at the root.

# Seconds that something took when it was done last, for the time that is left now.
durations=.build/durations

last_duration() { # last_duration NAME: nothing where it was never done
  cat "$durations/$1" 2>/dev/null || true
}

note_duration() { # note_duration NAME SECONDS
  mkdir -p "$durations"
  echo "$2" >"$durations/$1"
}

file_name() { # file_name TITLE: as the name of a file
  tr -cs '[:alnum:]\n' - <<<"$1" | sed 's/^-*//; s/-*$//'
}

spoken() { # spoken SECONDS
  if (($1 < 60)); then echo "$1 s"; elif (($1 < 3600)); then echo "$(($1 / 60)) min $(($1 % 60)) s"; else
    echo "$(($1 / 3600)) h $(($1 % 3600 / 60)) min"
  fi
}

# Whether somebody watches.
is_watched() {
  [[ -t 2 && ${TERM:-dumb} != dumb ]]
}

# Where a log stands: the last "[12/345]" in its end, as "12 345"; nothing where there is none.
steps_done() { # steps_done LOG
  tail -c 4096 "$1" 2>/dev/null | grep -oE '\[[0-9]+/[0-9]+\]' | tail -n 1 | tr -d '[]' | tr / ' ' || true
}

# A bar on one line that is drawn over: how much is done, and what is left of the time.
draw_bar() { # draw_bar TITLE ELAPSED LAST DONE TOTAL
  local title=$1 elapsed=$2 last=$3 done=${4:-0} total=${5:-0} percent=-1 left='' width=24 filled
  # Early steps say little of the late ones: what it took last time says more.
  if [[ -n $last ]] && ((last > 0)); then
    percent=$((elapsed * 100 / last))
    left=$((last > elapsed ? last - elapsed : 0))
    # It goes faster or slower than then: the steps know better.
    if ((total > 0 && (elapsed > last || done * 100 / total > percent + 20))); then left='' percent=-1; fi
  fi
  if ((percent < 0 && total > 0)); then
    percent=$((done * 100 / total))
    if ((done * 20 >= total && elapsed >= 5)); then left=$((elapsed * (total - done) / done)); fi
  fi
  ((percent <= 99)) || percent=99
  local line="$title "
  if ((percent >= 0)); then
    filled=$((percent * width / 100))
    line+=$(printf '%*s' "$filled" '' | tr ' ' '#')$(printf '%*s' $((width - filled)) '' | tr ' ' '.')" $percent%"
    ((total == 0)) || line+=" ($done of $total)"
  fi
  line+=", $(spoken "$elapsed")"
  [[ -z $left ]] || line+=", about $(spoken "$left") left"
  local columns
  columns=$(tput cols 2>/dev/null || echo 80)
  printf '\r\033[K%s' "${line:0:columns - 1}" >&2
}

# Draws a bar for a log that something else writes, until end_watch; nothing where nobody watches.
watch_log() { # watch_log TITLE LOG LAST [BEGAN], which is now unless told
  watcher=
  is_watched || return 0
  (
    began=${4:-$SECONDS}
    # It ends with the script, however that ends.
    while kill -0 $$ 2>/dev/null; do
      # shellcheck disable=SC2046
      draw_bar "$1" $((SECONDS - began)) "$3" $(steps_done "$2")
      sleep 0.5
    done
  ) &
  watcher=$!
}

end_watch() {
  [[ -n $watcher ]] || return 0
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  watcher=
  printf '\r\033[K' >&2
}

# Runs a command with all that it prints in a log. Standard error gets one line, a bar while it runs where somebody
# watches, and the end of the log where it fails.
quietly() { # quietly TITLE COMMAND...
  local title=$1 name log status=0 began=$SECONDS
  shift
  name=$(file_name "$title")
  log=.build/logs/$name.log
  mkdir -p .build/logs
  : >"$log"
  is_watched || echo "$title ..." >&2
  watch_log "$title" "$log" "$(last_duration "$name")"
  "$@" </dev/null >"$log" 2>&1 || status=$?
  end_watch
  if ((status != 0)); then
    tail -n 40 "$log" >&2
    echo "$title: failed with status $status after $(spoken $((SECONDS - began))); all of it: $log" >&2
    return "$status"
  fi
  if ((SECONDS - began >= 2)); then
    note_duration "$name" $((SECONDS - began))
    echo "$title: $(spoken $((SECONDS - began)))" >&2
  elif is_watched; then
    echo "$title: done" >&2
  fi
}
