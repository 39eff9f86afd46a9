import { describe, expect, it } from 'vitest';
import { type Evidence, evidenceSchema } from '../schema/evidence.ts';
import type { Says } from '../schema/state.ts';
import { ledgerOf, recordedSignals, turnStartedAtMs } from './signals.ts';

function evidence(source: string, type: string, atMs: number, more: object = {}): Evidence {
  return evidenceSchema.parse({
    eventId: `e${atMs}`,
    source,
    channel: 'spool@local',
    tier: 'deterministic',
    kind: 'edge',
    type,
    runtimeId: 'r',
    bind: null,
    dedupeKey: `d${atMs}`,
    eventTimeMs: atMs,
    ingestedAtMs: atMs,
    backfill: false,
    claims: [],
    ...more,
  });
}

const saying = (says: Says) => ({
  claims: [{ about: 'turn', says, covers: [], rank: 0, basis: 'signal', rule: 'x' }],
});

describe('the signals of a recording', () => {
  it('keep names, times and kinds of events, and nothing that was typed or run', () => {
    const payload = {
      tool_name: 'Bash',
      tool_input: { command: 'cat secret' },
      prompt: 'my prompt',
      notification_type: 'permission_prompt',
      source: 'two\nlines',
    };
    const signals = recordedSignals(
      [evidence('claude-hooks', 'PermissionRequest', 4_500, { payload })],
      4_000,
    );
    expect(signals).toEqual({
      hook_events_seen: [
        {
          event: 'PermissionRequest',
          dt: 0.5,
          tool_name: 'Bash',
          notification_type: 'permission_prompt',
        },
      ],
    });
  });

  it('keep the kind of a plugin event, one level down', () => {
    const payload = {
      properties: { status: { type: 'idle', text: 'x' }, error: { name: 'Abort' } },
    };
    const [event] =
      recordedSignals([evidence('opencode-events', 'session.status', 0, { payload })], 0)
        .hook_events_seen ?? [];
    expect(event).toEqual({
      event: 'session.status',
      dt: 0,
      properties: { status: { type: 'idle' }, error: { name: 'Abort' } },
    });
  });

  it('keep the last state of the terminal and of the session file', () => {
    const signals = recordedSignals(
      [
        evidence('osc-7501', 'osc7501:working', 1),
        evidence('osc-7501', 'osc7501:blocked', 2, saying('waiting_approval')),
        evidence('claude-session-file', 'status:waiting', 3),
        evidence('screen', 'rule', 4),
      ],
      0,
    );
    expect(signals).toEqual({
      osc7501_last: 'state=blocked:kind=permission',
      status_file: { status: 'waiting' },
    });
  });

  it('give the start of the turn', () => {
    const turn = [
      evidence('screen', 'a', 1, saying('at_rest')),
      evidence('screen', 'b', 2, saying('running')),
      evidence('screen', 'c', 3, saying('waiting_approval')),
      evidence('screen', 'd', 4, saying('completed')),
    ];
    expect(turnStartedAtMs(turn)).toBe(2);
    expect(turnStartedAtMs(turn.slice(0, 1))).toBeNull();
  });

  it('list all evidence, for people', () => {
    const [entry] = ledgerOf([evidence('screen', 'a', 500, saying('running'))], 2_000);
    expect(entry).toEqual({ dt: -1.5, source: 'screen', type: 'a', claims: ['running by x'] });
  });
});
