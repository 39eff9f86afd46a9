// Repeat rules over the socket: what they are made of, when they answer, and when they do not.

import { describe, expect, it, onTestFinished } from 'vitest';
import { delivered } from '../../src/acting/action-result.ts';
import { id } from '../../src/schema/ids.ts';
import { eventually } from '../live/tmux-server.ts';
import { about, claim, evidence, runtimeId } from '../scenario.ts';
import { Inside } from './fixture.ts';

const MINUTE_MS = 60_000;
const terms = { count: 3, expires_in_ms: 10 * MINUTE_MS };

async function open() {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const [pane] = (await client.call('list_panes', {})).panes;
  const ref = pane?.pane_key ?? '';
  let count = 0;
  /** The agent asks for a command, as its hook reports it, or as its screen shows it. */
  const ask = (
    command: string,
    {
      source = 'hooks',
      id: named,
    }: { readonly source?: 'hooks' | 'screen'; readonly id?: string } = {},
  ): string => {
    count += 1;
    const requestId = named ?? `req-${count}`;
    inside.nowMs += 1_000;
    const request = { kind: 'approval' as const, tool: 'Bash', command };
    const isHook = source === 'hooks';
    const name = isHook ? { about: about(requestId) } : {};
    const asks = claim('waiting_approval', { request, ...name });
    const how = isHook ? {} : { tier: 'heuristic' as const, kind: 'level' as const };
    inside.observe({ kind: 'evidence', evidence: evidence(source, inside.nowMs, [asks], how) });
    return requestId;
  };
  const work = (): void => {
    inside.nowMs += 1_000;
    const works = claim('running');
    inside.observe({ kind: 'evidence', evidence: evidence('hooks', inside.nowMs, [works]) });
  };
  const firedBy = async (): Promise<readonly string[]> => {
    await eventually(() => inside.firings.length + inside.defects.length > 0, 'a firing', 5_000);
    const { actions } = await client.call('list_actions', {});
    return actions.map(({ actor }) => actor);
  };
  onTestFinished(() => expect(inside.defects).toEqual([]));
  return { inside, client, ref, ask, work, firedBy };
}

