// The holes that the facts measured, replayed through the engine: what one source cannot see, the
// next one closes. Times are milliseconds after the start of the runtime.

import { describe, expect, it } from 'vitest';
import { normaliseSignal } from '../../../src/agents/agent-sources.ts';
import { id, type SessionKey } from '../../../src/schema/ids.ts';
import { claim, evidence, Run, runtimeId, T0 } from '../../scenario.ts';
import { event, type Step, stateOf, tell } from './signal.ts';

type TimedSignal = readonly [atMs: number, step: Step];

const step = (agent: string, source: string, raw: unknown, previous?: unknown): Step => ({
  agent,
  source,
  raw,
  previous,
});
const claude = (name: string, payload: object = {}): Step =>
  step('claude', 'claude-hooks', event(name, payload));
const file = (status: string, more: object = {}): Step =>
  step('claude', 'claude-session-file', { pid: 7, sessionId: 's', status, ...more });
const line = (fields: object): Step => step('claude', 'claude-transcript', fields);
const codex = (name: string, payload: object = {}): Step =>
  step('codex', 'codex-hooks', event(name, payload));
const osc = (text: string): Step => step('codex', 'osc-7501', text);
const gemini = (name: string, payload: object = {}): Step =>
  step('gemini', 'gemini-hooks', event(name, payload));
const title = (agent: string, text: string, previous = ''): Step =>
  step(agent, 'title', text, previous);
const bus = (type: string, properties: object = {}): Step =>
  step('opencode', 'opencode-events', { type, properties });
const copilot = (type: string, data: object = {}): Step =>
  step('copilot', 'copilot-events', { type, data });

/** The state after the steps and the time for what is due after them. */
function replay(...steps: readonly TimedSignal[]): string {
  const run = new Run();
  for (const [atMs, each] of steps) tell(run, atMs, each);
  const endMs = T0 + (steps.at(-1)?.[0] ?? 0);
  run.tick(endMs + 600);
  return stateOf(run);
}

const bash = { tool_name: 'Bash', tool_input: { command: 'rm -rf build' } };
const toolPermission = { notification_type: 'ToolPermission', details: { type: 'exec' } };

