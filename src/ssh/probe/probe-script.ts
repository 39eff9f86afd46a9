// The shell functions that the probe runs on a host: plain POSIX sh with what BusyBox, Debian and
// macOS have in common. They only print; what it means is read on this side. Each request is a call
// of one of them. No program they start gets the shell's input: that is where requests come from.

import { markerLines, PREPARE } from '../connection/start-script.ts';
import { EDITS } from './edit-script.ts';

/** More processes than this under all panes together are not looked at. */
const PROCESSES_MAX = 4_096;
/** A command line may be megabytes long; the program and its first words identify it. */
const ARGV_BYTES_MAX = 16_384;
/** More is no environment of an agent; the kernel has no bound of its own. */
const ENVIRONMENT_BYTES_MAX = 1_048_576;
/** So long an event is left for others who watch the host, by its own clock and its own name. */
const READABLE_SECONDS = 600;
/** Removed in one go; the rest goes with the next. */
const REMOVED_MAX = 1_000;

/** Runs a program for 3 s at most, where the host has a way to bound it. */
const BOUNDED = `
if timeout -s KILL 3 true; then
  agtmux_bounded() { timeout -s KILL 3 "$@"; }
elif command -v perl; then
  agtmux_bounded() { perl -e 'alarm 3; exec @ARGV' "$@"; }
else
  agtmux_bounded() { "$@"; }
fi
`;

/**
 * `tree`: /proc with lists of children. `scan`: /proc without them. `ps`: neither, so start times
 * are as ps writes them. `none`: nothing can be said about processes.
 */
const FACTS = `
if [ -r "/proc/$$/task/$$/children" ]; then agtmux_processes=tree
elif [ -r "/proc/$$/stat" ]; then agtmux_processes=scan
elif ps -A -o pid= -o ppid= -o stat= -o lstart= -o ucomm= | grep -q .; then agtmux_processes=ps
else agtmux_processes=none
fi
agtmux_facts() {
  uid=$(id -u)
  printf 'uid=%s\\nhome=%s\\nsystem=%s\\n' "$uid" "\${HOME-}" "$(uname -srm)"
  printf 'socket=%s\\n' "\${TMUX_TMPDIR:-/tmp}/tmux-$uid/default"
  printf 'tmux=%s\\nversion=%s\\n' "$(command -v tmux)" "$(agtmux_bounded tmux -V)"
  now=$(date +%s%N)
  printf 'processes=%s\\nnow=%s\\n' "$agtmux_processes" "\${now%%[!0-9]*}"
  boot=
  [ ! -r /proc/sys/kernel/random/boot_id ] || read -r boot </proc/sys/kernel/random/boot_id
  [ -n "$boot" ] || boot=$(agtmux_bounded sysctl -n kern.bootsessionuuid)
  printf 'boot_id=%s\\n' "$boot"
  [ ! -r /proc/stat ] || while read -r key value; do
    [ "$key" != btime ] || { printf 'btime=%s\\n' "$value"; break; }
  done </proc/stat
}
agtmux_socket() {
  [ -S "$1" ] || { echo absent; return; }
  said=$(agtmux_bounded tmux -N -u -S "$1" list-sessions -F '' 2>&1) && { echo listens; return; }
  case $said in
    *'no server running'* | *'error connecting'* | *'lost server'* | *'server exited'*)
      echo silent
      ;;
    *) echo unclear ;;
  esac
}
`;

/** Lists of children need no program at all; their stat lines one \`cat\` for 200 of them. */
const PROCESSES = `
agtmux_stats() {
  while [ $# -gt 0 ]; do
    files= count=0
    while [ $# -gt 0 ] && [ $count -lt 200 ]; do
      files="$files /proc/$1/stat" count=$((count + 1))
      shift
    done
    cat $files
  done
}
agtmux_trees() {
  level=$* all= count=0
  while [ -n "$level" ]; do
    set -- $level
    level=
    for pid; do
      count=$((count + 1))
      [ $count -le ${PROCESSES_MAX} ] || break 2
      all="$all $pid"
      for file in /proc/$pid/task/*/children; do
        kids=
        read -r kids <"$file"
        [ -z "$kids" ] || level="$level $kids"
      done
    done
  done
  agtmux_stats $all
}
agtmux_scan() { cat /proc/[0-9]*/stat; }
agtmux_ps() {
  printf '\\n%s.rows\\n' "$agtmux_secret"
  TZ=UTC0 ps -A -o pid= -o ppid= -o stat= -o lstart= -o ucomm=
  printf '\\n%s.arguments\\n' "$agtmux_secret"
  ps -A -ww -o pid= -o args=
}
agtmux_details() {
  root=$1 exes= lines=
  shift
  for pid; do
    exes="$exes $root/$pid/exe" lines="$lines $root/$pid/cmdline"
  done
  printf '\\n%s.exes\\n' "$agtmux_secret"
  ls -ld $exes
  printf '\\n%s.arguments\\n' "$agtmux_secret"
  head -v -c ${ARGV_BYTES_MAX} $lines | tr '\\000\\012' '\\012\\001'
}
`;