describe('a repeat rule', () => {
  it('approves the open request and the same command again, each under its name', async () => {
    const { client, inside, ref, ask, work } = await open();
    const rule = await client.call('add_repeat_rule', { ref, request_id: ask('make'), ...terms });
    expect(rule).toMatchObject({ command: 'make', tool: 'Bash', count_left: 3 });
    await eventually(() => inside.firings.length === 1, 'the first', 5_000);
    work();
    ask('make');
    await eventually(() => inside.firings.length === 2, 'the second', 5_000);
    expect(inside.firings.map(({ result }) => result)).toEqual(['delivered', 'delivered']);
    const { actions } = await client.call('list_actions', {});
    expect(actions.map(({ actor, kind }) => [actor, kind])).toEqual([
      [`rule:${rule.rule_id}`, 'choose'],
      [`rule:${rule.rule_id}`, 'choose'],
    ]);
    const { rules } = await client.call('list_repeat_rules', {});
    expect(rules).toMatchObject([{ rule_id: rule.rule_id, count_left: 1, fired_count: 2 }]);
  });

  it.each(['make ', 'make install', 'Make'])('does not approve %j', async (command) => {
    const { client, inside, ref, ask, work } = await open();
    await client.call('add_repeat_rule', { ref, request_id: ask('make'), ...terms });
    await eventually(() => inside.firings.length === 1, 'the first', 5_000);
    work();
    ask(command);
    work();
    ask('make');
    await eventually(() => inside.firings.length === 2, 'the one after it', 5_000);
    const { actions } = await client.call('list_actions', {});
    expect(actions.map(({ input }) => JSON.parse(input).request_id)).toEqual(['req-3', 'req-1']);
  });

  it.each(['its count', 'its time', 'its end', 'the configuration'])(
    'stops with %s',
    async (what) => {
      const { client, inside, ref, ask, work } = await open();
      const count = what === 'its count' ? 1 : 3;
      const asked = { ref, request_id: ask('make'), ...terms, count };
      const { rule_id } = await client.call('add_repeat_rule', asked);
      await eventually(() => inside.firings.length === 1, 'the first', 5_000);
      work();
      if (what === 'its time') inside.nowMs += 11 * MINUTE_MS;
      if (what === 'its end') await client.call('revoke_repeat_rule', { rule_id });
      if (what === 'the configuration') inside.isRepeatRulesOn = false;
      ask('make');
      const { rules } = await client.call('list_repeat_rules', {});
      expect(rules.length).toBe(what === 'the configuration' ? 1 : 0);
      expect(inside.firings.length).toBe(1);
      const all = await client.call('list_repeat_rules', { all: true });
      expect(all.rules).toMatchObject([{ rule_id, fired_count: 1 }]);
    },
  );

  it('cannot be made of what only a screen shows, nor of a hidden or cut command', async () => {
    const { client, ref, ask, work } = await open();
    const add = (request_id: string) =>
      client.call('add_repeat_rule', { ref, request_id, ...terms });
    for (const command of ['x'.repeat(1_001), 'curl -H token:[redacted]', 'echo …']) {
      await expect(add(ask(command)), command).rejects.toMatchObject({
        code: 'E_PRECONDITION_FAILED',
      });
      work();
    }
    ask('make', { source: 'screen' });
    const { requests } = await client.call('list_requests', {});
    await expect(add(requests[0]?.request_id ?? '')).rejects.toMatchObject({
      code: 'E_PRECONDITION_FAILED',
    });
  });

  it('is made by no agent, whatever it may answer, and only where they are on', async () => {
    const { client, inside, ref, ask } = await open();
    const input = { ref, request_id: ask('make'), ...terms, caller_pid: process.pid };
    inside.isRepeatRulesOn = false;
    const refused = { code: 'E_NOT_PERMITTED' };
    await expect(client.call('add_repeat_rule', input)).rejects.toMatchObject(refused);
    inside.isRepeatRulesOn = true;
    inside.callingAgent = id(runtimeId(0));
    inside.agentsMayAnswer = true;
    await expect(client.call('add_repeat_rule', input)).rejects.toMatchObject(refused);
    const revoke = { rule_id: 'any', caller_pid: process.pid };
    await expect(client.call('revoke_repeat_rule', revoke)).rejects.toMatchObject(refused);
  });

  it('is not made where the pane has changed since it was shown', async () => {
    const { client, ref, ask, work } = await open();
    ask('make');
    const [shown] = (await client.call('list_requests', {})).requests;
    work();
    const asked = { ref, request_id: ask('rm -rf /'), if_version: shown?.pane.state_version };
    await expect(client.call('add_repeat_rule', { ...asked, ...terms })).rejects.toMatchObject({
      code: 'E_PRECONDITION_FAILED',
    });
    expect((await client.call('list_repeat_rules', {})).rules).toEqual([]);
  });

  it('has the dialog show its command, and tells requests with long ids apart', async () => {
    const { client, inside, ref, ask, work } = await open();
    const commands: unknown[] = [];
    inside.act = async ({ order }) => {
      commands.push(order.kind === 'choose' ? order.shownCommand : null);
      return delivered('chose "Yes"');
    };
    const long = (end: string): string => `${'x'.repeat(300)}${end}`;
    await client.call('add_repeat_rule', {
      ref,
      request_id: ask('make', { id: long('a') }),
      ...terms,
    });
    await eventually(() => inside.firings.length === 1, 'the first', 5_000);
    work();
    ask('make', { id: long('b') });
    await eventually(() => inside.firings.length === 2, 'the second', 5_000);
    expect(commands).toEqual(['make', 'make']);
  });

  it('answers one request once, also where it was refused', async () => {
    const { client, inside, ref, ask, firedBy } = await open();
    inside.act = async () => ({ result: 'refused', code: 'E_NO_DIALOG', detail: 'none' });
    await client.call('add_repeat_rule', { ref, request_id: ask('make'), ...terms });
    expect(await firedBy()).toHaveLength(1);
    inside.observe({ kind: 'evidence', evidence: evidence('title', inside.nowMs + 5, []) });
    expect(inside.firings).toMatchObject([{ result: 'refused', detail: 'E_NO_DIALOG: none' }]);
    expect(await firedBy()).toHaveLength(1);
  });
});
