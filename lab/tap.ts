// The lab's own tap of the agent's tmux server: when a pane changed its title or sent an OSC 7501.
// The daemon's latency is counted from these times.

import { type ChildProcess, spawn } from 'node:child_process';
import { type OscScanner, oscScanner } from '../src/tmux/taps/osc-scanner.ts';
import { controlParser } from '../src/tmux-wire/control-parser.ts';

export interface TapSignal {
  readonly kind: 'title' | 'osc7501';
  readonly paneId: string;
  readonly atMs: number;
}

/** A spinner that turns and a mark that blinks are no change. */
const animation = /[\u2800-\u28ff◐◑]|\[ [!.] \]/g;

export class LabTap implements Disposable {
  /** Changes only, in order. */
  readonly signals: TapSignal[] = [];
  readonly #client: ChildProcess;
  readonly #values = new Map<string, string>();
  readonly #scanners = new Map<string, OscScanner>();

  constructor(socketPath: string, session: string) {
    const args = ['-u', '-S', socketPath, '-C', 'attach-session', '-E', '-t', session];
    this.#client = spawn('tmux', [...args, '-f', 'ignore-size,read-only'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, TMUX: '', TMUX_PANE: '' },
    });
    const parser = controlParser();
    this.#client.stdout?.setEncoding('latin1').on('data', (bytes: string) => {
      for (const item of parser.feed(bytes)) {
        if (item.kind === 'output') this.#scan(item.paneId, item.bytes);
      }
    });
    // Its end is the end of the scenario, whoever comes first.
    this.#client.on('error', () => null);
    this.#client.stdin?.on('error', () => null);
  }

  [Symbol.dispose](): void {
    this.#client.kill('SIGKILL');
  }

  #scan(paneId: string, bytes: string): void {
    const atMs = Date.now();
    const scanner = this.#scanners.get(paneId) ?? oscScanner();
    this.#scanners.set(paneId, scanner);
    for (const found of scanner.feed(bytes)) {
      if (found.kind !== 'title' && (found.kind !== 'osc' || found.number !== 7501)) continue;
      const kind = found.kind === 'title' ? 'title' : 'osc7501';
      const value = found.text.replace(animation, '*');
      const key = `${kind} ${paneId}`;
      if (this.#values.get(key) === value) continue;
      this.#values.set(key, value);
      this.signals.push({ kind, paneId, atMs });
    }
  }
}
