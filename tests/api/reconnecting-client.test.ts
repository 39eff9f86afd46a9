// Questions to a daemon that comes and goes, as the view and `watch` ask them.

import { expect, it, onTestFinished } from 'vitest';
import type { DaemonClient } from '../../src/client/client.ts';
import { ReconnectingClient } from '../../src/client/reconnecting-client.ts';
import { eventually } from '../live/tmux-server.ts';
import { Inside } from './fixture.ts';

const question = (client: DaemonClient) => client.call('list_panes', {});

function askerOf({ socketPath }: Inside): ReconnectingClient {
  const asker = new ReconnectingClient(socketPath);
  onTestFinished(() => asker[Symbol.dispose]());
  return asker;
}

it('shares one connection between calls, also concurrent ones', async () => {
  const inside = await new Inside().serve();
  const asker = askerOf(inside);
  const answers = await Promise.all([1, 2, 3].map(() => asker.ask(question)));
  expect(answers.map(({ panes }) => panes.length)).toEqual([2, 2, 2]);
  await asker.ask(question);
  expect(inside.connectionCount).toBe(1);
  asker[Symbol.dispose]();
  await eventually(() => inside.connectionCount === 0, 'it is closed');
});

it('connects again after the daemon was gone; calls meanwhile are refused', async () => {
  const inside = await new Inside().serve();
  const asker = askerOf(inside);
  await asker.ask(question);
  await inside.hangUp();
  await expect(asker.ask(question)).rejects.toMatchObject({ code: 'E_DAEMON_DOWN' });
  await inside.serve();
  expect((await asker.ask(question)).panes).toHaveLength(2);
});

it('keeps its connection after a refusal', async () => {
  const inside = await new Inside().serve();
  const asker = askerOf(inside);
  const wrong = asker.ask((client) => client.call('explain', { ref: '%99' }));
  await expect(wrong).rejects.toMatchObject({ code: 'E_REF_NOT_FOUND' });
  await asker.ask(question);
  expect(inside.connectionCount).toBe(1);
});

it('refuses calls after its end and those under way, and leaves no connection', async () => {
  const inside = await new Inside().serve();
  const asker = askerOf(inside);
  const early = asker.ask(question);
  asker[Symbol.dispose]();
  await expect(early).rejects.toMatchObject({ code: 'E_DAEMON_DOWN' });
  await expect(asker.ask(question)).rejects.toMatchObject({ code: 'E_DAEMON_DOWN' });
  await eventually(() => inside.connectionCount === 0, 'nothing is open');
});