/**
 * The emitter runs in a pane, with what the tmux server was started with, and not with the bare
 * environment of this shell. An event with an empty file has its content beside it, as at home; who
 * else reads the spool may rename that at the same time.
 */
const SPOOL = `
agtmux_variable() {
  said=
  [ ! -S "$2" ] || said=$(agtmux_bounded tmux -N -u -S "$2" show-environment -g "$1")
  case $said in "$1="*) said=\${said#"$1="} ;; *) said= ;; esac
}
agtmux_spool_folder() {
  spool=
  case \${HOME-} in /*) spool=$HOME/.local/state/agtmux/spool ;; esac
  agtmux_variable XDG_STATE_HOME "$1"
  [ -n "$said" ] || said=\${XDG_STATE_HOME-}
  case $said in /*) spool=$said/agtmux/spool ;; esac
  agtmux_variable AGTMUX_SPOOL "$1"
  [ -n "$said" ] || said=\${AGTMUX_SPOOL-}
  case $said in /*) spool=$said ;; esac
  printf %s "$spool"
}
agtmux_is_event() {
  case \${1%.event} in
    *[!0-9-]*) return 1 ;;
    ????????????????-?*) return 0 ;;
  esac
  return 1
}
agtmux_spool_fill() {
  [ -f "$1" ] && [ ! -L "$1" ] && [ ! -s "$1" ] || return 0
  content=\${1##*/}
  content=\${1%/*}/.\${content%.event}.tmp
  mv -f "$content" "$1"
  [ ! -f "$content" ]
}
agtmux_spool_list() {
  [ -d "$1" ] || { [ ! -e "$1" ] && [ ! -L "$1" ] && echo absent || echo unfit; return; }
  [ ! -L "$1" ] && [ -O "$1" ] || { echo unfit; return; }
  folder=$1 after=$2 most=$3
  set -- "$1"/[0-9]*.event
  [ -e "$1" ] || [ -L "$1" ] || { echo empty; return; }
  names= count=0
  for file; do
    name=\${file##*/}
    agtmux_is_event "$name" && [ "\${name%%-*}" -gt "$after" ] || continue
    [ $count -lt "$most" ] || break
    agtmux_spool_fill "$file" || continue
    names="$names $name" count=$((count + 1))
  done
  [ -n "$names" ] || { echo empty; return; }
  echo files
  cd "$folder" && ls -ldn . $names
  cd /
}
agtmux_spool_read() {
  cd "$1" || return
  most=$2
  shift 2
  for name; do
    [ -f "$name" ] && [ ! -L "$name" ] && [ -O "$name" ] || continue
    printf '\\n%s.file %s\\n' "$agtmux_secret" "$name"
    head -c "$most" "$name"
  done
  cd /
}
agtmux_spool_remove() {
  now=$(date +%s)
  case $now in '' | *[!0-9]*) return ;; esac
  until=$((now - ${READABLE_SECONDS}))000000
  [ "$until" -le "$2" ] || until=$2
  cd "$1" || return
  names= count=0
  for name in [0-9]*.event; do
    agtmux_is_event "$name" && [ "\${name%%-*}" -le "$until" ] || continue
    [ $count -lt ${REMOVED_MAX} ] || break
    names="$names $name .\${name%.event}.tmp" count=$((count + 1))
  done
  [ -z "$names" ] || rm -f $names
  cd /
}
agtmux_spool_refuse() {
  cd "$1" || return
  shift
  [ -d refused ] || mkdir -m 700 refused
  for name; do
    { [ -d "$name" ] && [ ! -L "$name" ]; } || [ -L refused ] || mv -f "$name" refused/
  done
  cd /
}
`;

/**
 * The time of a change is told as finely as the host's stat can. No file is opened that is no plain
 * one. `look` says first which of the paths are there, by their indexes, then how each is.
 */
