// The shell functions that the probe runs on a host: plain POSIX sh with what BusyBox, Debian and
// macOS have in common. They only print; what it means is read on this side. Each request is a call
// of one of them. No program they start gets the shell's input: that is where requests come from.

import { markerLines, PREPARE } from '../connection/start-script.ts';
import { EDITS } from './edit-script.ts';
import { FILES } from './file-script.ts';
import { PROCESSES } from './process-script.ts';
import { SPOOL } from './spool-script.ts';
import { UPLOADS } from './upload-script.ts';

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
 * are as ps writes them. `none`: nothing can be output about processes.
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
  output=$(agtmux_bounded tmux -N -u -S "$1" list-sessions -F '' 2>&1) && { echo listens; return; }
  case $output in
    *'no server running'* | *'error connecting'* | *'lost server'* | *'server exited'*)
      echo silent
      ;;
    *) echo unclear ;;
  esac
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

/** The script that makes a shell the probe. It prints nothing but answers. */
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
    UPLOADS,
    WATCHDOG,
    markerLines(marker),
  ].join('');
}
