// A bundle of many members on a tmux server of its own, each a stand-in for Claude Code that writes
// down what it was sent, and a person who writes to them through a daemon that is killed at times.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/script-entry.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import { proveIdentity } from '../../src/client/prove-identity.ts';
import { parseEnvelopes } from '../../src/relay/messages/envelope.ts';
import type { ReceiptItem } from '../../src/schema/relay/message-schemas.ts';
import { eventually } from '../live/tmux-server.ts';
import { TeamLab } from '../teams/team-lab.ts';

const BUNDLE = 'storm';
const UP_MS = 120_000;
/** Of a call that meets a daemon which is being killed. */
const CALL_MS = 20_000;
const AGAIN_MS = 100;

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

export class TeamStorm implements AsyncDisposable {
  readonly lab: TeamLab = new TeamLab();
  readonly members: readonly string[];
  readonly #log = join(this.lab.live.folder, 'received');
  readonly #ids = new Map<number, string>();
  #pid = 0;
  #client: DaemonClient | null = null;

  readonly #workMs: number;

  /** Members work so long after each prompt. */
  constructor(memberCount: number, workMs = 50) {
    this.#workMs = workMs;
    this.members = Array.from(
      { length: memberCount },
      (_, index) => `m${String(index).padStart(2, '0')}`,
    );
  }

  /** The bundle is up, and the daemon sees every member at rest. */
  async begin(): Promise<void> {
    const { lab, members } = this;
    const bin = join(lab.live.folder, 'bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(process.execPath, join(bin, 'claude'));
    writeFileSync(this.#log, '');
    const reader = join(root, 'tests/messages/fake-reader.mjs');
    lab.coders({ reader: `exec '${bin}/claude' '${reader}' '${this.#log}' ${this.#workMs}` });
    lab.bundle(
      BUNDLE,
      members.map((id) => [id, 'reader']),
    );
    await this.start();
    const { code, out, err } = await lab.live.cli('bundle', 'up', BUNDLE, '--yes', '--json');
    if (code !== 0) throw new Error(`bundle up: ${code} ${out}${err}`);
    await eventually(() => this.rests(), 'all members rest', UP_MS);
  }

  async start(): Promise<void> {
    this.#pid = await this.lab.live.start();
    const client = await this.lab.live.client(90_000);
    await proveIdentity(client);
    this.#client = client;
  }

  /** Whether every member rests, as far as the daemon knows. */
  async rests(): Promise<boolean> {
    const { panes } = (await this.#client?.call('list_panes', {})) ?? { panes: [] };
    const resting = panes.filter(
      ({ presence, state }) => presence === 'managed' && ['idle', 'completed'].includes(state),
    );
    return resting.length >= this.members.length;
  }

  /** Kills the daemon as nothing can be caught, and starts the next. */
  async killAndStart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async kill(): Promise<void> {
    this.#client?.close();
    this.#client = null;
    await this.lab.live.kill(this.#pid, 'SIGKILL');
  }

  /** A client of the daemon that runs now, as a person. */
  get client(): DaemonClient {
    if (!this.#client) throw new Error('no daemon runs');
    return this.#client;
  }

  /** What the members were given as prompts: one JSON line each. */
  get log(): string {
    return this.#log;
  }

  /** The server of the bundle. */
  get socket(): string {
    return this.lab.socket(BUNDLE);
  }

  partyOf(number: number): string {
    return `${BUNDLE}/${this.memberOf(number)}`;
  }

  memberOf(number: number): string {
    return this.members[number % this.members.length] ?? '';
  }

  /** Has a message of this number accepted, over as many deaths of the daemon as there are. */
  async send(number: number): Promise<void> {
    const to = [this.partyOf(number)];
    const input = { to, message: `message ${number}`, request_ref: `storm-${number}` };
    for (;;) {
      const sent = await this.#client
        ?.call('send_message', input, { timeoutMs: CALL_MS })
        .catch((error: unknown) => {
          if (!isPassing(error)) throw error;
          return null;
        });
      if (sent) {
        this.#ids.set(number, sent.message.message_id);
        return;
      }
      await pause(AGAIN_MS);
    }
  }

  /** The numbers of the messages that agents were given as a prompt, in their order. */
  received(): readonly number[] {
    return this.prompts().flatMap((prompt) =>
      (parseEnvelopes(prompt) ?? []).map(({ body }) => Number(body.replace('message ', ''))),
    );
  }

  prompts(): readonly string[] {
    return readFileSync(this.#log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { submitted: string }).submitted);
  }

  /** Waits until no message waits for its recipient any more. */
  async untilSettled(timeoutMs: number): Promise<void> {
    const open = new Set(this.#ids.keys());
    await eventually(
      async () => {
        for (const number of open) {
          const { status } = await this.#receiptOf(number);
          if (status === 'queued' || status === 'delivering') return false;
          open.delete(number);
        }
        return true;
      },
      'nothing waits',
      timeoutMs,
    );
  }

  async #receiptOf(number: number): Promise<ReceiptItem> {
    const message_id = this.#ids.get(number) ?? '';
    const reply = await this.#client?.call('message_status', { message_id });
    const [receipt] = reply?.message.receipts ?? [];
    if (!receipt) throw new Error(`message ${number} has no receipt`);
    return receipt;
  }

  /** What the daemon says of each message. */
  async fates(): Promise<ReadonlyMap<number, ReceiptItem>> {
    const fates = new Map<number, ReceiptItem>();
    for (const number of this.#ids.keys()) fates.set(number, await this.#receiptOf(number));
    return fates;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lab[Symbol.asyncDispose]();
  }
}

/** The daemon is gone, or the next one does not know the caller or the member yet. */
function isPassing(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return !code.startsWith('E_') || /DAEMON|IDENTITY|PARTY|TIMEOUT|MAILBOX/.test(code);
}
