// A host that cannot be trusted: names, titles, output and events made to hurt. What is listed is
// what its tmux has, nothing that a terminal acts on is printed, and it speaks for nobody else.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { eventually, type PrivateTmux } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { REACH_MS, sharedFleet } from './fleet.ts';
import { fakeCommand, LivePane } from './live-agents.ts';

const LONG_MS = 180_000;

const names = [
  'a;b',
  'a"b\'c',
  '#{pid}',
  '$(x)',
  'do$llar',
  'tab\there',
  'new\nline',
  'back\\slash\\n',
  'crab 🦀 é 漢字',
  'x'.repeat(200),
  '-dash',
  'a%2Fb',
  'escape\u001b[31m',
  'bidi\u202eevil\u2066',
  '  blanks  ',
];

/** Escapes, C0 but line feeds, C1 and everything that turns the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** A fake claude in a session and a window of that name, and with that title. */
function bite(tmux: PrivateTmux, name: string): LivePane {
  // tmux expands formats in names that it is given by command.
  const plain = name.replaceAll('#', '##');
  const session = tmux.run(
    'new-session',
    ...['-d', '-P', '-F', '#{session_id}', '-s', plain, '-x', '80', '-y', '24'],
    fakeCommand(tmux, 'claude'),
  );
  const pane = LivePane.of(tmux, session);
  tmux.run('rename-window', '-t', pane.paneId, '--', plain);
  tmux.run('select-pane', '-t', pane.paneId, '-T', plain);
  tmux.run('set-option', '-p', '-t', pane.paneId, '@agent_state', `${name}\n%exit`);
  return pane;
}

describe.skipIf(isSshdMissing)('a hostile host', () => {
  const started = sharedFleet({ vm1: {}, vm2: {} });

  test(
    'with events of panes of another machine is not believed',
    async () => {
      const fleet = started();
      for (const name of ['vm1', 'vm2']) await fleet.shows(name, 'running');
      const spool = join(fleet.host('vm1').sshd.home, '.local', 'state', 'agtmux', 'spool');
      mkdirSync(spool, { recursive: true, mode: 0o700 });
      const { tmux, paneId } = { tmux: fleet.host('vm2').tmux, paneId: fleet.agent('vm2').paneId };
      const victims = [
        { socket: tmux.socketPath, paneId, pid: fleet.agent('vm2').pid },
        { socket: fleet.live.tmux.socketPath, paneId: '%0', pid: 1 },
      ];
      const now = Date.now() * 1_000;
      victims.forEach(({ socket, paneId: pane, pid }, index) => {
        const id = `${now + index}-1`;
        const lines = [
          'agtmux-event 1',
          `id: ${id}`,
          'source: claude-hooks',
          'agent: claude',
          'event: StopFailure',
          `time: ${now}`,
          `TMUX: ${socket},1,0`,
          `TMUX_PANE: ${pane}`,
          `CLAUDE_PID: ${pid}`,
          '',
          JSON.stringify({ hook_event_name: 'StopFailure', session_id: 'x', error: 'forged' }),
        ];
        writeFileSync(join(spool, `${id}.event`), lines.join('\n'), { mode: 0o600 });
      });
      const nonsense = `${now + 9}-1.event`;
      writeFileSync(join(spool, nonsense), 'nonsense \u001b[31m', { mode: 0o600 });
      const from = fleet.subscriber.states.length;
      const isLeft = () => fleet.host('vm1').spoolFiles().includes(nonsense);
      await eventually(() => !isLeft(), 'they are read', REACH_MS);
      await fleet.shows('vm2', 'waiting_approval');
      const states = fleet.subscriber.states.slice(from).map(({ state }) => state);
      expect(states).not.toContain('error');
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test(
    'that prints without end, signals among it, delays neither itself nor others',
    async () => {
      const fleet = started();
      for (const name of ['vm1', 'vm2']) await fleet.shows(name, 'running');
      const { tmux } = fleet.host('vm1');
      const flood =
        'while :; do printf "\\033]3008;start=x;state=running\\033\\\\%%output %%0 x\\n' +
        '%%exit\\n\\033]2;%s\\007" "$(printf %8000s | tr " " y)"; done';
      const session = tmux.newSession('flood', flood);
      // In a session that is tapped, because an agent is in it.
      tmux.run('split-window', '-d', '-t', session, fakeCommand(tmux, 'claude'));
      const isTapped = async (): Promise<boolean> => {
        const { servers } = await fleet.client.call('daemon_info', {});
        return servers.some(({ target, taps }) => target === 'vm1' && taps === 2);
      };
      await eventually(isTapped, 'it is tapped', REACH_MS);
      for (const state of ['waiting_approval', 'running', 'waiting_approval'] as const) {
        fleet
          .agent('vm1')
          .show(state === 'running' ? 'claude/104-running' : 'claude/111-waiting_approval');
        await eventually(
          async () => {
            const { panes } = await fleet.client.call('list_panes', { target: 'vm1' });
            const { paneId } = fleet.agent('vm1');
            return panes.some((row) => row.identity?.pane_id === paneId && row.state === state);
          },
          `its agent is ${state}`,
          REACH_MS,
        );
        await fleet.shows('vm2', state);
      }
      expect(await fleet.target('vm1')).toMatchObject({ health: 'ok' });
      tmux.run('kill-session', '-t', session);
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test(
    'is listed as its tmux has it, and printed harmlessly',
    async () => {
      const fleet = started();
      const bitten = names.map((name) => bite(fleet.host('vm1').tmux, name));
      // Names are given after the pane is there; what is listed follows.
      const isAsTmuxHasIt = (pane: LivePane, rows: readonly PaneItem[]): boolean => {
        const row = rows.find(({ identity }) => identity?.pane_id === pane.paneId);
        return (
          row?.identity?.session_name.trimEnd() === pane.format('#{session_name}') &&
          row.identity.window_name.trimEnd() === pane.format('#{window_name}') &&
          row.pane_title.trimEnd() === pane.format('#{pane_title}')
        );
      };
      const listed = await eventually(
        async () => {
          const filter = { target: 'vm1', agent: 'claude' };
          const { panes } = await fleet.client.call('list_panes', filter);
          const isComplete = panes.length === bitten.length + 1;
          return isComplete && bitten.every((pane) => isAsTmuxHasIt(pane, panes)) ? panes : null;
        },
        'every agent is listed under its names',
        REACH_MS,
      );
      for (const { ref, pane_key: key } of listed) {
        const { pane: explained } = await fleet.client.call('explain', { ref });
        expect(explained.pane_key).toBe(key);
      }
      for (const args of [
        ['list', 'panes'],
        ['list', 'sessions', '--json'],
        ['watch', '--once'],
      ]) {
        const { code, out, err } = await fleet.live.cli(...args);
        expect({ code, found: unsafe.exec(out + err) }).toEqual({ code: 0, found: null });
        expect(out).toContain('vm1');
      }
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );
});
