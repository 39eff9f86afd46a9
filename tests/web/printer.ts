// A program in a pane that prints what a test says, with what tmux shows of it, and what viewers of
// it see by all that they were sent.

import { openSync, writeSync } from 'node:fs';
import { expect } from 'vitest';
import { eventually } from '../live/tmux-server.ts';
import { readTerminal, type ShownScreen, shownBy } from './viewer-terminal.ts';
import type { WebLab as Web, WebPeer } from './web-lab.ts';

/** A program that prints what the test says, and what tmux shows of it. */
export class Printer {
  readonly name: string;
  readonly #web: Web;
  readonly #paneId: string;
  readonly #tty: number;

  constructor(web: Web, name: string, paneId: string) {
    this.name = name;
    this.#web = web;
    this.#paneId = paneId;
    this.#tty = openSync(this.#format('#{pane_tty}'), 'w');
  }

  /** In a session of its own; `name` is what the service calls it. */
  static async open(web: Web, session: string, name: string = session): Promise<Printer> {
    const { paneId } = await web.reader(session, name);
    return new Printer(web, name, paneId);
  }

  print(text: string): void {
    writeSync(this.#tty, text);
  }

  get size(): { readonly cols: number; readonly rows: number } {
    const [cols = 0, rows = 0] = this.#format('#{pane_width} #{pane_height}')
      .split(' ')
      .map(Number);
    return { cols, rows };
  }

  run(...args: readonly string[]): string {
    return this.#web.lab.tmux.run(...args);
  }

  get pane(): string {
    return this.#paneId;
  }

  /** The screen by tmux's own capture, each line drawn in its place. */
  async shown(): Promise<ShownScreen> {
    const facts = '#{cursor_x} #{cursor_y} #{alternate_on}';
    const [x = 0, y = 0, alternate = 0] = this.#format(facts).split(' ').map(Number);
    const lines = this.run('capture-pane', '-p', '-e', '-N', '-t', this.#paneId).split('\n');
    // The attributes go on from line to line.
    const drawn = lines.map((line, row) => `\x1b[${row + 1};1H${line}`).join('');
    const terminal = await readTerminal(Buffer.from(`\x1b)0\x1b[?7l${drawn}`), this.size);
    return { ...shownBy(terminal), cursor: [x, y], isAlternate: alternate === 1 };
  }

  #format(format: string): string {
    return this.run('display-message', '-p', '-t', this.#paneId, format);
  }
}

/** What the peer's terminal shows by all that it was sent. */
async function seenBy(peer: WebPeer, printer: Printer): Promise<ShownScreen> {
  const terminal = await readTerminal(peer.output(printer.name), printer.size);
  return shownBy(terminal);
}

/** Waits until the viewer sees what tmux shows. */
export async function untilSame(peer: WebPeer, printer: Printer, what: string): Promise<void> {
  const last: ShownScreen[] = [];
  await eventually(async () => {
    const [expected, seen] = [await printer.shown(), await seenBy(peer, printer)];
    last.splice(0, 2, expected, seen);
    return JSON.stringify(expected) === JSON.stringify(seen);
  }, what).catch(() => expect(last[1]).toEqual(last[0]));
}

export const subscribe = (
  peer: WebPeer,
  printer: Printer,
): Promise<Readonly<Record<string, unknown>>> =>
  peer.call('subscribe-output', { agent: printer.name });
