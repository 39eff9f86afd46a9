// `agtmux demo`: made-up agents on a private tmux server, watched by a daemon of their own. On a
// terminal the TUI shows them; elsewhere the pane table is printed now and then. What runs on the
// stage is src/demo/, which loads only here.

import { setTimeout as pause } from 'node:timers/promises';
import type { DemoStage } from '../../demo/run-demo.ts';
import { type Call, isSet, numberOf } from '../command.ts';
import { programArgs } from '../daemon-link.ts';
import { EXIT_INTERRUPTED } from '../exit-codes.ts';
import { runList } from './list.ts';
import { canShow } from './tui.ts';

/** Long enough to see every state come and go; a person at a terminal ends it himself. */
const UNATTENDED_SECONDS = 20;
const TABLE_EVERY_MS = 4_000;

const HELLO =
  'A demo: made-up agents on a private tmux server. Nothing of yours is touched. q ends it.\n';

export async function runDemoCommand(call: Call): Promise<number> {
  const { runDemo } = await import('../../demo/run-demo.ts');
  const isTui = canShow(call) && !isSet(call.flags, 'json');
  const seconds = numberOf(call.flags, 'seconds') ?? (isTui ? null : UNATTENDED_SECONDS);
  const program = [process.execPath, ...programArgs()];
  if (isTui) call.io.writeErr(HELLO);
  using ending = endsBySignal();
  const show = async (stage: DemoStage): Promise<number> => {
    const { signal } = ending;
    // The time counts from when there is something to see.
    const timer = seconds === null ? undefined : setTimeout(ending.end, seconds * 1_000, 0);
    try {
      if (!isTui) return await printTables(call, stage, signal);
      const { showTui } = await import('../../demo/show-tui.ts');
      return await showTui(stage, program, signal);
    } finally {
      clearTimeout(timer);
    }
  };
  const code = await runDemo({ env: call.io.env, program, signal: ending.signal, show });
  return ending.code ?? code;
}

async function printTables(call: Call, stage: DemoStage, signal: AbortSignal): Promise<number> {
  const { json } = call.flags;
  const looking: Call = {
    ...call,
    path: ['list', 'panes'],
    flags: { 'socket-path': stage.socketPath, ...(json && { json }) },
    // Should its daemon die, another one is started where this one was.
    io: { ...call.io, env: stage.env },
  };
  while (!signal.aborted) {
    await runList(looking);
    if (!json) call.io.writeOut('\n');
    await pause(TABLE_EVERY_MS, null, { signal }).catch(() => null);
  }
  return 0;
}

interface Ending {
  readonly signal: AbortSignal;
  /** The exit code that the end asked for; null while nothing did. */
  readonly code: number | null;
  readonly end: (code: number) => void;
  /** Signals do what they do without us again. */
  readonly [Symbol.dispose]: () => void;
}

/** An end by a signal of the process. */
function endsBySignal(): Ending {
  const controller = new AbortController();
  let code: number | null = null;
  const end = (asked: number): void => {
    code ??= asked;
    controller.abort();
  };
  const listeners = {
    SIGINT: () => end(EXIT_INTERRUPTED),
    SIGTERM: () => end(143),
    SIGHUP: () => end(129),
  };
  for (const [name, listener] of Object.entries(listeners)) process.on(name, listener);
  return {
    signal: controller.signal,
    get code() {
      return code;
    },
    end,
    [Symbol.dispose]: () => {
      for (const [name, listener] of Object.entries(listeners)) process.off(name, listener);
    },
  };
}
