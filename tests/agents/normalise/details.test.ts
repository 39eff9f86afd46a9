// What signals tell besides a state: what is asked, what runs, whose session it is, when it was,
// and what makes two deliveries one event.

import { describe, expect, it } from 'vitest';
import { event, normalise, normaliseClaims, sampleLines, sampleText } from './signal.ts';

interface Line {
  readonly arg: string;
  readonly in: Record<string, unknown>;
}
const hookLines = (file: string): Line[] =>
  sampleLines(file).map((line) => JSON.parse(line) as Line);
const claudeHook = (name: string, tool?: string): object => {
  const line = hookLines('claude-hooks.jsonl').find(
    (each) => each.arg === name && (tool === undefined || each.in['tool_name'] === tool),
  );
  return line?.in ?? {};
};
const others = JSON.parse(sampleText('other-agents-hooks.json')) as Record<
  string,
  Record<string, { input: object }>
>;
const other = (agent: string, name: string): object => others[agent]?.[name]?.input ?? {};

describe('requests', () => {
  it.each([
    [
      'claude',
      'claude-hooks',
      claudeHook('PermissionRequest', 'Bash'),
      { kind: 'approval', tool: 'Bash', command: 'rm -rf build' },
    ],
    [
      'claude',
      'claude-hooks',
      claudeHook('PermissionRequest', 'Edit'),
      { kind: 'approval', tool: 'Edit', file: '/home/dev/workspaces/proj/config.json' },
    ],
    [
      'claude',
      'claude-hooks',
      claudeHook('PermissionRequest', 'AskUserQuestion'),
      {
        kind: 'question',
        text: 'Which database should the service use?',
        options: [
          { label: 'PostgreSQL', selected: false },
          { label: 'SQLite', selected: false },
          { label: 'Redis', selected: false },
        ],
      },
    ],
    [
      'gemini',
      'gemini-hooks',
      other('gemini', 'Notification'),
      { kind: 'approval', tool: 'Confirm Shell Command' },
    ],
    [
      'copilot',
      'copilot-hooks',
      other('copilot', 'notification'),
      { kind: 'approval', command: './deploy.sh' },
    ],
    [
      'opencode',
      'opencode-events',
      other('opencode', 'event:permission.asked'),
      { kind: 'approval', tool: 'bash', command: './deploy.sh' },
    ],
    [
      'opencode',
      'opencode-events',
      other('opencode', 'event:question.asked'),
      {
        kind: 'question',
        text: 'Which database should I use?',
        options: [
          { label: 'Postgres', selected: false },
          { label: 'SQLite', selected: false },
        ],
      },
    ],
  ])('of %s by %s', (agent, source, payload, request) => {
    expect(normaliseClaims(agent, source, payload).claims[0]?.request).toMatchObject(request);
  });

  it('of copilot name the file and the choices of a form', () => {
    const question = sampleLines('copilot-events.jsonl').flatMap((line) => {
      const answer = normalise('copilot', 'copilot-events', line);
      return answer.kind === 'claims' ? answer.claims.flatMap((claim) => claim.request ?? []) : [];
    });
    expect(question).toContainEqual({
      kind: 'approval',
      tool: 'write',
      file: '/home/dev/workspaces/proj/notes.txt',
      text: 'Create file',
    });
    expect(question).toContainEqual({
      kind: 'question',
      tool: 'ask_user',
      text: 'Which database should I use?',
      options: [
        { label: 'Postgres', selected: false },
        { label: 'SQLite', selected: false },
      ],
    });
  });

  it('with an id are about that id, and their answer too', () => {
    const question = normaliseClaims(
      'kilo',
      'kilo-events',
      other('kilo', 'event:permission.asked'),
    );
    const replied = normaliseClaims(
      'kilo',
      'kilo-events',
      other('kilo', 'event:permission.replied'),
    );
    expect(question.claims[0]?.about).toBe('per_1de116c0b001mc5c2EPwx5PvUc');
    expect(replied.claims[0]?.about).toBe(question.claims[0]?.about);
    expect(replied.claims[0]?.covers).toEqual(['waiting_approval', 'waiting_input']);
  });
});

describe('activity', () => {
  it('holds the prompt, the tool and the end of the tool', () => {
    expect(
      normaliseClaims('claude', 'claude-hooks', claudeHook('UserPromptSubmit')).activity,
    ).toEqual({
      tool: null,
      prompt: 'Fix the flaky test in the retry helper',
    });
    expect(
      normaliseClaims('claude', 'claude-hooks', claudeHook('PreToolUse', 'Bash')).activity,
    ).toEqual({
      tool: 'Bash: rm -rf build',
    });
    expect(
      normaliseClaims('claude', 'claude-hooks', claudeHook('PostToolUse')).activity?.tool,
    ).toBeNull();
  });

  it('lists subagents and counts shells', () => {
    const background_tasks = [
      { id: 'a1', type: 'subagent', status: 'running', agent_type: 'general-purpose' },
      { id: 'a2', type: 'subagent', status: 'completed' },
      { id: 's1', type: 'shell', status: 'running' },
    ];
    const stop = normaliseClaims('claude', 'claude-hooks', event('Stop', { background_tasks }));
    expect(stop.activity).toMatchObject({
      backgroundCount: 1,
      subagents: [{ id: 'a1', kind: 'general-purpose' }],
    });
    const ended = event('SubagentStop', { agent_id: 'a1', background_tasks });
    expect(normaliseClaims('claude', 'claude-hooks', ended).activity?.subagents).toEqual([]);
  });

  it('holds usage and titles', () => {
    expect(normaliseClaims('qwen', 'qwen-hooks', other('qwen', 'Stop')).activity?.usage).toEqual({
      contextUsed: 100,
      contextMax: 200_000,
    });
    const counted = sampleLines('codex-rollout.jsonl').find((line) =>
      line.includes('"token_count"'),
    );
    expect(normaliseClaims('codex', 'codex-rollout', counted).activity?.usage).toEqual({
      contextUsed: 1250,
      contextMax: 258_400,
      tokens: 1250,
    });
    const titled = { type: 'session.updated', properties: { info: { title: 'Fake title' } } };
    expect(normaliseClaims('opencode', 'opencode-http', titled).activity).toEqual({
      title: 'Fake title',
    });
  });
});

