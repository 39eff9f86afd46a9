// What a remote shell is given to run tmux. Whatever the login shell printed comes before a random
// marker and is dropped. Nothing else may be written before the marker was seen: dash and BusyBox
// read their script in blocks and would swallow what is meant for tmux.

import { randomBytes } from 'node:crypto';
import { shellQuoteAll } from '../../platform/text/shell-quote.ts';

/** Where tmux is on hosts whose sessions without a terminal have a bare PATH. */
const TMUX_FOLDERS =
  '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/opt/local/bin:/usr/pkg/bin' +
  ':/home/linuxbrew/.linuxbrew/bin:/run/current-system/sw/bin:/nix/var/nix/profiles/default/bin' +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the remote shell expands it.
  ':${HOME-}/.local/bin:${HOME-}/bin:${HOME-}/.nix-profile/bin';

/** We are in no pane, and a locale without UTF-8 would cost tmux its own. */
export const PREPARE: string = [
  `PATH="\${PATH:+$PATH:}${TMUX_FOLDERS}"`,
  'export PATH',
  'unset TMUX TMUX_PANE',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the remote shell expands it.
  'case ${LC_ALL-} in C | POSIX) unset LC_ALL ;; esac',
  '',
].join('\n');

/** Long enough that no output has it by chance or by guess. */
export function newMarker(): string {
  return `agtmux-${randomBytes(18).toString('hex')}`;
}

/** The lines that end the noise: the shell's own pid, which is the program's after `exec`. */
export function markerLines(marker: string): string {
  return `printf '\\n%s.pid %s\\n%s\\n' ${marker} "$$" ${marker}\n`;
}

/** The script that becomes tmux. It exits with 127 where there is none. */
export function tmuxScript(marker: string, tmuxArguments: readonly string[]): string {
  return [
    PREPARE,
    "command -v tmux >/dev/null 2>&1 || { echo 'tmux: not found' >&2; exit 127; }\n",
    markerLines(marker),
    `exec tmux -u ${shellQuoteAll(tmuxArguments)}\n`,
  ].join('');
}
