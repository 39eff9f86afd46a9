// The shell functions that print files, folders and environments of a host, for readers of agent
// files there.

/** Bytes of an environment read at most; the kernel has no limit. */
const ENVIRONMENT_BYTES_MAX = 1_048_576;

/**
 * Modification times are as precise as the host's stat prints them. Only plain files are opened.
 * `agtmux_look` prints first which of the paths exist, by their indexes, then the facts of each.
 */
export const FILES = `
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
