// A first hour with agtmux, as one script: thirty agents in ten sessions, two hosts over ssh of
// which one dies, and a daemon that is killed. Each name on the screen can be typed, and looking at
// an agent that waits does not remove it from any count. The tests are its steps, in order.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { attachPerson, type Person } from '../live/tmux-person.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { LiveTui } from '../tui/live-tui.ts';
import { FirstHourLab, rowOf, type StagedAgent } from './first-hour-lab.ts';
import type { LivePane } from './live-agents.ts';

const LONG_MS = 180_000;
const AGENT_COUNT = 35;
const NAME = 'nightly sync';

/** The names of panes on a screen of the live view. */
const namesOf = (screen: string): readonly string[] =>
  [...screen.matchAll(/(?<= )[\w/-]+:\d+\.\d+(?= )/g)]
    .map(([name]) => name)
    .filter((name) => name !== 'view:0.0');

/** The texts of one column of a table; its rows end with a blank line. */
function columnOf(screen: string, title: string, next: string): readonly string[] {
  const lines = screen.split('\n');
  const header = lines.findIndex((line) => line.startsWith('STATE'));
  const [from, to] = [title, next].map((each) => (lines[header] ?? '').indexOf(` ${each} `) + 1);
  const rows = lines.slice(header + 1);
  const end = rows.findIndex((line) => line.trim() === '');
  return rows.slice(0, end).map((line) => line.slice(from, to).trim());
}

const isUnreachable = ({ reason_code: reason }: PaneItem): boolean =>
  reason === 'target_unreachable';
const isSamePane = (row: PaneItem) => (other: PaneItem) => other.pane_key === row.pane_key;
/** A turn that has ended is news for two minutes, and then idle. */
const isAsBefore = (row: PaneItem, now: PaneItem | undefined): boolean =>
  (now?.state === row.state && now.reason_code === row.reason_code) ||
  (row.state === 'completed' && now?.state === 'idle');
/** What a restart keeps of a row. */
const keptOf = (row: PaneItem | undefined) => ({
  ref: row?.ref,
  since: row?.since,
  last_known: row?.last_known,
  alias: row?.alias,
  attention: row?.attention,
  runtime_id: row?.runtime_id,
});

/** The first line of the live view. */
const headerOf = (screen: string): string => screen.split('\n')[0] ?? '';

