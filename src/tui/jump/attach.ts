// How a pane is reached that the user's tmux client cannot switch to: the command that attaches to
// it, on this machine or over ssh, in a terminal of its own. Pure: nothing is run here. No shell
// line is made of data but the one for the remote shell, whose words are checked.

import { sshWords } from '../../platform/text/ssh-words.ts';
import type { PaneIdentityItem } from '../../schema/api/panes.ts';
import type { LocatedPane } from '../../schema/api/preview.ts';

/** A command as words, or why there is none. */
export type AttachCommand =
  | {
      readonly ok: true;
      readonly words: readonly string[];
      /** The same without the wait after a failure. */
      readonly bare: readonly string[];
    }
  | { readonly ok: false; readonly problem: string };

/** Runs the words after it, and waits after a failure: the message would go with the window. */
const KEEP_FAILURE = [
  'unset TMUX TMUX_PANE',
  '"$@" && exit 0',
  'code=$?',
  'printf "\\nagtmux: %s ended with code %s. Press Enter. " "$1" "$code"',
  'read -r answer',
  'exit "$code"',
].join('; ');

/** For the host: tmux, its socket and the pane are the words after it. No single quote in it. */
const ATTACH_THERE = [
  'infocmp >/dev/null 2>&1 || TERM=xterm-256color',
  'export TERM',
  'exec "$1" -N -u -S "$2" attach-session -t "$3"',
].join('; ');

/** What every login shell reads as itself between single quotes. */
const isPlain = (word: string): boolean => /^[\w@%+=:,./$-]+$/.test(word);

/** The very pane: its window and itself become the current ones of the session. */
export const paneTarget = ({ session_id, window_id, pane_id }: PaneIdentityItem): string =>
  `${session_id}:${window_id}.${pane_id}`;

/** Attaches to the pane from a terminal that is in no tmux, or in another one. */
export function attachCommand(place: PaneIdentityItem, life: LocatedPane): AttachCommand {
  const words = life.target_kind === 'local' ? localWords(place) : attachThere(place, life);
  if (words === null) {
    const problem = `There is no way to attach to ${life.target} from here: it is not connected.`;
    return { ok: false, problem };
  }
  return { ok: true, words: ['/bin/sh', '-c', KEEP_FAILURE, 'agtmux', ...words], bare: words };
}

const localWords = (place: PaneIdentityItem): readonly string[] => [
  ...['tmux', '-N', '-S', place.server],
  ...['attach-session', '-t', paneTarget(place)],
];

function attachThere(place: PaneIdentityItem, { login }: LocatedPane): readonly string[] | null {
  if (login === null || login.tmux_path === null) return null;
  const there = [login.tmux_path, place.server, paneTarget(place)];
  if (!there.every(isPlain)) return null;
  const quoted = [ATTACH_THERE, 'agtmux', ...there].map((word) => `'${word}'`);
  return sshWords(login, `exec /bin/sh -c ${quoted.join(' ')}`, ['-t']);
}
