// Fake agents in real panes: a copy of a shell under the agent's name, which waits for orders, and
// recorded screens that are written to its terminal as the agent would.

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/script-entry.ts';
import type { State } from '../../src/schema/state.ts';
import type { PrivateTmux } from '../live/tmux-server.ts';

/** Echoes nothing, as an agent; `exit 3` ends it and `run ...` runs a command as its child. */
const script = `stty -echo
while read -r line; do
  case $line in
    exit*) exit "\${line#exit }" ;;
    run*) eval "\${line#run }" ;;
  esac
done
`;

export interface Recording {
  readonly agent: string;
  readonly state: State | 'no_agent';
  readonly bytes: string;
}

/** The bytes that paint a recorded screen, its title and its cursor; `name` as claude/111-... */
export function recording(name: string): Recording {
  const file = join(root, 'corpus', `${name}.json`);
  const record = JSON.parse(readFileSync(file, 'utf8'));
  const [x = '0', y = '0', flag = '1'] = (record.cursor ?? '').split(',');
  const lines = String(record.capture_ansi).replace(/\n$/, '').replaceAll('\n', '\r\n');
  const screen = record.alternate_on === 1 ? '\u001b[?1049h' : '\u001b[?1049l';
  const cursor = record.cursor ? `\u001b[${Number(y) + 1};${Number(x) + 1}H` : '';
  const shown = `\u001b[?25${flag === '0' ? 'l' : 'h'}`;
  const title = `\u001b]2;${record.pane_title ?? ''}\u001b\\`;
  const bytes = `${title}${screen}\u001b[0m\u001b[2J\u001b[H${lines}\u001b[0m${cursor}${shown}`;
  return { agent: record.agent, state: record.state, bytes };
}

/** The lines of a recorded screen without their styles, to be written under what is there. */
export function recordedLines(name: string): readonly string[] {
  const file = join(root, 'corpus', `${name}.json`);
  const { capture } = JSON.parse(readFileSync(file, 'utf8')) as { capture: readonly string[] };
  return capture.slice(0, capture.findLastIndex((line) => line.trim() !== '') + 1);
}

/** The command line of a fake: a program of this name with the script of all fakes. */
export function fakeCommand(tmux: PrivateTmux, name: string): string {
  const bin = join(tmux.folder, 'bin');
  const program = join(bin, name);
  const orders = join(bin, 'agent.sh');
  mkdirSync(bin, { recursive: true });
  // Written once: a fake that has just begun may be about to read it.
  if (!existsSync(orders)) writeFileSync(orders, script);
  if (!existsSync(program)) {
    copyFileSync('/bin/dash', program);
    chmodSync(program, 0o755);
  }
  return `exec '${program}' '${orders}'`;
}

/** A pane as a test drives it. */
export class LivePane {
  readonly paneId: string;
  readonly #tmux: PrivateTmux;

  constructor(tmux: PrivateTmux, paneId: string) {
    this.#tmux = tmux;
    this.paneId = paneId;
  }

  /** The active pane of a session. */
  static of(tmux: PrivateTmux, session: string): LivePane {
    return new LivePane(tmux, tmux.run('display-message', '-p', '-t', session, '#{pane_id}'));
  }

  /** The pid of the pane's own process: the fake itself where the pane runs nothing else. */
  get pid(): number {
    return Number(this.format('#{pane_pid}'));
  }

  format(format: string): string {
    return this.#tmux.run('display-message', '-p', '-t', this.paneId, format);
  }

  /** Writes to the terminal as the program in it would. */
  print(bytes: string): void {
    writeFileSync(this.format('#{pane_tty}'), bytes);
  }

  /** Shows a recorded screen and returns its label. */
  show(name: string): State {
    const { bytes, state } = recording(name);
    this.print(bytes);
    return state as State;
  }

  /** Gives an order to a fake, or types a line to a shell. */
  type(line: string): void {
    this.#tmux.run('send-keys', '-l', '-t', this.paneId, line);
    this.#tmux.run('send-keys', '-t', this.paneId, 'Enter');
  }
}

/** A fake in a new session of 80x24. */
export function fakeAgent(tmux: PrivateTmux, name: string, session: string): LivePane {
  const sessionId = tmux.newSession(session, fakeCommand(tmux, name));
  return LivePane.of(tmux, sessionId);
}
