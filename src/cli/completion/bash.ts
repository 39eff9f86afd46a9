// The completion script for bash. It reads the typed line itself: bash breaks words at colons,
// which names of panes have.

import type { CompletionPoint } from './points.ts';
import { posixTables } from './posix-tables.ts';

export const bashScript = (points: readonly CompletionPoint[]): string =>
  [
    '# bash completion of agtmux. Load it with: source <(agtmux completion bash)',
    ...posixTables(points),
    completer,
  ].join('\n');

const completer = `_agtmux_ask() {
  "$_agtmux_program" "\${_agtmux_socket[@]}" completion --values "$1" 2> /dev/null
}
_agtmux_read() {
  # Keeps the lines of standard input; @ lines say where the words come from.
  local line
  while IFS= read -r line; do
    case "$line" in
      '@none') ;;
      '@files') _agtmux_files=1 ;;
      '@list') _agtmux_list=1 ;;
      '@ask '*) _agtmux_read < <(_agtmux_ask "\${line#@ask }") ;;
      *) _agtmux_lines+=("$line") ;;
    esac
  done
}
_agtmux() {
  local line="\${COMP_LINE:0:COMP_POINT}" at=agtmux count=0 word cur skip=''
  local -a words _agtmux_lines=() _agtmux_socket=()
  local _agtmux_files='' _agtmux_list='' _agtmux_program
  # Without -r: a backslash before a blank keeps a word together, as in the shell.
  read -a words <<< "$line"
  [[ "$line" == *[[:space:]] || \${#words[@]} -eq 0 ]] && words+=('')
  _agtmux_program="\${words[0]/#\\~/$HOME}"
  cur="\${words[\${#words[@]}-1]}"
  for word in "\${words[@]:1:\${#words[@]}-2}"; do
    if [[ -n "$skip" ]]; then
      [[ "$skip" == -s || "$skip" == --socket-path ]] && _agtmux_socket=(-s "$word")
      skip=''
      continue
    fi
    case "$word" in
      --*=*) ;;
      -*) _agtmux_values "$at" "$word" > /dev/null && skip="$word" ;;
      *) if _agtmux_is_command "$at/$word"; then at="$at/$word"; else count=$((count + 1)); fi ;;
    esac
  done
  if [[ -n "$skip" ]]; then
    _agtmux_read < <(_agtmux_values "$at" "$skip")
  elif [[ "$cur" == --*=* ]]; then
    _agtmux_read < <(_agtmux_values "$at" "\${cur%%=*}")
    cur="\${cur#*=}"
  elif [[ "$cur" == -* ]]; then
    _agtmux_read < <(_agtmux_options "$at")
  else
    [[ $count -eq 0 ]] && _agtmux_read < <(_agtmux_commands "$at")
    _agtmux_read < <(_agtmux_arguments "$at $count")
  fi
  _agtmux_offer "$cur"
}
_agtmux_offer() {
  local cur="$1" before='' line word cut
  local -a found=() about=()
  [[ -n "$_agtmux_list" && "$cur" == *,* ]] && before="\${cur%,*},"
  for line in "\${_agtmux_lines[@]}"; do
    word="$before\${line%%$'\\t'*}"
    [[ "$word" == "$cur"* ]] || continue
    found+=("$word")
    [[ "$line" == *$'\\t'* ]] && about+=("\${line#*$'\\t'}") || about+=('')
  done
  COMPREPLY=()
  # bash replaces only what follows the last colon of the word.
  cut="\${cur%"\${cur##*:}"}"
  [[ "$COMP_WORDBREAKS" == *:* ]] || cut=''
  local at listed=''
  # Menus (37, 42) type each word in turn, as it is.
  [[ \${#found[@]} -gt 1 && "\${COMP_TYPE:-9}" != 37 && "\${COMP_TYPE:-9}" != 42 ]] && listed=1
  for at in "\${!found[@]}"; do
    word="\${found[at]#"$cut"}"
    [[ "$word" =~ ^[A-Za-z0-9_./:@%+,=-]+$ ]] || printf -v word '%q' "$word"
    # Descriptions are for the list of several words; one word is typed, and gets none.
    if [[ -n "$listed" && -n "\${about[at]}" ]]; then
      printf -v word '%s  (%s)' "$word" "\${about[at]}"
      (( \${#word} > \${COLUMNS:-80} - 2 )) && word="\${word:0:\${COLUMNS:-80}-5}..."
    fi
    COMPREPLY+=("$word")
  done
  if [[ -n "$_agtmux_files" ]]; then
    compopt -o filenames 2> /dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
  fi
}
complete -o nosort -F _agtmux agtmux 2> /dev/null || complete -F _agtmux agtmux
`;
