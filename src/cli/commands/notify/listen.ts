// `agtmux notify listen`: shows notifications in the terminal that it runs in, by the sequences
// that this terminal knows, and prints a line for each. It goes on over a restart of the daemon,
// from the last one that it has shown.

import type { DaemonClient } from '../../../client/client.ts';
import { isPassing } from '../../../client/daemon-error.ts';
import { runChild } from '../../../platform/process/launch.ts';
import { clockText } from '../../../render/pane-notes.ts';
import { safeJson, safeText } from '../../../render/safe-text.ts';
import type { TerminalNotification } from '../../../schema/notify/notify-schemas.ts';
import { callView } from '../../call-view.ts';
import { type Call, type CommandSpec, isSet, textOf } from '../../command.ts';
import { daemonReviver, findDaemon, openDaemon } from '../../daemon-link.ts';
import { onSignals } from '../../signals.ts';
import { splitWords } from '../../value.ts';
import { parseSignals, terminalBytes, terminalSignals } from './terminal-sequences.ts';

const POLL_MS = 20_000;
const REPLY_MS = 10_000;
const RETRY_MS = 1_000;
const TMUX_MS = 2_000;
const DEFAULT_SIGNALS = 'osc9,bell';

export const listenCommand: CommandSpec = {
  name: 'listen',
  summary: 'show notifications in this terminal: OSC 9, 777 or 99, and the bell',
  notes: [
    'Prints a line for each; on a terminal also the sequences that make it notify you.',
    'osc9: iTerm2, WezTerm, Ghostty, Windows Terminal. osc99: kitty, foot.',
    'osc777: urxvt, foot, Ghostty.',
    'Inside tmux, OSC needs set -g allow-passthrough on; the bell needs nothing.',
    'Notifications must be on: agtmux notify on. Exit codes: 130 after Ctrl-C.',
  ],
  examples: [
    'agtmux notify listen',
    'agtmux notify listen --with osc99',
    'agtmux notify listen --json',
  ],
  options: [
    {
      name: 'with',
      value: { kind: 'choices', label: 'SIGNAL[,SIGNAL]', choices: terminalSignals },
      summary: `how the terminal is asked to notify you (${DEFAULT_SIGNALS})`,
    },
  ],
  run: listen,
};

async function listen(call: Call): Promise<number> {
  await warnWithoutPassthrough(call);
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  using _signals = onSignals(resolve);
  const listener = new Listener(call);
  try {
    return await Promise.race([ended, listener.run()]);
  } finally {
    listener[Symbol.dispose]();
  }
}

class Listener implements Disposable {
  readonly #call: Call;
  #client: DaemonClient | null = null;
  #after: number | undefined;
  #isClosed = false;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Rejects with what does not pass, such as a daemon that cannot be started. */
  async run(): Promise<never> {
    const revive = daemonReviver(this.#call);
    this.#client = await openDaemon(this.#call);
    for (;;) {
      try {
        this.#client ??= await findDaemon(this.#call);
        if (this.#client) {
          await this.#next(this.#client);
          continue;
        }
      } catch (error) {
        if (!isPassing(error)) throw error;
      }
      this.#client?.close();
      this.#client = null;
      if (this.#isClosed) return new Promise(() => {});
      await revive();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  async #next(client: DaemonClient): Promise<void> {
    const after = this.#after === undefined ? {} : { after: this.#after };
    const reply = await client.call(
      'notify_listen',
      { ...after, timeout_ms: POLL_MS },
      { timeoutMs: POLL_MS + REPLY_MS },
    );
    for (const each of reply.notifications) this.#show(each);
    this.#after = reply.after;
  }

  #show(notification: TerminalNotification): void {
    const { io, flags } = this.#call;
    if (isSet(flags, 'json')) {
      io.writeOut(`${safeJson(notification)}\n`);
      return;
    }
    const view = callView(this.#call, Date.now());
    const { headline, lines, at } = notification;
    const text = [clockText(view, Date.parse(at)), headline, ...lines].join('  ');
    const signals = parseSignals(splitWords(textOf(flags, 'with') ?? DEFAULT_SIGNALS));
    const isInTmux = Boolean(io.env['TMUX']);
    const bytes = io.isTerminal ? terminalBytes(notification, signals, { isInTmux }) : '';
    io.writeOut(`${bytes}${safeText(text, view.unicode)}\n`);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#client?.close();
  }
}

/** Without the option tmux drops what it does not know, and nobody would see why. */
async function warnWithoutPassthrough(call: Call): Promise<void> {
  const { env, isTerminal } = call.io;
  const signals = textOf(call.flags, 'with') ?? DEFAULT_SIGNALS;
  if (!env['TMUX'] || !isTerminal || !signals.includes('osc')) return;
  const { stdout, code } = await runChild({
    command: 'tmux',
    args: ['show-options', '-Apv', 'allow-passthrough'],
    env: { ...env },
    timeoutMs: TMUX_MS,
    stdoutBytesMax: 1_000,
  });
  if (code === 0 && /^(on|all)$/m.test(stdout)) return;
  call.io.writeErr(
    'tmux drops OSC sequences here: run tmux set -g allow-passthrough on, or use --with bell.\n',
  );
}
