// Every JSON message of seed 001 that is about agents, over a real server, a real daemon and a real
// tmux: with a token and without one.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachPerson } from '../live/tmux-person.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { WebLab as Lab, type WebLab } from './web-lab.ts';

describe.skipIf(isTmuxMissing).each([
  ['with a token', false],
  ['without authentication', true],
])('agents, %s', (_name, noAuth) => {
  let web: WebLab;
  let paneId: string;

  beforeAll(async () => {
    web = await Lab.open({ noAuth });
    paneId = await web.agent('work');
  });
  afterAll(() => web[Symbol.asyncDispose]());

  it('list-agents gives every agent with the fields of the seed, in their order', async () => {
    const peer = await web.peer();
    const reply = await peer.call('list-agents');
    const workDir = web.lab.live.tmux.run(
      'display-message',
      '-p',
      '-t',
      paneId,
      '#{pane_current_path}',
    );
    const agent = { name: 'work', runtime: 'claude', workDir, attached: false };
    expect(JSON.stringify(reply)).toBe(
      JSON.stringify({ id: reply['id'], type: 'list-agents', agents: [agent] }),
    );
  });

  it('filters choose agents by name, and an empty list is an empty array', async () => {
    const peer = await web.peer();
    const names = async (fields: object) => {
      const { agents } = await peer.call('list-agents', fields);
      return (agents as { readonly name: string }[]).map(({ name }) => name);
    };
    expect(await names({ includeSessionFilter: '^wo' })).toEqual(['work']);
    expect(await names({ includeSessionFilter: 'nothing' })).toEqual([]);
    expect(await names({ excludeSessionFilter: 'w.rk' })).toEqual([]);
  });

  it.each([
    ['includeSessionFilter', 'invalid session include filter: '],
    ['excludeSessionFilter', 'invalid session exclude filter: '],
  ])('a broken pattern in %s is refused with its reason', async (field, words) => {
    const peer = await web.peer();
    const reply = await peer.call('subscribe-agents', { [field]: '(' });
    expect(reply).toMatchObject({ type: 'subscribe-agents', ok: false });
    expect(reply['error']).toContain(words);
  });

  it('a pattern that would stop a backtracking engine is answered like any other', async () => {
    const peer = await web.peer();
    const reply = await peer.call('list-agents', { includeSessionFilter: '^(w+)+(o+)+(r*)*x$' });
    expect(reply['agents']).toEqual([]);
  });

  it('a subscriber is told of agents that come, change and go, and of their number', async () => {
    const peer = await web.peer();
    const reply = await peer.call('subscribe-agents', { includeSessionFilter: 'later' });
    expect(reply).toMatchObject({ ok: true, agents: [], totalAgents: 1 });
    await web.agent('later');
    const { agent } = await peer.event('agent-added');
    expect(agent).toMatchObject({ name: 'later', runtime: 'claude', attached: false });
    await peer.event('agents-count', ({ totalAgents }) => totalAgents === 2);
    const types = () => peer.messages.map(({ type }) => type);
    expect(types().indexOf('agents-count')).toBeGreaterThan(types().indexOf('agent-added'));

    const { tmux } = web.lab.live;
    const sessionId = tmux.run('display-message', '-p', '-t', '=later:', '#{session_id}');
    const person = await attachPerson(tmux, sessionId);
    const attached = (isAttached: boolean) => (message: object) =>
      JSON.stringify(message).includes(`"attached":${isAttached}`);
    await peer.event('agent-updated', attached(true));
    tmux.run('detach-client', '-t', person.name);
    await peer.event('agent-updated', attached(false));
    expect(types().filter((type) => type === 'agents-count')).toHaveLength(1);

    tmux.run('kill-session', '-t', '=later');
    expect(await peer.event('agent-removed')).toEqual({ type: 'agent-removed', name: 'later' });
    await peer.event('agents-count', ({ totalAgents }) => totalAgents === 1);
    const strangers = peer.messages.filter((message) => JSON.stringify(message).includes('"work"'));
    expect(strangers).toEqual([]);
  });

  it('after unsubscribe-agents no event comes', async () => {
    const [peer, other] = [await web.peer(), await web.peer()];
    await peer.call('subscribe-agents');
    await other.call('subscribe-agents');
    expect(await peer.call('unsubscribe-agents')).toMatchObject({ ok: true });
    const before = peer.messages.length;
    await web.agent('unseen');
    await other.event('agent-added');
    web.lab.live.tmux.run('kill-session', '-t', '=unseen');
    await other.event('agent-removed');
    await peer.call('list-agents');
    expect(peer.messages.slice(before).map(({ type }) => type)).toEqual(['list-agents']);
  });

  it('further agents of a session keep names of their own', async () => {
    const peer = await web.peer();
    const { tmux } = web.lab.live;
    const second = tmux.run('split-window', '-d', '-P', '-F', '#{pane_id}', '-t', '=work:').trim();
    await web.lab.startAgent(second);
    const names = async () => {
      const { agents } = await peer.call('list-agents');
      return (agents as { readonly name: string }[]).map(({ name }) => name);
    };
    expect(await names()).toEqual(['work', `work:${second}`]);
    // Also when the first has gone: its name must not lead to another agent.
    await eventually(async () => (await names()).length === 2, 'both are listed');
    tmux.run('kill-pane', '-t', second);
    await eventually(async () => (await names()).length === 1, 'one is listed');
    expect(await names()).toEqual(['work']);
  });

  it('send-prompt types the prompt and replies with what came of it', async () => {
    const peer = await web.peer();
    const reply = await peer.call('send-prompt', {
      agent: 'work',
      prompt: 'line one\nset -g @x 1',
    });
    expect(reply).toMatchObject({ type: 'send-prompt', ok: true, result: 'delivered' });
    const texts = web.lab.received().map(({ submitted }) => submitted);
    expect(texts).toContain('line one\nset -g @x 1');
    const trail = await web.lab.client.call('list_actions', { limit: 1 });
    expect(trail.actions[0]?.actor).toMatch(/^user:web:/);
  });

  it('a prompt into an open dialog is refused and nothing is typed', async () => {
    const peer = await web.peer();
    await peer.call('send-prompt', { agent: 'work', prompt: 'ask' });
    await web.lab.untilState(paneId, ['waiting_approval']);
    const count = web.lab.received().length;
    const reply = await peer.call('send-prompt', { agent: 'work', prompt: 'hello' });
    expect(reply).toMatchObject({ ok: false, code: 'E_DIALOG_OPEN' });
    expect(web.lab.received()).toHaveLength(count);
    web.lab.live.tmux.run('send-keys', '-t', paneId, 'Escape');
    await web.lab.untilState(paneId, ['idle', 'completed']);
  });

  it('what is no request gets an error in the words of the seed', async () => {
    const peer = await web.peer();
    expect(await peer.call('dance')).toMatchObject({
      type: 'error',
      ok: false,
      error: 'unknown message type: dance',
    });
    expect(await peer.call('send-prompt', { prompt: 'x' })).toMatchObject({
      type: 'error',
      error: 'agent field required',
    });
    expect(await peer.call('send-prompt', { agent: 'work' })).toMatchObject({
      error: 'prompt field required',
    });
    expect(await peer.call('send-prompt', { agent: 'none', prompt: 'x' })).toMatchObject({
      type: 'send-prompt',
      ok: false,
      error: 'agent not found',
    });
    for (const text of ['{', '[]', '7', 'null', '{"id":7,"type":"list-agents"}', '']) {
      peer.socket.send(text);
    }
    await eventually(
      () =>
        peer.messages.filter(({ error }) => String(error).startsWith('invalid JSON')).length === 6,
      'six errors',
    );
    expect(await peer.call('list-agents')).toMatchObject({ type: 'list-agents' });
  });
});
