// The shell functions by which a person's configuration files on a host are changed, when they ask
// for it (`agtmux hooks install --target`). Texts come with every odd byte as an octal escape. A
// file is replaced in one step, only if it still holds what the caller has read, and keeps its mode
// and its owner.

export const EDITS = `
agtmux_real_path() {
  real=
  [ ! -e "$1" ] || real=$(readlink -f "$1" || realpath "$1")
  [ -n "$real" ] || real=$1
}
agtmux_edit_facts() {
  [ -e "$1" ] || { echo none; return; }
  kind=other
  [ ! -f "$1" ] || kind=file
  [ ! -d "$1" ] || kind=folder
  mode=$(stat -L -c %a "$1" || stat -L -f %Lp "$1")
  agtmux_real_path "$1"
  printf '%s %s\\n%s' "$kind" "$mode" "$real"
}
agtmux_edit_read() {
  [ -e "$1" ] || { echo none; return; }
  agtmux_is_plain "$1" || { echo refused; return; }
  echo bytes
  head -c "$2" "$1"
}
agtmux_holds() {
  case $2 in
    none) [ ! -e "$1" ] ;;
    *) [ -f "$1" ] && printf %b "\${2#=}" | cmp -s - "$1" ;;
  esac
}
agtmux_edit_write() {
  agtmux_real_path "$1"
  temporary=\${real%/*}/.\${real##*/}.agtmux-$$
  rm -f "$temporary"
  if [ -f "$real" ]; then
    cp -p "$real" "$temporary" || { rm -f "$temporary"; echo refused; return; }
  else (umask 077; : >"$temporary") && chmod "$2" "$temporary" || { echo refused; return; }
  fi
  printf %b "$4" >"$temporary" || { rm -f "$temporary"; echo refused; return; }
  sync "$temporary"
  agtmux_holds "$real" "$3" || { rm -f "$temporary"; echo changed; return; }
  mv -f "$temporary" "$real" && echo done || { rm -f "$temporary"; echo refused; }
}
agtmux_edit_remove() {
  agtmux_real_path "$1"
  agtmux_holds "$real" "$2" || { echo changed; return; }
  rm -f "$real" && echo done || echo refused
}
agtmux_edit_folder() { mkdir -p -m "$2" "$1" && echo done || echo refused; }
`;

/** A text as a word for `printf %b`: what is not plain comes as an octal escape. */
export function escapedText(text: string): string {
  return Buffer.from(text, 'utf8')
    .toString('latin1')
    .replace(/[^A-Za-z0-9 _.,:;/@=+-]/g, (byte) => {
      return `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
    });
}
