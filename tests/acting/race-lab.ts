// What races share: numbers that look random and are the same in every run, many panes at once, and
// one agent after the other in each.

import { eventually } from '../live/tmux-server.ts';
import type { ActingLab } from './acting-lab.ts';

export const PANES = 10;
const END_MS = 30_000;

/** Where the panes of a race are, and what part of its actions. */
export const places = [
  ['on this machine', { isRemote: false, share: 0.6 }],
  ['over ssh', { isRemote: true, share: 0.4 }],
] as const;

/** The next number of a sequence, from 0 up to 1. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Does so many tries, each once, in several panes at a time. */
export async function inPanes(
  lab: ActingLab,
  { name, count }: { readonly name: string; readonly count: number },
  tryOnce: (paneId: string, at: number) => Promise<void>,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, at) => at);
  const work = async (pane: number): Promise<void> => {
    const paneId = lab.openShell(`${name}-${pane}`);
    for (let at = numbers.shift(); at !== undefined; at = numbers.shift()) {
      await tryOnce(paneId, at);
    }
  };
  await Promise.all(Array.from({ length: PANES }, (_, pane) => work(pane)));
}

export function signal(pid: number | null, name: NodeJS.Signals): void {
  try {
    if (pid !== null) process.kill(pid, name);
  } catch {
    // It has ended already.
  }
}

/** Ends all agents of a pane; returns what of their screens, and of the shell's, anybody saw. */
export async function endAgents(lab: ActingLab, paneId: string): Promise<string> {
  const screens: string[] = [lab.screen(paneId)];
  let last = '';
  await eventually(
    async () => {
      const pane = await lab.pane(paneId);
      const screen = lab.screen(paneId);
      last = `${pane?.presence} ${pane?.state} ${pane?.pid}:\n${screen}`;
      if (pane?.presence === 'managed') signal(pane.pid, 'SIGTERM');
      // Between two of them there is none either, but no shell that waits.
      return pane?.presence === 'unmanaged' && /^\$.*\s*$/m.test(screen);
    },
    'the shell alone',
    END_MS,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; it is ${last}`);
  });
  screens.push(lab.screen(paneId));
  // What no agent has read is in the line of the shell, unsubmitted.
  await eventually(
    () => {
      lab.tmux.run('send-keys', '-t', paneId, 'C-u');
      return lab.screen(paneId).trimEnd().endsWith('$');
    },
    'an empty line',
    END_MS,
  );
  lab.tmux.run('send-keys', '-t', paneId, 'C-l');
  return screens.join('\n');
}
