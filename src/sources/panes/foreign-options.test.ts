import { expect, it } from 'vitest';
import { adapterOf, buildRegistry } from '../../agents/registry.ts';
import { type AgentName, type ChannelName, id, type RuntimeId } from '../../schema/ids.ts';
import type { Daemon } from '../known-pane.ts';
import type { PaneAgent } from '../pane-agent.ts';
import { ForeignOptions } from './foreign-options.ts';

const map = { busy: 'running' };
const content = { name: 'mine', contract_version: '1', options: [{ name: '@tool', map }] };
const registry = buildRegistry([{ file: 'mine.toml', content }]);

function setUp() {
  const adapter = adapterOf(registry, 'mine');
  if (!adapter) throw new Error('no adapter');
  const state = { nowMs: 1_000, values: new Map<string, string>(), asked: 0 };
  const daemon = { nowMs: () => state.nowMs, nextEventId: () => `e${state.nowMs}` };
  const options = new ForeignOptions(daemon as unknown as Daemon, id<ChannelName>('tmux@local:s'));
  const agent = (name: string): PaneAgent => ({
    adapter,
    runtime: {
      runtimeId: id<RuntimeId>(name),
      agent: id<AgentName>('mine'),
      pid: 1,
      startedAtMs: 0,
      basis: 'process',
      sessionKey: null,
    },
  });
  /** As tmux: an error of a pane that is gone ends the line. */
  const run = async (commands: readonly (readonly string[])[]) => {
    const replies = [];
    for (const [, , , paneId = ''] of commands) {
      state.asked += 1;
      const value = state.values.get(paneId);
      replies.push({ ok: value !== undefined, lines: value === '' ? [] : [value ?? 'no pane'] });
      if (value === undefined) break;
    }
    return replies as never;
  };
  const ask = (...agents: (readonly [string, PaneAgent])[]) => options.ask({ run }, agents, 1_000);
  return { state, options, agent, ask };
}

it('a foreign option counts once it has changed, is reported again, and is withdrawn', async () => {
  const { state, options, agent, ask } = setUp();
  const mine = agent('r1');
  const says = () => options.read(mine).map(({ claims }) => claims.map((claim) => claim.says));
  state.values.set('%1', 'busy');
  await ask(['%1', mine]);
  expect(says()).toEqual([]);
  state.values.set('%1', '');
  await ask(['%1', mine]);
  expect(says()).toEqual([[]]);
  state.values.set('%1', 'busy');
  await ask(['%1', mine]);
  expect(says()).toEqual([['running']]);
  expect(says()).toEqual([]);
  state.nowMs += 5_000;
  expect(says()).toEqual([['running']]);
  state.values.set('%1', 'strange\u001b]0;x');
  await ask(['%1', mine]);
  expect(says()).toEqual([[]]);
  options.keep(new Set());
  expect(says()).toEqual([]);
});

it('a pane that is gone delays no other, and each of very many has its turn', async () => {
  const { state, agent, ask, options } = setUp();
  const many = Array.from(
    { length: 100 },
    (_, index) => [`%${index}`, agent(`r${index}`)] as const,
  );
  for (const [paneId] of many) if (paneId !== '%7') state.values.set(paneId, '');
  await ask(...many);
  expect(state.asked).toBe(64);
  await ask(...many);
  for (const [paneId] of many) if (paneId !== '%7') state.values.set(paneId, 'busy');
  await ask(...many);
  await ask(...many);
  const reported = many.filter(([, each]) => options.read(each).length > 0);
  expect(reported.length).toBe(99);
});