describe('claude', () => {
  it('/compact fires no Stop: the transcript ends it as completed', () => {
    const summary = { type: 'user', isCompactSummary: true, message: { content: 'It goes on.' } };
    const boundary = { type: 'system', subtype: 'compact_boundary' };
    const manual = line({ ...boundary, compactMetadata: { trigger: 'manual' } });
    const work: TimedSignal[] = [
      [0, line({ type: 'system', subtype: 'turn_duration' })],
      [5_000, file('busy')],
      [5_100, claude('PreCompact', { trigger: 'manual' })],
    ];
    const end = [9_000, manual] as const;
    expect(replay(...work, end, [9_001, line(summary)], [9_300, file('idle')])).toBe('completed');
    expect(replay(...work, [8_900, file('idle')], end, [9_001, line(summary)])).toBe('completed');
    const auto = line({ ...boundary, compactMetadata: { trigger: 'auto' } });
    expect(replay(...work, [9_000, auto], [9_001, line(summary)])).toBe('running');
  });

  it('Esc while it streams fires no hook: the file ends the turn as interrupted', () => {
    expect(replay([0, file('idle')], [100, claude('UserPromptSubmit')], [200, file('busy')])).toBe(
      'running',
    );
    expect(
      replay([100, claude('UserPromptSubmit')], [200, file('busy')], [5_000, file('idle')]),
    ).toBe('idle/interrupted');
  });

  it('Esc in a dialog fires no hook: the file ends the dialog', () => {
    const asked: TimedSignal[] = [
      [100, claude('UserPromptSubmit')],
      [200, file('busy')],
      [900, claude('PermissionRequest', bash)],
      [960, file('waiting', { waitingFor: 'permission prompt' })],
    ];
    expect(replay(...asked)).toBe('waiting_approval');
    expect(replay(...asked, [4_000, file('idle')])).toBe('idle/interrupted');
  });

  it('an approval that was given fires no hook: the file goes back to busy', () => {
    expect(
      replay(
        [100, claude('UserPromptSubmit')],
        [900, claude('PermissionRequest', bash)],
        [960, file('waiting', { waitingFor: 'permission prompt' })],
        [3_000, file('busy')],
      ),
    ).toBe('running');
  });

  it('a dialog stays open while another tool ends beside it', () => {
    expect(
      replay(
        [900, claude('PermissionRequest', bash)],
        [960, file('waiting', { waitingFor: 'permission prompt' })],
        [1_000, claude('PostToolUse', { tool_name: 'Read' })],
      ),
    ).toBe('waiting_approval');
  });

  it('distinguishes completed from failed, which the file does not', () => {
    const began: TimedSignal[] = [
      [100, claude('UserPromptSubmit')],
      [200, file('busy')],
    ];
    expect(replay(...began, [900, claude('Stop')], [1_100, file('idle')])).toBe('completed');
    expect(
      replay(
        ...began,
        [900, claude('StopFailure', { error: 'server_error' })],
        [1_100, file('idle')],
      ),
    ).toBe('error/api_error');
  });

  it('an error stays until the next prompt', () => {
    const failed: TimedSignal[] = [
      [100, claude('UserPromptSubmit')],
      [900, claude('StopFailure', { error: 'server_error' })],
      [1_100, file('idle')],
    ];
    expect(replay(...failed)).toBe('error/api_error');
    expect(replay(...failed, [9_000, claude('UserPromptSubmit')], [9_100, file('busy')])).toBe(
      'running',
    );
  });

  it('a subagent in the background keeps it at work', () => {
    const background_tasks = [{ id: 'a', type: 'subagent', status: 'running' }];
    expect(
      replay(
        [100, claude('UserPromptSubmit')],
        [200, file('busy')],
        [900, claude('Stop', { background_tasks })],
      ),
    ).toMatch(/^running/);
    expect(
      replay([100, claude('UserPromptSubmit')], [900, claude('Stop', { background_tasks })]),
    ).toBe('running/background_work');
  });

  it('a shell in the background does not', () => {
    const background_tasks = [{ id: 's', type: 'shell', status: 'running' }];
    expect(
      replay(
        [100, claude('UserPromptSubmit')],
        [900, claude('Stop', { background_tasks })],
        [1_100, file('shell')],
      ),
    ).toBe('completed');
  });

  it('the transcript alone distinguishes completed, interrupted and failed', () => {
    const prompt = line({ type: 'user', message: { content: 'go' } });
    const over = line({ type: 'system', subtype: 'turn_duration' });
    const esc = line({ type: 'user', message: { content: '[Request interrupted by user]' } });
    const error = line({ type: 'assistant', isApiErrorMessage: true });
    expect(replay([100, prompt], [900, over])).toBe('completed');
    expect(replay([100, prompt], [900, esc], [940, over])).toBe('idle/interrupted');
    expect(replay([100, prompt], [900, error], [940, over])).toBe('error/api_error');
  });

  it('the transcript cannot end a dialog', () => {
    const call = line({ type: 'assistant', message: { stop_reason: 'tool_use' } });
    expect(replay([900, claude('PermissionRequest', bash)], [950, call])).toBe('waiting_approval');
  });

  it('a question in a version whose file does not know questions', () => {
    expect(
      replay(
        [100, claude('UserPromptSubmit')],
        [900, claude('PermissionRequest', { tool_name: 'AskUserQuestion' })],
        [960, file('waiting', { waitingFor: 'permission prompt', version: '2.1.148' })],
      ),
    ).toBe('waiting_input');
  });

  it('kill -9 gives no event; the end of the process does', () => {
    const run = new Run();
    tell(run, 100, claude('UserPromptSubmit'));
    tell(run, 200, file('busy'));
    run.apply({
      type: 'runtime.ended',
      atMs: T0 + 900,
      runtimeId: runtimeId(0),
      reason: 'process_gone',
      exitCode: null,
      crashed: true,
    });
    expect(run.row().presence).not.toBe('managed');
  });
});

