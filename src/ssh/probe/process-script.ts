// The shell functions that print the processes of a host: from /proc, or as ps writes them.

/** Processes read at most, under all panes together. */
const PROCESSES_MAX = 4_096;
/** A command line may be megabytes long; the program and its first words identify it. */
const ARGV_BYTES_MAX = 16_384;

/** Lists of children need no program at all; their stat lines one \`cat\` for 200 of them. */
export const PROCESSES = `
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
