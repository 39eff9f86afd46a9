import { describe, expect, it } from 'vitest';
import { agentFileSchema } from '../../schema/agent-file.ts';
import { type AgentName, id, type SourceName } from '../../schema/ids.ts';
import { buildRegistry } from '../registry.ts';
import { foreignOptionNormaliser } from './foreign-option.ts';

const file = (options: unknown) => ({ name: 'mine', contract_version: '1', options });
const words = { busy: 'running', ask: 'waiting_approval', 'all done': 'completed', off: 'at_rest' };
const context = {
  agent: id<AgentName>('mine'),
  source: { name: id<SourceName>('option.tool'), kind: 'level', covers: [], rank: 3 },
  nowMs: 0,
} as const;

describe('an option of another tool', () => {
  it.each([
    ['busy', 'running'],
    [' ask ', 'waiting_approval'],
    ['all done', 'completed'],
    ['off', 'at_rest'],
    ['', undefined],
    ['constructor', undefined],
    [{ busy: 1 }, undefined],
  ])('with the value %j claims %s', (value, says) => {
    const read = foreignOptionNormaliser({ map: words as Record<string, 'running'> });
    const result = read(value, context);
    expect(result.kind === 'claims' && result.claims[0]?.says).toBe(says);
  });

  it('is a source of its own, ranked before the screen only', () => {
    const screen = { name: 'screen', mode: 'poll', kind: 'level', rank: 0 };
    const content = { ...file([{ name: '@Other_Tool', map: words }]), sources: [screen] };
    const { adapters, problems } = buildRegistry([{ file: 'mine.toml', content }]);
    expect(problems).toEqual([]);
    expect(adapters[0]?.options).toEqual([{ name: '@Other_Tool', source: 'option.other_tool' }]);
    expect(adapters[0]?.sources.map(({ name }) => name)).toEqual(['option.other_tool', 'screen']);
  });

  it.each(['@agtmux_state', '@AGTMUX_x', '@agent_state', 'status', '@a b', '@#{pid}', '@x;kill'])(
    'may not be called %s',
    (name) => {
      expect(agentFileSchema.safeParse(file([{ name, map: words }])).success).toBe(false);
    },
  );
});