describe('codex', () => {
  it('a failed turn has no hook: the OSC reports it, and so does the rollout', () => {
    const began: TimedSignal[] = [
      [100, codex('UserPromptSubmit')],
      [300, codex('PostModelRequest', { status: 'failed' })],
    ];
    expect(replay(...began)).toBe('running/retrying');
    expect(replay(...began, [900, osc('state=error:app=codex')])).toBe('error/api_error');
    const failure = { type: 'task_complete', error: { message: 'overloaded' } };
    const ended = step('codex', 'codex-rollout', { type: 'event_msg', payload: failure });
    expect(replay(...began, [900, ended])).toBe('error/api_error');
  });

  it('an approval given is seen in the title and in the OSC', () => {
    const asked: TimedSignal[] = [
      [100, codex('UserPromptSubmit')],
      [700, codex('PermissionRequest', bash)],
    ];
    const dialog = '[ ! ] Action Required | proj';
    expect(replay(...asked, [900, title('codex', dialog, '⠋ proj')])).toBe('waiting_approval');
    expect(
      replay(
        ...asked,
        [900, title('codex', dialog, '⠋ proj')],
        [2_000, title('codex', '⠋ proj', dialog)],
      ),
    ).toBe('running');
    expect(replay(...asked, [2_000, osc('state=working:app=codex')])).toBe('running');
  });

  it('`working` for a background terminal does not outrank the end of the turn', () => {
    expect(
      replay(
        [100, codex('UserPromptSubmit')],
        [150, osc('state=working:app=codex')],
        [900, codex('Stop')],
      ),
    ).toBe('completed');
    expect(
      replay(
        [100, title('codex', '⠋ proj', 'proj')],
        [150, osc('state=working:app=codex')],
        [900, title('codex', 'proj', '⠋ proj')],
      ),
    ).toMatch(/^(?:completed|idle)/);
  });

  it('done and then idle is completed; working and then idle is interrupted', () => {
    const working: TimedSignal = [100, osc('state=working:app=codex')];
    expect(replay(working, [900, osc('state=done:app=codex')])).toBe('completed');
    expect(
      replay(working, [900, osc('state=done:app=codex')], [950, osc('state=idle:app=codex')]),
    ).toBe('completed');
    expect(replay(working, [900, osc('state=idle:app=codex')])).toBe('idle/interrupted');
  });
});

describe('gemini', () => {
  const asked: TimedSignal[] = [
    [100, gemini('BeforeAgent')],
    [150, title('gemini', '✦  Working… (p)', '◇  Ready (p)')],
    [700, gemini('Notification', toolPermission)],
    [900, title('gemini', '✋  Action Required (p)', '✦  Working… (p)')],
  ];

  it('an approval opens; who knows the kind wins over the title', () => {
    expect(replay(...asked)).toBe('waiting_approval');
  });

  it('Esc on the dialog fires nothing: the title ends it', () => {
    expect(
      replay(...asked, [3_000, title('gemini', '◇  Ready (p)', '✋  Action Required (p)')]),
    ).toBe('idle/interrupted');
  });

  it('an approval given fires nothing: the title ends it', () => {
    expect(
      replay(...asked, [3_000, title('gemini', '✦  Working… (p)', '✋  Action Required (p)')]),
    ).toBe('running');
  });

  it('asks about a loop while the title says Ready: the dialog on the screen stands', () => {
    const run = new Run();
    const dialog = claim('waiting_input', { rank: 9, reason: 'dialog_open', basis: 'anchored' });
    tell(run, 100, title('gemini', '✦  Working… (p)', '◇  Ready (p)'));
    for (let atMs = 2_000; atMs <= 12_000; atMs += 1_000) {
      tell(run, atMs, title('gemini', '◇  Ready (p)', '✦  Working… (p)'));
      run.see(evidence('screen', T0 + atMs + 100, [dialog], { kind: 'level', tier: 'heuristic' }));
      run.tick(T0 + atMs + 600);
    }
    expect(stateOf(run)).toBe('waiting_input/dialog_open');
  });

  it('a completed turn and one that gave no text', () => {
    expect(
      replay([100, gemini('BeforeAgent')], [900, gemini('AfterAgent', { prompt_response: 'Hi' })]),
    ).toBe('completed');
    const none = { prompt_response: '[no response text]' };
    expect(replay([100, gemini('BeforeAgent')], [900, gemini('AfterAgent', none)])).toBe(
      'idle/interrupted',
    );
  });
});

