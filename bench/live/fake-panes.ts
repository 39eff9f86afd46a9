// Panes with fake agents: a copy of the shell under an agent's name, blocked in `read`, so that the
// process is recognised and costs nothing. What it "prints" is written to its terminal from here,
// which reaches tmux like the program's own output.

import { chmodSync, constants, copyFileSync, existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './place.ts';

export type FakeAgent = 'claude' | 'codex' | 'gemini';
export type PaneKind = FakeAgent | 'shell';

export interface FakePane {
  readonly kind: PaneKind;
  readonly paneId: string;
  readonly tty: string;
  readonly pid: number;
  readonly session: string;
}

/** Commands in one call of tmux; its arguments are bounded. */
const COMMANDS_AT_ONCE = 20;

/** Makes one session of panes, each alone in a window of 80x24, in the order of `kinds`. */
export function makeSession(
  place: Place,
  session: string,
  kinds: readonly PaneKind[],
): readonly FakePane[] {
  const made: FakePane[] = [];
  for (let from = 0; from < kinds.length; from += COMMANDS_AT_ONCE) {
    const part = kinds.slice(from, from + COMMANDS_AT_ONCE);
    const commands = part.flatMap((kind, index) => {
      const isFirst = from + index === 0;
      const size = ['-d', '-s', session, '-x', '80', '-y', '24'];
      const start = isFirst ? ['new-session', ...size] : ['new-window', '-d', '-t', `=${session}:`];
      const place_ = ['-P', '-F', '#{pane_id} #{pane_tty} #{pane_pid}'];
      return [...(index === 0 ? [] : [';']), ...start, ...place_, ...programOf(place, kind)];
    });
    const lines = place.tmux(...commands).split('\n');
    for (const [index, kind] of part.entries()) {
      const [paneId = '', tty = '', pid = ''] = (lines[index] ?? '').split(' ');
      made.push({ kind, paneId, tty, pid: Number(pid), session });
    }
  }
  return made;
}

function programOf(place: Place, kind: PaneKind): readonly string[] {
  if (kind === 'shell') return ['/bin/sh'];
  const program = join(place.folder, kind);
  if (!existsSync(program)) {
    copyFileSync('/bin/sh', program);
    chmodSync(program, 0o755);
  }
  return [program, '-c', 'read line'];
}

/** Opens a pane's terminal for writing; it does not become ours. */
export function openTerminal(tty: string): (bytes: string) => void {
  const fd = openSync(tty, constants.O_WRONLY | constants.O_NOCTTY);
  return (bytes) => {
    const buffer = Buffer.from(bytes);
    for (let done = 0; done < buffer.length; ) done += writeSync(fd, buffer, done);
  };
}
