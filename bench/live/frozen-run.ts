// A link that freezes while a program behind it prints 1 MB/s into a tapped session: how long the
// program stalls, and how long this machine's own view takes meanwhile.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monoMs, pause, until } from './clock.ts';
import { type FakePane, makeSession, openTerminal } from './fake-panes.ts';
import { startDaemonFarFrom } from './far-daemon.ts';
import { type Check, type Spread, spreadOf } from './figures.ts';
import { ATTACH_ALWAYS, DEFAULT_SOCKET, Place, root } from './place.ts';
import { screenTurns } from './recordings.ts';
import { RowWatch } from './row-watch.ts';

const STARTED_MS = 30_000;
const MISSED_MS = 5_000;
const printer = join(root, 'tests', 'fixtures', 'tmux', 'printer.mjs');

export interface FrozenFigures {
  /** The longest time in which the remote program could not print. */
  readonly stalledMs: number;
  readonly printedMb: number;
  /** From a change on this machine to the subscribed client, all the while. */
  readonly local: Spread;
  readonly missed: number;
  /** How long until the rows of the frozen machine became unknown. */
  readonly unknownAfterMs: number | null;
}

export async function measureFrozen({
  frozenMs,
}: {
  readonly frozenMs: number;
}): Promise<FrozenFigures> {
  using far = new Place(DEFAULT_SOCKET);
  const [agent] = makeSession(far, 'work', ['claude']);
  const record = join(far.folder, 'record');
  far.tmux('new-window', '-d', '-t', '=work:', process.execPath, printer, record);
  await using daemon = await startDaemonFarFrom({ vm1: far }, { toml: ATTACH_ALWAYS });
  const [home] = makeSession(daemon.home, 'agents', ['claude']);
  const client = await daemon.connect();
  using local = new RowWatch(await daemon.connect(), 'local');
  using remote = new RowWatch(await daemon.connect(), 'vm1');
  if (!agent || !home) throw new Error('no panes');
  await until('both agents are known', STARTED_MS, () =>
    Boolean(local.stateOf(home.paneId) && remote.stateOf(agent.paneId)),
  );
  await until('the session is tapped', STARTED_MS, async () => {
    const { servers } = await client.call('daemon_info', {});
    return servers.some(({ target, taps }) => target === 'vm1' && taps > 0);
  });
  client.close();
  await until('it prints', STARTED_MS, () => readPrinterRecord(record).bytes > 1_000_000);
  const before = readPrinterRecord(record).bytes;
  const [first] = screenTurns.claude();
  openTerminal(agent.tty)(first?.bytes ?? '');
  await remote.next(agent.paneId, ['running'], MISSED_MS);
  const sshd = daemon.sshds.get('vm1');
  const frozenAtMs = monoMs();
  sshd?.freeze();
  const unknownAt = remote.next(agent.paneId, ['unknown'], frozenMs);
  const lags = await lagsUntil(frozenAtMs + frozenMs, home, local);
  const { bytes, longestGapMs } = readPrinterRecord(record);
  const unknownAtMs = await unknownAt;
  sshd?.thaw();
  return {
    stalledMs: longestGapMs,
    printedMb: (bytes - before) / 1_000_000,
    local: spreadOf(lags.filter((lag) => lag !== null)),
    missed: lags.filter((lag) => lag === null).length,
    unknownAfterMs: unknownAtMs && unknownAtMs - frozenAtMs,
  };
}

/** Changes the agent of this machine at an irregular pace until then. */
async function lagsUntil(
  endMs: number,
  { paneId, tty }: FakePane,
  watch: RowWatch,
): Promise<readonly (number | null)[]> {
  const write = openTerminal(tty);
  const steps = screenTurns.claude();
  const lags: (number | null)[] = [];
  for (let turn = 0; monoMs() < endMs; turn += 1) {
    const step = steps[turn % steps.length];
    if (!step) break;
    const change = watch.next(paneId, step.expected, MISSED_MS);
    const changedMs = monoMs();
    write(step.bytes);
    const pushedAtMs = await change;
    lags.push(pushedAtMs && pushedAtMs - changedMs);
    await pause(200 + Math.random() * 400);
  }
  return lags;
}

interface PrinterRecord {
  readonly bytes: number;
  readonly longestGapMs: number;
}

function readPrinterRecord(record: string): PrinterRecord {
  try {
    return JSON.parse(readFileSync(record, 'utf8'));
  } catch {
    return { bytes: 0, longestGapMs: 0 };
  }
}

export function frozenChecks(figures: FrozenFigures, frozenMs: number): readonly Check[] {
  const { stalledMs, printedMb, local, missed, unknownAfterMs } = figures;
  // A busy machine does not keep the printer's pace; a frozen one prints nothing at all.
  const owedMb = (frozenMs / 1_000) * 0.5;
  return [
    { name: 'remote program stalled', value: stalledMs, limit: 2_000, unit: 'ms' },
    { name: 'printed too little by', value: Math.max(0, owedMb - printedMb), limit: 1, unit: 'MB' },
    { name: 'local view p95', value: local.p95Ms, limit: 1_000, unit: 'ms' },
    { name: 'local view, the longest', value: local.maxMs, limit: 2_000, unit: 'ms' },
    { name: 'local changes missed', value: missed, limit: 1, unit: '' },
    { name: 'reported as unknown', value: unknownAfterMs ?? Number.NaN, limit: 30_000, unit: 'ms' },
  ];
}