describe.skipIf(isSshdMissing)('a first hour with thirty agents and two ssh hosts', () => {
  let lab: FirstHourLab;
  let answering: LivePane;
  let view: LiveTui;
  let person: Person | null = null;

  beforeAll(async () => {
    lab = await FirstHourLab.open();
    answering = lab.openAnswering('answering');
  }, LONG_MS);
  afterAll(() => lab?.[Symbol.asyncDispose]());

  const agentAt = (location: string, target = 'local'): StagedAgent =>
    lab.agents.find((each) => each.location === location && each.target === target) ??
    expect.fail(`no agent is at ${target}/${location}`);
  const rowAt = async (location: string, target?: string): Promise<PaneItem> =>
    rowOf((await lab.list()).panes, agentAt(location, target)) ?? expect.fail('not listed');

  /** Types each text to `agtmux explain` and expects the pane that was shown with it. */
  const expectTypedNames = async (names: readonly string[]): Promise<void> => {
    for (const name of names) {
      const [location = '', target] = name.split('/').reverse();
      const isNamed = (each: StagedAgent): boolean =>
        each.location === location && (target === undefined || each.target === target);
      const agent = lab.agents.find(isNamed);
      const { code, out, err } = await lab.agtmux('explain', name, '--json');
      expect([name, code, err]).toEqual([name, 0, '']);
      const { pane } = JSON.parse(out) as { readonly pane: PaneItem };
      const shown = [name, pane.target, pane.identity?.pane_id];
      expect(shown).toEqual([name, agent?.target ?? 'local', (agent?.pane ?? answering).paneId]);
    }
  };

  const untilRow = (location: string, check: (row: PaneItem) => boolean, what: string) =>
    lab.until((rows) => {
      const row = rowOf(rows, agentAt(location));
      return row !== null && check(row);
    }, `${location} is ${what}`);

  /** Lets a person's client show the pane. */
  const look = async (location: string): Promise<void> => {
    const { tmux } = lab.live;
    const { paneId } = agentAt(location).pane;
    person ??= await attachPerson(tmux, agentAt(location).pane.format('#{session_id}'));
    tmux.run('switch-client', '-c', person.name, '-t', paneId);
  };

  /** Every surface says that so many agents need a person. */
  const expectCount = async (count: number): Promise<void> => {
    const words = count === 1 ? '1 needs you' : `${count} need you`;
    await view.until((screen) => headerOf(screen).includes(` ${words} `), words);
    const { summary } = await lab.list();
    expect(summary.needs_action).toBe(count);
    expect(Object.values(summary.needs).reduce((sum, each) => sum + each, 0)).toBe(count);
    expect((await lab.agtmux('list')).out).toContain(`, ${words}: `);
    expect((await lab.list('--needs-action')).panes.length).toBe(count);
    const { out } = await lab.agtmux('tmux-status');
    const counts = [...out.matchAll(/(\d+)[✗x!?=]/g)].map(([, digits]) => Number(digits));
    expect([out, counts.reduce((sum, each) => sum + each, 0)]).toEqual([out, count]);
  };

  test(
    'a target that is added says that it is connected',
    async () => {
      await lab.live.start();
      for (const name of Object.keys(lab.hosts)) {
        const { code, out } = await lab.live.cli('target', 'add', name);
        expect([code, out]).toEqual([0, `${name} is watched by ssh ${name}, and connected\n`]);
      }
    },
    LONG_MS,
  );

  test(
    'each name that the table and the live view show leads to its pane',
    async () => {
      await lab.showAll();
      const table = new LiveTui(lab.live, { args: ['list'], columns: 200, rows: 60 });
      const listed = columnOf(await table.shows('ended with 0'), 'PANE', 'TARGET');
      lab.live.tmux.run('kill-session', '-t', '=view');
      const names = listed.filter((name) => name !== 'view:0.0');
      expect(new Set(names).size).toBe(AGENT_COUNT);
      expect(names).toEqual(expect.arrayContaining(['local/api:0.0', 'build-box/api:0.0']));
      await expectTypedNames(names);
      const { out: idle } = await lab.agtmux('list', '--state', 'idle');
      await expectTypedNames(columnOf(idle, 'PANE', 'TITLE'));
      view = new LiveTui(lab.live, { columns: 150, rows: 90 });
      view.type('p');
      const shown = namesOf(await view.shows('tools:1.0'));
      expect(new Set(shown).size).toBe(AGENT_COUNT);
      await expectTypedNames(shown);
    },
    LONG_MS,
  );

  test(
    'the live view, the table, the filter, tmux-status and JSON give one count',
    async () => {
      await expectCount(10);
    },
    LONG_MS,
  );

  test(
    'an agent that waits counts after a person has looked at it',
    async () => {
      for (const [location, kind] of [
        ['api:0.0', 'approval'],
        ['docs:0.0', 'question'],
      ] as const) {
        await look(location);
        await untilRow(location, ({ attention }) => attention.requests[0]?.seen === true, 'seen');
        expect((await rowAt(location)).attention.kinds).toEqual([kind]);
        await expectCount(10);
      }
    },
    LONG_MS,
  );

  test(
    'a turn that has ended or failed is cleared when a person has looked at it',
    async () => {
      expect((await rowAt('web:1.0')).attention.kinds).toEqual(['completion']);
      await look('web:1.0');
      await untilRow('web:1.0', ({ attention }) => attention.kinds.length === 0, 'cleared');
      await look('infra:0.1');
      await untilRow('infra:0.1', ({ attention }) => attention.kinds.length === 0, 'cleared');
      expect((await rowAt('infra:0.1')).state).toBe('error');
      await expectCount(9);
    },
    LONG_MS,
  );

  test(
    'an agent that is named and one that is snoozed are found in the list',
    async () => {
      expect(await lab.agtmux('name', 'mobile:0.0', NAME)).toMatchObject({ code: 0, err: '' });
      expect(await lab.agtmux('snooze', 'auth:0.1', '1h')).toMatchObject({ code: 0, err: '' });
      const { out } = await lab.agtmux('list');
      expect(out).toMatch(new RegExp(`idle .* mobile:0\\.0 .* ${NAME}`));
      expect(out).toMatch(/waiting_approval .* auth:0\.1 .* snoozed until \d\d:\d\d/);
      const { out: explained } = await lab.agtmux('explain', NAME, '--json');
      expect(JSON.parse(explained).pane.pane_key).toBe((await rowAt('mobile:0.0')).pane_key);
      await expectCount(8);
    },
    LONG_MS,
  );

  test(
    'a request that is approved from the command line is answered',
    async () => {
      process.kill(answering.pid, 'SIGUSR1');
      await expectCount(9);
      const named = JSON.parse((await lab.live.cli('list', 'requests', '--json')).out);
      const asked = named.requests.find(({ pane }: { pane: { ref: string } }) =>
        pane.ref.includes('/answering/'),
      );
      const approve = ['approve', 'answering:0.0', '--request', asked.request_id];
      expect(await lab.live.cli(...approve)).toMatchObject({ code: 0, err: '' });
      expect(readFileSync(join(lab.live.folder, 'answers'), 'utf8')).toContain('"chosen":"Yes"');
      await expectCount(8);
    },
    LONG_MS,
  );

  test(
    'a host that dies is named with its last known states, and the others go on',
    async () => {
      await lab.hosts['gpu-box'].sshd.stop();
      await lab.until(
        (rows) => rows.filter(({ target }) => target === 'gpu-box').every(isUnreachable),
        'gpu-box is down',
      );
      const { out } = await lab.agtmux('list');
      expect(out).toMatch(/~ gpu-box down for \d+[sm], was waiting_input .* train:0\.0 /);
      expect(out).toMatch(/~ gpu-box down for \d+[sm], was running .* train:1\.0 /);
      expect(out).toMatch(/\ngpu-box down for \d+[sm]: .*Connection refused/);
      await expectCount(7);
      const screen = await view.until(
        (text) => / gpu-box down for \d+[sm] /.test(headerOf(text)),
        'the header names the host',
      );
      expect(screen).toMatch(/~ waiting_input .* gpu-box\/train:0\.0 .*gpu-box down for \d+[sm]/);
      agentAt('api:1.0', 'build-box').pane.show('claude/111-waiting_approval');
      agentAt('tools:0.0').pane.show('claude/124-waiting_input');
      await expectCount(9);
    },
    LONG_MS,
  );

  test(
    'a daemon that is killed loses no agent, no age, no name and no snooze',
    async () => {
      const before = (await lab.list()).panes;
      const { pid } = await (await lab.live.client()).call('daemon_info', {});
      await lab.live.kill(pid, 'SIGKILL');
      // The next command starts a new daemon.
      expect(await lab.live.cli('list')).toMatchObject({ code: 0 });
      const { panes: after } = await lab.until(
        (rows) => before.every((row) => isAsBefore(row, rows.find(isSamePane(row)))),
        'every agent is as before',
      );
      expect((await (await lab.live.client()).call('daemon_info', {})).pid).not.toBe(pid);
      const waiting = (rows: readonly PaneItem[]) =>
        rows.filter(({ state }) => state.startsWith('waiting_')).map(({ pane_key: key }) => key);
      expect(new Set(waiting(after))).toEqual(new Set(waiting(before)));
      expect(waiting(before).length).toBe(10);
      for (const row of before.filter(({ state }) => state !== 'completed')) {
        expect(keptOf(after.find(isSamePane(row)))).toEqual(keptOf(row));
      }
      expect((await rowAt('mobile:0.0')).alias).toBe(NAME);
      expect((await rowAt('auth:0.1')).attention.snoozed_until).not.toBeNull();
      await expectCount(9);
      await view.until((text) => / gpu-box down for \d+[sm] /.test(headerOf(text)), 'still down');
    },
    LONG_MS,
  );
});