describe('the last words of an agent', () => {
  it.each([
    ['claude', 'claude-hooks', claudeHook('Stop')],
    ['claude', 'claude-hooks', event('Stop', { last_assistant_message: 'Done.' })],
    ['codex', 'codex-hooks', event('Stop', { last_assistant_message: 'Done.' })],
    [
      'codex',
      'codex-notify',
      { type: 'agent-turn-complete', 'last-assistant-message': 'Done.', 'input-messages': ['x'] },
    ],
    [
      'codex',
      'codex-rollout',
      { type: 'event_msg', payload: { type: 'task_complete', last_agent_message: 'Done.' } },
    ],
    [
      'claude',
      'claude-transcript',
      {
        type: 'assistant',
        message: { stop_reason: 'end_turn', content: [{ type: 'text', text: 'Done.' }] },
      },
    ],
  ])('of %s are read from %s and kept short', (agent, source, payload) => {
    const { activity } = normaliseClaims(agent, source, payload);
    expect(activity?.message).toEqual(expect.stringMatching(/./));
    const long = JSON.parse(JSON.stringify(payload).replaceAll('Done.', 'x'.repeat(9_000)));
    expect(normaliseClaims(agent, source, long).activity?.message?.length).toBeLessThan(1_100);
  });
});

describe('limits', () => {
  it('hold the time of their end', () => {
    const last_assistant_message = 'Claude AI usage limit reached|1794725394';
    const failure = event('StopFailure', { error: 'rate_limit', last_assistant_message });
    expect(normaliseClaims('claude', 'claude-hooks', failure).claims[0]).toMatchObject({
      reason: 'usage_limit',
      untilMs: 1_794_725_394_000,
    });
    const next = 1_794_725_400_000;
    const retry = { type: 'session.status', properties: { status: { type: 'retry', next } } };
    expect(normaliseClaims('opencode', 'opencode-http', retry).claims[0]?.untilMs).toBe(next);
  });
});

describe('sessions, times, panes and keys', () => {
  it('come from the payload and the environment', () => {
    const line = hookLines('claude-hooks.jsonl')[0];
    const env = { TMUX: '/tmp/tmux-0/dev-ws,16395,4', TMUX_PANE: '%4', CLAUDE_PID: '19896' };
    const answer = normaliseClaims('claude', 'claude-hooks', {
      event: 'x',
      payload: line?.in,
      env,
    });
    expect(answer).toMatchObject({
      type: 'SessionStart',
      sessionKey: 'c7356c46-ad4f-49d9-ab97-94f114aa5cea',
      bind: { server: '/tmp/tmux-0/dev-ws', paneId: '%4', pid: 19896 },
    });
  });

  it.each(['codex', 'cline'])('%s runs its hooks in a daemon: no pane', (agent) => {
    const env = { TMUX: '/tmp/tmux-0/dev-ws,1,1', TMUX_PANE: '%3' };
    const name = agent === 'codex' ? 'Stop' : 'TaskComplete';
    const answer = normaliseClaims(agent, `${agent}-hooks`, { event: name, payload: {}, env });
    expect(answer.bind).toBeUndefined();
  });

  it('make the four hooks of copilot for one prompt one event', () => {
    const lines = hookLines('copilot-hooks.jsonl') as unknown as { arg: string; input: object }[];
    const keys = lines
      .filter(({ arg }) => /:(?:sessionStart|SessionStart)$/.test(arg))
      .map(({ arg, input }) => {
        const name = arg.split(':')[1] ?? '';
        return normaliseClaims('copilot', 'copilot-hooks', event(name, input)).dedupeKey;
      });
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
  });

  it('keep the lines of a rollout in their order', () => {
    const seqs = sampleLines('codex-rollout.jsonl').flatMap((line) => {
      const answer = normalise('codex', 'codex-rollout', line);
      return answer.kind === 'claims' && 'sourceSeq' in answer ? [Number(answer.sourceSeq)] : [];
    });
    const file = seqs.slice(0, seqs.length / 3);
    expect(file.length).toBeGreaterThan(20);
    expect(file).toEqual(file.toSorted((a, b) => a - b));
    expect(file.every(Number.isSafeInteger)).toBe(true);
  });

  it('read ISO times of any zone', () => {
    const at = (timestamp: unknown) =>
      normaliseClaims('gemini', 'gemini-hooks', event('SessionStart', { timestamp })).eventTimeMs;
    const timestampText = '2026-11-15T06:52:01.914Z';
    expect(at(timestampText)).toBe(Date.parse(timestampText));
    expect(at('2024-02-29T23:59:59+05:30')).toBe(Date.parse('2024-02-29T23:59:59+05:30'));
    expect(at(1_794_725_699_471)).toBe(1_794_725_699_471);
    expect(at(1_794_725_699)).toBe(1_794_725_699_000);
    expect(at('yesterday')).toBeUndefined();
    expect(at('2026-13-41T06:52:01Z')).toBeUndefined();
    expect(at(-5)).toBeUndefined();
  });
});
