// `agtmux demo`: made-up agents on a private tmux server, watched by a daemon of their own. On a
// terminal the live view shows them; elsewhere the pane table is printed every few seconds. The
// demo itself is src/demo/, which loads only here.

import { setTimeout as pause } from 'node:timers/promises';
import type { DemoStage } from '../../../demo/run-demo.ts';
import { type Call, type CommandSpec, isSet, numberOf } from '../../command.ts';
import { programArgs } from '../../daemon-link.ts';
import { EXIT_INTERRUPTED } from '../../exit-codes.ts';
import { count } from '../../options.ts';
import { runListPanes } from '../panes/list.ts';
import { canShowTui } from '../panes/tui.ts';

/** Long enough to see every state; on a terminal the user ends the demo. */
const UNATTENDED_SECONDS = 20;
const TABLE_EVERY_MS = 4_000;

const HELLO =
  'A demo: made-up agents on a private tmux server. Nothing of yours is touched.\n' +
  'Answer them (i) and prompt them (s): they go on with their work. q ends it.\n';

const GOODBYE =
  'That was the demo; nothing of it is left. Next: start an agent in a tmux pane, then agtmux.\n' +
  '`agtmux doctor` says what works here.\n';

export const demoCommand: CommandSpec = {
  name: 'demo',
  summary: 'watch made-up agents on a private tmux server',
  notes: [
    'Touches nothing of yours: its tmux server, daemon and files are in a folder of their own,',
    'which is removed at the end, however the demo ends. The agents play recorded screens:',
    'whatever the answer or the prompt is, the agent that gets it goes on with its work.',
    'On a terminal the live view shows it until q; elsewhere the pane table is printed for 20 s.',
  ],
  examples: ['agtmux demo', 'agtmux demo --seconds 60'],
  options: [{ name: 'seconds', value: count, summary: 'end after this many seconds' }],
  run: runDemoCommand,
};

async function runDemoCommand(call: Call): Promise<number> {
  const { runDemo } = await import('../../../demo/run-demo.ts');
  const isTui = canShowTui(call) && !isSet(call.flags, 'json');
  const seconds = numberOf(call.flags, 'seconds') ?? (isTui ? null : UNATTENDED_SECONDS);
  const program = [process.execPath, ...programArgs()];
  if (isTui) call.io.writeErr(HELLO);
  using ending = listenForSignals();
  const show = async (stage: DemoStage): Promise<number> => {
    const { signal } = ending;
    // The time starts when there is something to see.
    const timer = seconds === null ? undefined : setTimeout(ending.end, seconds * 1_000, 0);
    try {
      if (!isTui) return await printTables(call, stage, signal);
      const { showTui } = await import('../../../demo/show-tui.ts');
      return await showTui(stage, program, signal);
    } finally {
      clearTimeout(timer);
    }
  };
  const code = await runDemo({ env: call.io.env, program, signal: ending.signal, show });
  if (isTui) call.io.writeErr(GOODBYE);
  return ending.code ?? code;
}

async function printTables(call: Call, stage: DemoStage, signal: AbortSignal): Promise<number> {
  const { json } = call.flags;
  const listCall: Call = {
    ...call,
    flags: { 'socket-path': stage.socketPath, ...(json && { json }) },
    // If the demo's daemon dies, the next one starts in the same folder.
    io: { ...call.io, env: stage.env },
  };
  while (!signal.aborted) {
    await runListPanes(listCall);
    if (!json) call.io.writeOut('\n');
    await pause(TABLE_EVERY_MS, null, { signal }).catch(() => null);
  }
  return 0;
}

interface EndSignal {
  readonly signal: AbortSignal;
  /** The exit code of whatever ended it; null before the end. */
  readonly code: number | null;
  readonly end: (code: number) => void;
  /** Removes the signal listeners. */
  readonly [Symbol.dispose]: () => void;
}

/** Ends the demo when the process gets a signal. */
function listenForSignals(): EndSignal {
  const controller = new AbortController();
  let code: number | null = null;
  const end = (exitCode: number): void => {
    code ??= exitCode;
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
