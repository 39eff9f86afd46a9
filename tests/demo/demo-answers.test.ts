// The demo as a person tries it: its agents are answered and prompted, and go on with their work.

import { describe, expect, it } from 'vitest';
import { connectDaemon, type DaemonClient } from '../../src/client/client.ts';
import type { ActionReport } from '../../src/schema/api/acting.ts';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import type { Subscriber } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { DemoRun } from './demo-run.ts';

const SHOW_MS = 60_000;
const ACTION_MS = 40_000;
const PROMPT =
  'please make the parser twice as fast as it is now, and say in one line what made it slow';

/** Acts on an agent in one of the states; again where its story went on before a key. */
function acted(
  rows: Subscriber,
  { agent, states }: { readonly agent: string; readonly states: readonly string[] },
  act: (pane: PaneItem) => Promise<ActionReport>,
): Promise<ActionReport> {
  return eventually(
    async () => {
      const pane = [...rows.rows.values()].find(
        (row) => row.agent === agent && states.includes(row.state),
      );
      const report = pane && (await act(pane).catch(() => null));
      return report?.result === 'refused' ? null : (report ?? null);
    },
    `${agent} is ${states.join(' or ')}, and takes it`,
    SHOW_MS,
  );
}

const agentsOf = (rows: Subscriber): readonly PaneItem[] =>
  [...rows.rows.values()].filter(({ presence }) => presence === 'managed');

async function inDemo(
  test: (rows: Subscriber, client: DaemonClient) => Promise<void>,
): Promise<void> {
  await using run = new DemoRun();
  const { child, exited } = run.start('--seconds', '200');
  const rows = await run.subscribe();
  await eventually(() => agentsOf(rows).length === 8, 'all agents are there', SHOW_MS);
  const client = await connectDaemon({ socketPath: run.socketPath() });
  try {
    await test(rows, client);
    expect(agentsOf(rows).map(({ agent }) => agent)).toHaveLength(8);
  } finally {
    client.close();
    child.kill('SIGTERM');
    await exited;
  }
  await run.isClean();
}

describe.skipIf(isTmuxMissing)('an agent of the demo', { timeout: 240_000 }, () => {
  it('goes on with its work when it is answered, whichever option it is', () =>
    inDemo(async (rows, client) => {
      for (const choice of [{ role: 'deny' }, { role: 'approve' }] as const) {
        const who = { agent: 'claude', states: ['waiting_approval'] };
        const report = await acted(rows, who, ({ pane_key }) =>
          client.call('choose', { ref: pane_key, choice }, { timeoutMs: ACTION_MS }),
        );
        expect(report, JSON.stringify(report)).toMatchObject({ result: 'delivered' });
        const works = ({ agent, state }: PaneItem) => agent === 'claude' && state === 'running';
        await eventually(() => agentsOf(rows).some(works), 'it works', SHOW_MS);
      }
    }));

  it('takes a prompt and works, whichever agent it is', () =>
    inDemo(async (rows, client) => {
      const agents = ['claude', 'codex', 'gemini', 'copilot', 'opencode', 'qwen'];
      const states = ['completed', 'idle', 'error'];
      const reports = agents.map(async (agent) => {
        const { result, detail } = await acted(rows, { agent, states }, ({ pane_key }) =>
          client.call('send', { ref: pane_key, text: PROMPT }, { timeoutMs: ACTION_MS }),
        );
        return { agent, result, detail };
      });
      const done = await Promise.all(reports);
      expect(
        done.map(({ result }) => result),
        JSON.stringify(done),
      ).toEqual(agents.map(() => 'delivered'));
    }));
});
