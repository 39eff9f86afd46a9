// Writes the output of many busy agents: repaints the last lines and the title of each pane at 5
// Hz, and switches some panes between work and a dialog. It is a separate program so that its cost
// is in no figure, and prints each switch with its time on standard output.

import { monoMs } from './clock.ts';
import { type FakeAgent, openTerminal } from './fake-panes.ts';
import { type BusyFace, busyFaces } from './recordings.ts';

const PERIOD_MS = 200;
/** The panes are painted in groups, one after the other, as agents do not repaint in step. */
const GROUPS = 20;
/** A pane that changes stays so long in each state. */
const CHANGE_MS: readonly [number, number] = [5_000, 9_000];

export interface BusyPane {
  readonly paneId: string;
  readonly tty: string;
  readonly agent: FakeAgent;
  readonly changes: boolean;
}

/** One JSON line of its output. */
export type RepainterLine =
  | { readonly kind: 'change'; paneId: string; state: string; atMs: number }
  | { readonly kind: 'painted'; count: number };

interface OpenPane {
  readonly pane: BusyPane;
  readonly write: (bytes: string) => void;
  readonly faces: readonly [BusyFace, BusyFace];
  shown: 0 | 1;
  changeAtMs: number;
}

const printLine = (line: RepainterLine): boolean =>
  process.stdout.write(`${JSON.stringify(line)}\n`);

function nextChangeMs(nowMs: number): number {
  const [least, most] = CHANGE_MS;
  return nowMs + least + Math.random() * (most - least);
}

function open(pane: BusyPane): OpenPane {
  const write = openTerminal(pane.tty);
  const faces = busyFaces(pane.agent);
  write(faces[0].full);
  const changeAtMs = pane.changes ? nextChangeMs(monoMs()) : Number.POSITIVE_INFINITY;
  return { pane, write, faces, shown: 0, changeAtMs };
}

function repaint(painted: OpenPane, count: number): void {
  const nowMs = monoMs();
  const isDue = nowMs >= painted.changeAtMs;
  if (isDue) {
    painted.shown = painted.shown === 0 ? 1 : 0;
    painted.changeAtMs = nextChangeMs(nowMs);
  }
  const face = painted.faces[painted.shown];
  const { paneId } = painted.pane;
  if (isDue) printLine({ kind: 'change', paneId, state: face.state, atMs: monoMs() });
  painted.write((isDue ? face.full : '') + face.again(count));
}

function run(panes: readonly BusyPane[]): void {
  const all = panes.map(open);
  let turn = 0;
  let painted = 0;
  setInterval(() => {
    const count = Math.floor(turn / GROUPS);
    for (let index = turn % GROUPS; index < all.length; index += GROUPS) {
      const pane = all[index];
      if (pane) repaint(pane, count);
      painted += 1;
    }
    turn += 1;
    if (turn % GROUPS === 0) printLine({ kind: 'painted', count: painted });
  }, PERIOD_MS / GROUPS);
}

if (import.meta.main) {
  let input = '';
  process.stdin.setEncoding('utf8').on('data', (part: string) => {
    input += part;
  });
  process.stdin.on('end', () => run(JSON.parse(input) as BusyPane[]));
}
