// `agtmux watch`: follows changes, as a table that is redrawn or as one JSON event per line. The
// stream goes on after a restart of the daemon; ages and order come from a new listing each time.

import type { DaemonClient } from '../../../client/client.ts';
import { isPassing } from '../../../client/daemon-error.ts';
import { ReconnectingClient } from '../../../client/reconnecting-client.ts';
import { renderHistory } from '../../../render/ledger.ts';
import { safeJson } from '../../../render/safe-text.ts';
import type { SessionList, WindowList } from '../../../schema/api/panes.ts';
import { callView } from '../../call-view.ts';
import { type Call, type CommandSpec, isSet, numberOf, textOf } from '../../command.ts';
import { daemonReviver, openDaemon } from '../../daemon-link.ts';
import {
  checkTargetOptions,
  fetchListing,
  type Listing,
  type ListingScope,
} from '../../fetch-listing.ts';
import { choice, sinceOption, targetOptions } from '../../options.ts';
import { onSignals } from '../../signals.ts';
import { momentOf } from '../../value.ts';
import {
  historyEvents,
  ItemEvents,
  linkEvent,
  PaneEvents,
  type WatchEvent,
} from '../../watch/events.ts';
import { PacedTask } from '../../watch/paced-task.ts';
import { ENTER_SCREEN, LEAVE_SCREEN, redrawBytes } from '../../watch/redraw.ts';

export const watchCommand: CommandSpec = {
  name: 'watch',
  summary: 'follow changes as they happen',
  notes: [
    'On a terminal the table is redrawn in place; elsewhere it is printed again at each change.',
    'jsonl prints one event per line: schema_version, type, at, identity, and what changed.',
    'When the daemon restarts, watch reconnects, continues where it was, and prints a note.',
    'Exit codes: 0 after --once, 130 after Ctrl-C.',
  ],
  examples: [
    'agtmux watch --interval 5s',
    'agtmux watch --format jsonl | jq -r .type',
    'agtmux watch --scope sessions --once',
  ],
  options: [
    ...targetOptions,
    {
      name: 'scope',
      value: choice('SCOPE', ['panes', 'windows', 'sessions']),
      summary: 'what a row or an event is about (panes)',
    },
    {
      name: 'format',
      value: choice('FORMAT', ['table', 'jsonl']),
      summary: 'how changes are printed (table; jsonl with --json)',
    },
    {
      name: 'interval',
      value: { kind: 'duration', label: 'DURATION' },
      summary: 'minimum time between two redraws (1s)',
    },
    sinceOption('first print what happened since then'),
    { name: 'once', summary: 'print the current state and exit' },
  ],
  run: runWatch,
};

const INTERVAL_MS = 1_000;
/** A shorter interval helps no reader, and each listing costs the daemon time. */
const INTERVAL_MIN_MS = 100;
/** The most entries that one request may ask for. */
const HISTORY_MAX = 10_000;

/** One kind of output; it gets the changes. */
interface WatchOutput {
  readonly start?: () => void;
  readonly take: (message: Parameters<PaneEvents['take']>[0]) => void;
  readonly link: (link: 'lost' | 'back') => void;
  readonly [Symbol.dispose]: () => void;
  /** Rejects when the output fails. */
  readonly failure: Promise<never>;
}

interface Watch {
  readonly call: Call;
  readonly client: DaemonClient;
  readonly scope: ListingScope;
  readonly intervalMs: number;
}

async function runWatch(call: Call): Promise<number> {
  const { flags } = call;
  checkTargetOptions(flags);
  const format = textOf(flags, 'format') ?? (isSet(flags, 'json') ? 'jsonl' : 'table');
  const scope = (textOf(flags, 'scope') ?? 'panes') as ListingScope;
  const intervalMs = Math.max(INTERVAL_MIN_MS, numberOf(flags, 'interval') ?? INTERVAL_MS);
  const client = await openDaemon(call);
  const watch: Watch = { call, client, scope, intervalMs };
  try {
    const isTable = format === 'table';
    // The stream takes no target, so a target that does not exist is refused by this request.
    const target = textOf(flags, 'target');
    if (target !== undefined) await client.call('list_windows', { target });
    await replay(watch, isTable);
    if (isSet(flags, 'once') && (isTable || scope !== 'panes'))
      return await printOnce(watch, isTable);
    if (isTable) return await follow(watch, tableOutput(watch));
    return await follow(watch, scope === 'panes' ? paneOutput(watch) : itemOutput(watch));
  } finally {
    client.close();
  }
}

/** Prints the changes since the time of --since. */
async function replay({ call, client }: Watch, isTable: boolean): Promise<void> {
  const sinceMs = momentOf(call.flags, 'since', Date.now());
  if (sinceMs === null) return;
  const history = await client.call('history', {
    since_ms: Math.max(0, sinceMs),
    limit: HISTORY_MAX,
  });
  if (isTable) {
    const view = callView(call, Date.parse(history.generated_at));
    call.io.writeOut(`${renderHistory(view, history)}\n`);
    return;
  }
  const { panes } = await client.call('list_panes', {});
  printEvents(call, historyEvents(history.entries, panes));
}

