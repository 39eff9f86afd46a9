// Our emitter on another machine: its events come through the wake-up and the spool there, at once,
// each of them once, also when the link was lost in between.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { Fleet, REACH_MS } from './fleet.ts';

const LONG_MS = 180_000;
/** Before the link is lost, while it is, and after. */
const EVENTS = 60;
const emitter = join(root, 'emitter', 'agtmux-emit');

const hooks: readonly { readonly hook_event_name: string }[] = readFileSync(
  join(root, 'tests', 'fixtures', 'samples', 'claude-hooks.jsonl'),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line).in);

/** How a fake on a host runs the emitter: with the home of whoever logs in there. */
const emitLine = (fleet: Fleet, name: string): string =>
  `HOME='${fleet.host(name).sshd.home}' CLAUDE_PID=$$ ` +
  `'${emitter}' --source claude-hooks --agent claude`;

const payloadOf = (name: string): object => ({
  ...hooks.find((each) => each.hook_event_name === name),
  session_id: 'session-1',
});

/** Has the agent of a host run so many hooks, one after the other. */
async function emitMany(fleet: Fleet, name: string, count: number): Promise<void> {
  const done = join(fleet.host(name).sshd.home, `done-${Math.random()}`);
  const payload = join(fleet.host(name).sshd.home, 'payload');
  writeFileSync(payload, JSON.stringify(payloadOf('UserPromptSubmit')));
  const script = `${payload}.sh`;
  writeFileSync(
    script,
    `i=0
while [ $i -lt ${count} ]; do
  i=$((i + 1))
  ${emitLine(fleet, name)} <'${payload}'
done
: >'${done}'
`,
  );
  fleet.agent(name).type(`run . '${script}'`);
  await eventually(() => existsSync(done), 'all hooks have run', REACH_MS);
}

async function toldIds(fleet: Fleet, name: string): Promise<readonly string[]> {
  const row = await fleet.row(name);
  const { events } = await fleet.client.call('explain', { ref: row?.ref ?? '', events: 1_000 });
  return events
    .filter(({ source }) => source === 'claude-hooks')
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ event_id: id }) => id);
}

/** Leaves an event in the spool of a host as its emitter would, under that id. */
function leaveEvent(fleet: Fleet, name: string, id: string, event: string): void {
  const { sshd, tmux } = fleet.host(name);
  const spool = join(sshd.home, '.local', 'state', 'agtmux', 'spool');
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  const lines = [
    'agtmux-event 1',
    ...[`id: ${id}`, `seq: ${id.split('-')[0]}`, `time: ${id.split('-')[0]}`],
    ...['source: claude-hooks', 'agent: claude'],
    `TMUX: ${tmux.socketPath},${tmux.serverPid()},0`,
    `TMUX_PANE: ${fleet.agent(name).paneId}`,
    `CLAUDE_PID: ${fleet.agent(name).pid}`,
    '',
    JSON.stringify({ ...payloadOf(event), session_id: `of ${name}` }),
  ];
  const file = join(spool, `${id}.event`);
  writeFileSync(`${file}.tmp`, lines.join('\n'), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

describe.skipIf(isSshdMissing)('the emitter on another machine', () => {
  test(
    'delivers every state at once',
    async () => {
      await using fleet = await Fleet.start({ vm1: {}, vm2: {} });
      await eventually(async () => (await fleet.row('vm1'))?.agent === 'claude', 'found', REACH_MS);
      await fleet.health('vm1', 'ok');
      const payload = join(fleet.host('vm1').sshd.home, 'payload');
      const lags: number[] = [];
      const story = [
        'SessionStart',
        'UserPromptSubmit',
        'PermissionRequest',
        'PostToolUse',
        'Stop',
      ];
      const states = ['idle', 'running', 'waiting_approval', 'running', 'completed'];
      for (const [index, event] of story.entries()) {
        writeFileSync(payload, JSON.stringify(payloadOf(event)));
        const startedAt = performance.now();
        fleet.agent('vm1').type(`run ${emitLine(fleet, 'vm1')} <'${payload}'`);
        const row = await fleet.until('vm1', states[index] ?? '');
        lags.push(performance.now() - startedAt);
        expect(row.evidence.source).toBe('claude-hooks');
      }
      // The sweep of the spool comes every 2 s, and each event just after a reading: where at least
      // one is known sooner, the wake-up has brought it.
      expect(Math.min(...lags)).toBeLessThan(1_500);
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test(
    'may call its events as that of a third machine does',
    async () => {
      await using fleet = await Fleet.start({ vm1: {}, vm2: {} });
      for (const name of ['vm1', 'vm2']) await fleet.shows(name, 'running');
      const id = `${Date.now() * 1_000}-7`;
      leaveEvent(fleet, 'vm1', id, 'PermissionRequest');
      await fleet.until('vm1', 'waiting_approval');
      leaveEvent(fleet, 'vm2', id, 'StopFailure');
      const isError = async () => (await fleet.row('vm2'))?.state === 'error';
      await eventually(isError, 'the second is published as well', REACH_MS);
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test(
    'loses nothing, repeats nothing and keeps its order over a link that is lost',
    async () => {
      await using fleet = await Fleet.start({ vm1: {}, vm2: {} });
      await eventually(async () => (await fleet.row('vm1'))?.agent === 'claude', 'found', REACH_MS);
      const { sshd } = fleet.host('vm1');
      const cutting = emitMany(fleet, 'vm1', EVENTS);
      await eventually(async () => (await toldIds(fleet, 'vm1')).length > 5, 'some came', REACH_MS);
      sshd.cut();
      await cutting;
      await sshd.stop();
      await emitMany(fleet, 'vm1', EVENTS);
      await fleet.until('vm1', 'unknown/target_unreachable');
      expect(fleet.host('vm1').spoolFiles().length).toBeGreaterThanOrEqual(EVENTS);
      await sshd.run();
      await emitMany(fleet, 'vm1', EVENTS);
      await fleet.until('vm1', 'running');
      const isAllTold = async () => (await toldIds(fleet, 'vm1')).length >= 3 * EVENTS;
      await eventually(isAllTold, 'the spool is read', REACH_MS);
      const ids = await toldIds(fleet, 'vm1');
      expect(ids).toHaveLength(3 * EVENTS);
      expect(new Set(ids).size).toBe(3 * EVENTS);
      expect(ids).toEqual(ids.toSorted());
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );
});
