// The shell functions that find, list, read and clean the emitter's spool on a host.

/** So long an event is left for others who watch the host, by its own clock and its own name. */
const READABLE_SECONDS = 600;
/** Removed in one go; the rest goes with the next. */
const REMOVED_MAX = 1_000;

/**
 * The emitter runs in a pane, with what the tmux server was started with, and not with the bare
 * environment of this shell. An event with an empty file has its content beside it, as at home; who
 * else reads the spool may rename that at the same time.
 */
export const SPOOL = `
agtmux_variable() {
  value=
  [ ! -S "$2" ] || value=$(agtmux_bounded tmux -N -u -S "$2" show-environment -g "$1")
  case $value in "$1="*) value=\${value#"$1="} ;; *) value= ;; esac
}
agtmux_spool_folder() {
  spool=
  case \${HOME-} in /*) spool=$HOME/.local/state/agtmux/spool ;; esac
  agtmux_variable XDG_STATE_HOME "$1"
  [ -n "$value" ] || value=\${XDG_STATE_HOME-}
  case $value in /*) spool=$value/agtmux/spool ;; esac
  agtmux_variable AGTMUX_SPOOL "$1"
  [ -n "$value" ] || value=\${AGTMUX_SPOOL-}
  case $value in /*) spool=$value ;; esac
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
  now=$(date +%s%N)
  printf '\\n%s.now %s\\n' "$agtmux_secret" "\${now%%[!0-9]*}"
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