async function printOnce({ call, client, scope }: Watch, isTable: boolean): Promise<number> {
  const { list, draw } = await fetchListing(client, scope, call.flags);
  if (isTable) call.io.writeOut(draw(callView(call, Date.parse(list.generated_at))));
  else printEvents(call, itemEvents(scope).take(list as WindowList | SessionList));
  return 0;
}

const itemEvents = (scope: ListingScope): ItemEvents =>
  new ItemEvents(scope === 'windows' ? 'window' : 'session');

function printEvents({ io }: Call, events: readonly WatchEvent[]): void {
  if (events.length > 0) io.writeOut(events.map((each) => `${safeJson(each)}\n`).join(''));
}

/** Runs until a signal ends it, or with --once until the first message. */
async function follow({ call, client }: Watch, face: WatchOutput): Promise<number> {
  let exitCode = 0;
  using _signals = onSignals((code) => {
    exitCode = code;
    client.close();
  });
  try {
    face.start?.();
    await Promise.race([readPushes(client, face, call), face.failure]);
    return exitCode;
  } finally {
    face[Symbol.dispose]();
  }
}

async function readPushes(client: DaemonClient, face: WatchOutput, call: Call): Promise<void> {
  const isOnce = isSet(call.flags, 'once');
  const revive = daemonReviver(call);
  const pushes = client.subscribe({}, { resume: !isOnce, onLink: face.link, revive });
  for await (const message of pushes) {
    face.take(message);
    if (isOnce) return;
  }
}

const never: Promise<never> = new Promise(() => {});

function paneOutput({ call }: Watch): WatchOutput {
  const events = new PaneEvents(textOf(call.flags, 'target'));
  return {
    take: (message) => printEvents(call, events.take(message)),
    link: (link) => printEvents(call, [linkEvent(link, new Date().toISOString())]),
    [Symbol.dispose]: () => {},
    failure: never,
  };
}

/** The current listing; null while no daemon answers. */
async function fetchNow(
  asker: ReconnectingClient,
  { call, scope }: Pick<Watch, 'call' | 'scope'>,
): Promise<Listing | null> {
  try {
    return await asker.ask((client) => fetchListing(client, scope, call.flags));
  } catch (error) {
    if (isPassing(error)) return null;
    throw error;
  }
}

/** Windows and sessions are not pushed, so each push triggers a new listing. */
function itemOutput({ call, client, scope, intervalMs }: Watch): WatchOutput {
  const events = itemEvents(scope);
  const asker = new ReconnectingClient(client.socketPath);
  const pace = new PacedTask(intervalMs, async () => {
    const listing = await fetchNow(asker, { call, scope });
    if (listing === null || pace.isStopped) return;
    printEvents(call, events.take(listing.list as WindowList | SessionList));
  });
  return {
    take: () => pace.schedule(),
    link: (link) => printEvents(call, [linkEvent(link, new Date().toISOString())]),
    [Symbol.dispose]: () => {
      pace[Symbol.dispose]();
      asker[Symbol.dispose]();
    },
    failure: pace.failure,
  };
}

function tableOutput({ call, client, scope, intervalMs }: Watch): WatchOutput {
  const { io } = call;
  const asker = new ReconnectingClient(client.socketPath);
  let listing: Listing | null = null;
  let isLost = false;
  const draw = async (): Promise<void> => {
    const fresh = await fetchNow(asker, { call, scope });
    // The output may have ended during the request.
    if (pace.isStopped) return;
    listing = fresh ?? listing;
    if (listing === null || (fresh === null && !io.isTerminal)) return;
    const view = callView(call, Date.parse(listing.list.generated_at));
    const text = listing.draw(view);
    const note = isLost ? 'The daemon does not answer; waiting for it.' : 'Ctrl-C quits.';
    const rows = io.size()?.rows ?? 24;
    io.writeOut(io.isTerminal ? redrawBytes(text, note, rows, view) : `${text}\n`);
  };
  const pace = new PacedTask(intervalMs, draw);
  const want = (): void => pace.schedule();
  const restore = (): void => io.writeOut(LEAVE_SCREEN);
  const ticker = io.isTerminal ? setInterval(want, intervalMs) : undefined;
  return {
    start: () => {
      if (!io.isTerminal) return;
      process.on('exit', restore).on('SIGWINCH', want);
      io.writeOut(ENTER_SCREEN);
    },
    take: want,
    link: (link) => {
      isLost = link === 'lost';
      const note = isLost ? 'The daemon does not answer; waiting for it.' : 'The daemon is back.';
      if (!io.isTerminal) io.writeErr(`${note}\n`);
      want();
    },
    [Symbol.dispose]: () => {
      clearInterval(ticker);
      pace[Symbol.dispose]();
      asker[Symbol.dispose]();
      if (!io.isTerminal) return;
      process.off('exit', restore).off('SIGWINCH', want);
      restore();
    },
    failure: pace.failure,
  };
}