const FILES = `
case $(stat -L -c %.9Y /) in
  *.*) agtmux_stat() { stat -L -c '%.9Y %s %i' "$@"; } ;;
  [0-9]*) agtmux_stat() { stat -L -c '%Y %s %i' "$@"; } ;;
  *)
    if stat -L -c %Y / >/dev/null; then agtmux_stat() { stat -L -c '%Y %s %i' "$@"; }
    else agtmux_stat() { stat -L -f '%Fm %z %i' "$@"; }
    fi
    ;;
esac
agtmux_is_plain() { [ -f "$1" ] && [ -r "$1" ]; }
agtmux_file_facts() { agtmux_is_plain "$1" && agtmux_stat "$1"; }
agtmux_file_read() {
  agtmux_is_plain "$1" || return
  echo bytes
  tail -c "+$2" "$1" | head -c "$3"
}
agtmux_folder_list() {
  cd "$1" || return
  count=0
  echo names
  for name in * .[!.]*; do
    [ -e "$name" ] || [ -L "$name" ] || continue
    [ $count -lt "$2" ] || break
    printf '%s\\n' "$name"
    count=$((count + 1))
  done
  cd /
}
agtmux_environment() {
  [ -r "/proc/$1/environ" ] || return
  file=/proc/$1/environ names=
  shift
  for name; do names="$names|$name"; done
  echo variables
  head -c ${ENVIRONMENT_BYTES_MAX} "$file" | tr '\\000\\012' '\\012\\001' |
    grep -E "^(\${names#|})="
}
agtmux_open_files() {
  [ -r "/proc/$1/fd" ] || return
  echo files
  ls -l "/proc/$1/fd" | head -n "$2"
}
agtmux_look() {
  there= index=0
  for path; do
    [ ! -e "$path" ] || there="$there $index"
    index=$((index + 1))
  done
  printf '%s\\n%s\\n' "$(date +%s)" "$there"
  agtmux_stat "$@"
}
`;

/**
 * The watchdog: taps that were named in the last heartbeat are ended when no other came for 10 s,
 * so that a dead link can never leave a client behind that nobody reads. A process that has taken
 * the id of one since has another start and is let alone.
 */
const WATCHDOG = `
agtmux_sign() {
  sign= line=
  if [ -r "/proc/$1/stat" ]; then
    read -r line <"/proc/$1/stat"
    set -- \${line##*) }
    sign=\${20-}
  elif [ "$agtmux_processes" = ps ]; then
    sign=$(ps -o lstart= -p "$1" | tr -d ' ')
  fi
}
agtmux_signs() {
  signs=
  for pid; do
    agtmux_sign "$pid"
    [ -z "$sign" ] || signs="$signs $pid:$sign"
  done
}
agtmux_end_taps() {
  for each in $signs; do
    pid=\${each%%:*}
    agtmux_sign "$pid"
    [ "$pid:$sign" != "$each" ] || kill -9 "$pid"
  done
}
agtmux_watch() {
  missed=0
  trap 'missed=0' USR1
  while [ $missed -lt 6 ]; do
    sleep 2
    missed=$((missed + 1))
  done
  agtmux_end_taps
}
agtmux_beat() {
  if [ "$*" != "$agtmux_taps" ]; then
    [ -z "$agtmux_dog" ] || kill -9 "$agtmux_dog"
    agtmux_taps=$* agtmux_dog=
    agtmux_signs "$@"
    [ $# -eq 0 ] || { agtmux_watch >/dev/null & agtmux_dog=$!; }
  elif [ -n "$agtmux_dog" ]; then
    kill -USR1 "$agtmux_dog"
  fi
}
agtmux_end() {
  [ -z "$agtmux_dog" ] || kill -9 "$agtmux_dog"
  agtmux_end_taps
}
agtmux_taps= agtmux_dog= signs=
trap agtmux_end 0
`;

/** The script that makes a shell the probe. It says nothing but what it is asked. */
export function probeScript(marker: string, secret: string): string {
  return [
    PREPARE,
    'exec 2>/dev/null\n',
    'LC_ALL=C\nexport LC_ALL\nset +eufC\nIFS=" \t\n"\ncd /\n',
    `agtmux_secret=${secret}\n`,
    '{\n',
    BOUNDED,
    FACTS,
    '} </dev/null >/dev/null\n',
    PROCESSES,
    SPOOL,
    FILES,
    EDITS,
    WATCHDOG,
    markerLines(marker),
  ].join('');
}
