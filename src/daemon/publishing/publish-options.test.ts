import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PaneRecord } from '../../core/world.ts';
import { type OptionServer, PublishOptions } from './publish-options.ts';

const pane = (index: number, row: object = {}): PaneRecord =>
  ({
    paneKey: `key-${index}`,
    goneAtMs: null,
    facts: {
      targetId: 'local',
      server: '/s',
      paneId: `%${index}`,
      generation: { pid: 7, startedAtMs: 0 },
      birth: { pid: 100 + index, startedAtMs: 0 },
    },
    row: {
      presence: 'managed',
      agent: 'claude',
      state: 'running',
      reasonCode: null,
      sinceMs: 5_400,
      attention: { kinds: [] },
      ...row,
    },
  }) as unknown as PaneRecord;

function setUp(panes: PaneRecord[]) {
  const state = { isOn: true, panes, link: 'connected', isLost: false };
  const commands: string[][] = [];
  const server = {
    socketPath: '/s',
    get status() {
      return { state: state.link };
    },
    run: async ([command]: string[][]) => {
      if (state.isLost) throw new Error('lost');
      commands.push(command ?? []);
      return [];
    },
  } as unknown as OptionServer;
  const published = new PublishOptions({
    isOn: () => state.isOn,
    panes: () => state.panes,
    serversOf: () => [server],
  });
  const push = async (): Promise<string[][]> => {
    published.changed();
    await vi.advanceTimersByTimeAsync(5_000);
    return commands.splice(0);
  };
  return { state, published, push, commands };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('published options', () => {
  it('are set in one guarded command for each pane, and only when something changed', async () => {
    const { state, push } = setUp([pane(1, { attention: { kinds: ['error', 'stuck'] } })]);
    const [command, ...others] = await push();
    expect(others).toEqual([]);
    expect(command?.slice(0, 5)).toEqual([
      'if-shell',
      '-F',
      '-t',
      '%1',
      '#{==:#{pid} #{pane_pid},7 101}',
    ]);
    expect(command?.[5]?.split(' ; ')).toEqual([
      'set-option -pq -t %1 @agtmux_state running',
      'set-option -pq -t %1 @agtmux_agent claude',
      'set-option -pqu -t %1 @agtmux_reason',
      'set-option -pq -t %1 @agtmux_since 5',
      'set-option -pq -t %1 @agtmux_attention error,stuck',
    ]);
    expect(await push()).toEqual([]);
    state.panes = [pane(1, { state: 'idle', reasonCode: 'interrupted' })];
    expect((await push())[0]?.[5]).toContain('@agtmux_reason interrupted');
  });

  it('hold no agent name that tmux could read as more than a value', async () => {
    const { push } = setUp([pane(1, { agent: 'x ; kill-server' })]);
    expect((await push())[0]?.[5]).toContain('set-option -pqu -t %1 @agtmux_agent ;');
  });

  it('of many panes are pushed in batches, and not at all when switched off', async () => {
    const many = Array.from({ length: 150 }, (_, index) => pane(index));
    const { state, push } = setUp(many);
    expect(await push()).toHaveLength(150);
    state.isOn = false;
    const removed = await push();
    expect(removed).toHaveLength(150);
    expect(removed.every((command) => !command[5]?.includes('running'))).toBe(true);
    expect(await push()).toEqual([]);
  });

  it('are not pushed to a server that is gone, and pushed again when it is back', async () => {
    const { state, push } = setUp([pane(1)]);
    state.link = 'absent';
    expect(await push()).toEqual([]);
    state.link = 'connected';
    state.isLost = true;
    expect(await push()).toEqual([]);
    state.isLost = false;
    expect(await push()).toHaveLength(1);
  });

  it('are taken back at the end, and nothing is set after it', async () => {
    const { published, push, commands } = setUp([pane(1)]);
    await push();
    await published[Symbol.asyncDispose]();
    expect(commands.splice(0).map((command) => command[5])).toEqual([
      expect.not.stringContaining('running'),
    ]);
    expect(await push()).toEqual([]);
  });
});
