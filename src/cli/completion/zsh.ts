// The completion script for zsh.

import type { CompletionPoint } from './points.ts';
import { posixTables } from './posix-tables.ts';

export const zshScript = (points: readonly CompletionPoint[]): string =>
  [
    '#compdef agtmux',
    '# zsh completion of agtmux. Load it with: source <(agtmux completion zsh)',
    '# or write it to a file _agtmux in a folder of $fpath.',
    ...posixTables(points),
    completer,
  ].join('\n');

const completer = `_agtmux_ask() {
  "$_agtmux_program" $_agtmux_socket completion --values "$1" 2> /dev/null
}
_agtmux_offer() {
  # Lines of a word, a tab and its description; @ lines say where words come from.
  local line word
  local -a found=() shown=()
  for line in "$@"; do
    case "$line" in
      '@none') ;;
      '@files') _files; return ;;
      '@list') compset -P '*,' ;;
      '@ask '*)
        _agtmux_offer "\${(@f)$(_agtmux_ask "\${line#@ask }")}"
        return ;;
      ?*)
        word="\${line%%$'\\t'*}"
        found+=("$word")
        [[ "$line" == *$'\\t'* ]] && word+="  -- \${line#*$'\\t'}"
        shown+=("$word") ;;
    esac
  done
  (( \${#found} )) && compadd -l -d shown -a found
}
_agtmux() {
  local at=agtmux word skip='' cur="\${(Q)words[CURRENT]}"
  local _agtmux_program="\${(Q)words[1]/#\\~/$HOME}"
  local -a _agtmux_socket=() lines=()
  local -i count=0
  for word in "\${(@Q)words[2,CURRENT-1]}"; do
    if [[ -n "$skip" ]]; then
      [[ "$skip" == -s || "$skip" == --socket-path ]] && _agtmux_socket=(-s "$word")
      skip=''
      continue
    fi
    case "$word" in
      --*=*) ;;
      -*) _agtmux_values "$at" "$word" > /dev/null && skip="$word" ;;
      *) if _agtmux_is_command "$at/$word"; then at="$at/$word"; else count+=1; fi ;;
    esac
  done
  if [[ -n "$skip" ]]; then
    lines=("\${(@f)$(_agtmux_values "$at" "$skip")}")
  elif [[ "$cur" == --*=* ]]; then
    lines=("\${(@f)$(_agtmux_values "$at" "\${cur%%=*}")}")
    compset -P '*='
  elif [[ "$cur" == -* ]]; then
    lines=("\${(@f)$(_agtmux_options "$at")}")
  else
    (( count == 0 )) && lines=("\${(@f)$(_agtmux_commands "$at")}")
    lines+=("\${(@f)$(_agtmux_arguments "$at $count")}")
  fi
  _agtmux_offer "\${lines[@]}"
}
if [ "$funcstack[1]" = "_agtmux" ]; then _agtmux "$@"; else compdef _agtmux agtmux; fi
`;
