// What recorded signals prove about a recorded screen: the cases that a screen alone cannot decide,
// and those that signals must leave to it.

import { describe, expect, it } from 'vitest';
import { weighSignals } from '../../../src/agents/classify/weigh-signals.ts';
import type { Says } from '../../../src/schema/state.ts';

type Event = readonly [name: string, dt: number, kind?: string];

const history = (...events: readonly Event[]) => ({
  signals_seen: events.map(([ev, dt, kind]) => ({ ev, dt, kind: kind ?? null })),
});
const hooks = (...events: readonly Event[]) => ({
  hook_events_seen: events.map(([event, dt, kind]) => ({ event, dt, tool_name: kind })),
});

/** What the signals say against the screen; `screen` where they leave it to that. */
function decided(agent: string, screen: Says | null, record: object): string {
  return weighSignals(record, { agent, screen })?.says ?? 'screen';
}

const busy = { status_file: { status: 'busy', pid: 1, sessionId: 's' } };
const idle = { status_file: { status: 'idle', pid: 1, sessionId: 's' } };

describe('recorded signals', () => {
  it.each<[string, string, Says | null, object, string]>([
    ['the file knows that it works', 'claude', 'at_rest', busy, 'running'],
    [
      'a turn ended after the last action',
      'claude',
      'at_rest',
      { ...idle, ...hooks(['UserPromptSubmit', 0.1], ['Stop', 2]) },
      'completed',
    ],
    [
      'a turn ended before the last action',
      'claude',
      'at_rest',
      { ...idle, ...hooks(['UserPromptSubmit', -9], ['Stop', -7]) },
      'at_rest',
    ],
    [
      'Esc fires no hook',
      'claude',
      'at_rest',
      { ...idle, ...hooks(['UserPromptSubmit', -2]) },
      'interrupted',
    ],
    [
      'nothing has run',
      'claude',
      'at_rest',
      { ...idle, ...hooks(['SessionStart', -3]) },
      'at_rest',
    ],
    ['no events', 'claude', 'completed', idle, 'screen'],
    [
      'an older file does not know questions',
      'claude',
      'waiting_input',
      { signals: { status_file: { status: 'waiting', waitingFor: 'x', version: '2.1.148' } } },
      'screen',
    ],
    [
      'a background terminal keeps the OSC at work',
      'codex',
      'at_rest',
      { osc7501_last: 'state=working:app=codex', ...hooks(['UserPromptSubmit', 0], ['Stop', 3]) },
      'completed',
    ],
    [
      'the OSC knows an error',
      'codex',
      'at_rest',
      { osc7501_last: 'state=error:app=codex' },
      'error',
    ],
    [
      'the OSC works and so does the screen',
      'codex',
      'running',
      { osc7501_last: 'state=working' },
      'screen',
    ],
    [
      'an approval given fires no hook',
      'gemini',
      'running',
      history(['BeforeAgent', 0.4], ['Notification', 0.7, 'ToolPermission']),
      'screen',
    ],
    [
      'a turn of gemini is over, and the screen knows how',
      'gemini',
      'interrupted',
      history(['BeforeAgent', 0.4], ['AfterAgent', 5]),
      'screen',
    ],
    [
      'a turn of gemini is over',
      'gemini',
      'at_rest',
      history(['BeforeAgent', 0.4], ['AfterAgent', 5]),
      'completed',
    ],
    [
      'opencode was stopped while it tried again',
      'opencode',
      'at_rest',
      history(['session.status=retry', 1], ['session.status=idle', 2], ['session.idle', 2]),
      'interrupted',
    ],
    [
      'opencode was refused',
      'opencode',
      'at_rest',
      history(
        ['permission.asked', 1],
        ['permission.replied', 2],
        ['session.status=idle', 2.1],
        ['session.idle', 2.1],
      ),
      'interrupted',
    ],
    [
      'kilo reports an interruption last',
      'kilo',
      'at_rest',
      history(['session.status=busy', 1], ['session.idle', 2], ['session.drain.interrupted', 2.1]),
      'interrupted',
    ],
    ['no rule holds', 'qwen', null, history(['UserPromptSubmit', 0.5]), 'running'],
    ['no signals', 'qwen', 'at_rest', {}, 'screen'],
    ['no record', 'qwen', 'at_rest', { hook_events_seen: 'x' }, 'screen'],
  ])('%s', (_name, agent, screen, record, expected) => {
    expect(decided(agent, screen, record)).toBe(expected);
  });

  it('a person who acted since has seen the completion', () => {
    const record = hooks(['UserPromptSubmit', 0.1], ['Stop', 2]);
    const look = { agent: 'codex', screen: 'at_rest', personActed: true } as const;
    expect(weighSignals(record, look)?.says).toBe('at_rest');
  });
});

describe('a recorded session.error', () => {
  const end = (properties?: object) => {
    const hook_events_seen = [
      { event: 'event:session.status=busy', dt: -5 },
      { event: 'event:session.error', dt: 1, ...(properties ? { properties } : {}) },
    ];
    const look = { agent: 'opencode', screen: 'at_rest' } as const;
    return weighSignals({ hook_events_seen }, look)?.says;
  };

  it('is an abort only where its error was not kept', () => {
    expect(end()).toBe('interrupted');
    expect(end({ error: { name: 'APIError', data: { statusCode: 500 } } })).toBe('error');
  });
});
