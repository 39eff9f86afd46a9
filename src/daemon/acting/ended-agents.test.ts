import { describe, expect, it } from 'vitest';
import { emptyWorld, type World } from '../../core/world.ts';
import type { EndedAgent } from '../../schema/history.ts';
import {
  type AgentName,
  id,
  type PaneKey,
  type RuntimeId,
  type TargetId,
} from '../../schema/ids.ts';
import { endedWithServer } from './ended-agents.ts';

function ended(name: string, server: string, endedAtMs: number): EndedAgent {
  const nothing = { paneId: '%1', endReason: null, title: null, prompt: null, path: '/' };
  return {
    ...nothing,
    ...{ sessionKey: null, sessionName: 'work', server, startedAtMs: 0, endedAtMs },
    runtimeId: id<RuntimeId>(name),
    targetId: id<TargetId>('local'),
    agent: id<AgentName>('claude'),
    paneKey: id<PaneKey>(`local|${server}|7|70|%1|${name}|1`),
  };
}

const world = (...living: readonly string[]): World => {
  const panes = living.map((key) => [id<PaneKey>(key), { paneKey: key, goneAtMs: null }] as const);
  return { ...emptyWorld, panes: new Map(panes) } as unknown as World;
};

describe('agents that ended with their tmux server', () => {
  const agents = [
    ended('last', '/a', 100_000),
    ended('near', '/a', 96_000),
    ended('earlier', '/a', 90_000),
    ended('alone', '/b', 50_000),
  ];

  it('are the last ones of each life of a server that is over', () => {
    expect([...endedWithServer(world(), agents)]).toEqual(['last', 'near', 'alone']);
  });

  it('are none of a server that still lives, by its pid and start', () => {
    const isNewLife = world('local|/a|8|80|%1|1|1');
    expect([...endedWithServer(isNewLife, agents)]).toContain('last');
    const lives = world('local|/a|7|70|%9|1|1');
    expect([...endedWithServer(lives, agents)]).toEqual(['alone']);
  });

  it('are none that had no pane', () => {
    const paneless = { ...ended('x', '/a', 1), paneKey: id<PaneKey>('local|none|claude|x') };
    expect([...endedWithServer(world(), [paneless])]).toEqual([]);
  });
});