describe('opencode', () => {
  const busy: TimedSignal = [100, bus('session.status', { status: { type: 'busy' } })];
  const idle: TimedSignal[] = [
    [2_000, bus('session.status', { status: { type: 'idle' } })],
    [2_001, bus('session.idle')],
  ];
  const asked: TimedSignal[] = [
    busy,
    [500, bus('permission.asked', { id: 'per_1', permission: 'bash' })],
  ];
  const reply = (word: string): TimedSignal => [
    1_000,
    bus('permission.replied', { requestID: 'per_1', reply: word }),
  ];

  it('stays busy under a dialog, and the reply ends it', () => {
    const again: TimedSignal = [700, bus('session.status', { status: { type: 'busy' } })];
    expect(replay(...asked, again)).toBe('waiting_approval');
    expect(replay(...asked, again, reply('once'))).toBe('running');
  });

  it('is idle after completed, interrupted, failed and refused turns alike', () => {
    expect(replay(busy, ...idle)).toBe('completed');
    const error = (name: string): TimedSignal => [1_900, bus('session.error', { error: { name } })];
    expect(replay(busy, error('MessageAbortedError'), ...idle)).toBe('idle/interrupted');
    expect(replay(busy, error('APIError'), ...idle)).toBe('error/api_error');
    expect(replay(...asked, reply('reject'), ...idle)).toBe('idle/interrupted');
  });
});

describe('copilot', () => {
  const began: TimedSignal[] = [
    [100, copilot('user.message', { content: 'go' })],
    [110, copilot('assistant.turn_start')],
  ];
  const stepOver: TimedSignal = [900, copilot('assistant.turn_end')];

  it('a step that ends is the end of the turn only after a message without tools', () => {
    const last: TimedSignal = [890, copilot('assistant.message', { toolRequests: [] })];
    expect(replay(...began, last, stepOver)).toBe('completed');
    const more: TimedSignal = [901, copilot('assistant.turn_start')];
    expect(replay(...began, stepOver, more)).toBe('running');
  });

  it('Esc and failures, which its hooks do not report', () => {
    expect(replay(...began, stepOver, [901, copilot('abort', { reason: 'user_abort' })])).toBe(
      'idle/interrupted',
    );
    expect(replay(...began, [890, copilot('session.error', { statusCode: 500 })], stepOver)).toBe(
      'error/api_error',
    );
  });

  it('an answer ends the dialog of the hooks too, which has no id', () => {
    const notice = { notification_type: 'permission_prompt', message: 'Run command: ls' };
    const asked: TimedSignal[] = [
      ...began,
      [500, copilot('permission.requested', { requestId: 'r1' })],
      [520, step('copilot', 'copilot-hooks', event('notification', notice))],
    ];
    expect(replay(...asked)).toBe('waiting_approval');
    expect(replay(...asked, [700, copilot('permission.completed', { requestId: 'r1' })])).toBe(
      'running',
    );
  });

  it('a dialog and its answer', () => {
    const asked: TimedSignal[] = [
      ...began,
      [500, copilot('permission.requested', { requestId: 'r1' })],
    ];
    expect(replay(...asked)).toBe('waiting_approval');
    expect(replay(...asked, [700, copilot('permission.completed', { requestId: 'r1' })])).toBe(
      'running',
    );
  });
});

describe('a child session of opencode', () => {
  const of = (type: string, properties: object, sessionKey?: string) =>
    normaliseSignal(
      'opencode',
      'opencode-events',
      { type, properties },
      {
        nowMs: 0,
        sessionKey: sessionKey === undefined ? undefined : id<SessionKey>(sessionKey),
      },
    ).kind;

  it('is no session of the runtime', () => {
    expect(of('session.created', { info: { id: 'c', parentID: 'p' } })).toBe('ignored');
    expect(of('session.updated', { info: { id: 'c', parentID: 'p' } })).toBe('ignored');
    expect(of('session.created', { info: { id: 'p' } })).toBe('claims');
  });

  it.each([
    ['session.idle', {}],
    ['session.status', { status: { type: 'busy' } }],
    ['session.error', { error: { name: 'APIError' } }],
  ])('says nothing of the turn of its parent by %s', (type, more) => {
    expect(of(type, { sessionID: 'c', ...more }, 'p')).toBe('ignored');
    expect(of(type, { sessionID: 'p', ...more }, 'p')).toBe('claims');
    expect(of(type, { sessionID: 'c', ...more })).toBe('claims');
  });

  it('asks in the same pane', () => {
    expect(of('permission.asked', { id: 'r', sessionID: 'c' }, 'p')).toBe('claims');
  });
});
