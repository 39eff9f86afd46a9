// The shell functions that keep files which a person gives to an agent of a host, beside its work
// or in our own state folder. Each step enters the folder and sees where it is before it touches
// anything there, so that a folder that became a link leads nowhere else.

/** Names of ours begin with the time at which they came, in milliseconds. */
const OWN_NAME = `${'[0-9]'.repeat(13)}-[0-9]*-*`;

/**
 * `agtmux_upload_begin work seconds kilobytes needed name`: makes an empty file of that name and
 * prints which folder it is in. Files of ours from before that second go, and the oldest of those
 * that are more than so many kilobytes together.
 */
export const UPLOADS = `
if [ "$(printf YQ== | base64 -d)" = a ]; then agtmux_base64() { base64 -d; }
elif [ "$(printf YQ== | base64 -D)" = a ]; then agtmux_base64() { base64 -D; }
else agtmux_base64() { return 1; }
fi
agtmux_enter() { cd "$1" && [ "$(pwd -P)" = "$1" ]; }
agtmux_enter_own() {
  [ -d "$1" ] || mkdir -m 700 "$1" || return 1
  [ ! -L "$1" ] && [ -O "$1" ] && cd "./$1" && here=\${here%/}/$1 && [ "$(pwd -P)" = "$here" ]
}
agtmux_enter_work() {
  case $1 in /*) ;; *) return 1 ;; esac
  cd "$1" && here=$(pwd -P) && agtmux_enter_own .agtmux || return 1
  [ -e .gitignore ] || [ -L .gitignore ] || (set -C; printf '*\\n' >.gitignore)
  agtmux_enter_own uploads
}
agtmux_enter_state() {
  case \${XDG_STATE_HOME-} in /*) here=$XDG_STATE_HOME ;; *) here=\${HOME-}/.local/state ;; esac
  case $here in /*) ;; *) return 1 ;; esac
  mkdir -p "$here" && cd "$here" && here=$(pwd -P) || return 1
  agtmux_enter_own agtmux && agtmux_enter_own uploads
}
agtmux_upload_room() {
  kept=$3
  ls -lnr | while read -r mode links uid gid size rest; do
    name=\${rest##* }
    case $mode in -*) ;; *) continue ;; esac
    case $name in ${OWN_NAME}) ;; *) continue ;; esac
    kept=$((kept + (size + 1023) / 1024))
    seconds=\${name%%-*}
    [ "\${seconds%???}" -ge "$1" ] && [ $kept -le "$2" ] || rm -f "./$name"
  done
}
agtmux_upload_make() {
  agtmux_upload_room "$2" "$3" "$4"
  (set -C; : >"$5")
}
agtmux_upload_begin() (
  umask 077
  if agtmux_enter_work "$1" && agtmux_upload_make "$@"; then printf 'work\\n%s' "$here"
  elif agtmux_enter_state && agtmux_upload_make "$@"; then printf 'state\\n%s' "$here"
  else echo refused
  fi
)
agtmux_upload_add() (
  agtmux_enter "$1" && [ -f "$2" ] && [ ! -L "$2" ] || { echo refused; exit; }
  printf %s "$3" | agtmux_base64 >>"$2" && wc -c <"$2"
)
agtmux_upload_remove() ( agtmux_enter "$1" && rm -f "$2" && echo done )
`;
