// Sources that hold a value: the session file, titles, pane options; and the escape sequences,
// whose words are the same.

import { describe, expect, it } from 'vitest';
import { brief, normalise, normaliseClaims } from './signal.ts';

const file = (fields: object): object => ({ pid: 7, sessionId: 's-1', ...fields });
const waits = (waitingFor: string | undefined, version?: string): object =>
  file({ status: 'waiting', waitingFor, version });

describe('claude session file', () => {
  it.each([
    [file({ status: 'busy' }), 'running'],
    [file({ status: 'idle' }), 'at_rest'],
    [file({ status: 'shell' }), 'at_rest'],
    [waits('permission prompt'), 'waiting_approval'],
    [waits('permission prompt', '2.1.325'), 'waiting_approval'],
    [waits('sandbox request', '2.1.250'), 'waiting_approval'],
    [waits('input needed', '2.1.325'), 'waiting_input'],
    [waits('dialog open'), 'waiting_input/dialog_open'],
    [waits('goal proposal'), 'waiting_input'],
    [waits(undefined), 'waiting_input'],
    [file({}), '-'],
    [file({ status: 'other' }), 'unknown'],
    [{}, 'unknown'],
  ])('%j says %s', (value, expected) => {
    expect(brief(normalise('claude', 'claude-session-file', value))).toBe(expected);
  });

  it('of a version that calls questions "permission prompt" leaves the kind to others', () => {
    const { claims } = normaliseClaims(
      'claude',
      'claude-session-file',
      waits('permission prompt', '2.1.148'),
    );
    expect(claims[0]).toMatchObject({ says: 'waiting_input' });
    expect(claims[0]?.covers).not.toContain('waiting_approval');
    expect(claims[0]?.request).toBeUndefined();
  });

  it('at rest ends work and dialogs, no error, and is never a completion', () => {
    const { claims } = normaliseClaims('claude', 'claude-session-file', file({ status: 'idle' }));
    expect(claims[0]?.covers).toEqual(
      expect.arrayContaining(['running', 'waiting_approval', 'waiting_input']),
    );
    expect(claims[0]?.covers).not.toContain('error');
    expect(claims[0]?.covers).not.toContain('completed');
  });

  it('holds its process, pane, session, time and background shell', () => {
    const value = file({
      status: 'shell',
      name: 'proj-02',
      tmux: 't1:@4.%4',
      statusUpdatedAt: 1_794_726_006_137,
    });
    expect(normaliseClaims('claude', 'claude-session-file', value)).toMatchObject({
      sessionKey: 's-1',
      eventTimeMs: 1_794_726_006_137,
      bind: { pid: 7, paneId: '%4' },
      activity: { title: 'proj-02', backgroundCount: 1 },
    });
  });
});

describe('titles', () => {
  it.each([
    ['claude', '✳ Claude Code', '', '-'],
    ['claude', '✳ Lab session', '⠂ Lab session', '-'],
    ['claude', '⠂ Lab session', '', 'running'],
    ['claude', '◐ Claude Code', '', 'running'],
    ['codex', '⠋ proj', 'proj', 'running'],
    ['codex', '[ ! ] Action Required | proj', '⠋ proj', 'waiting_input'],
    ['codex', '[ . ] Action Required', '', 'waiting_input'],
    ['codex', 'proj', '⠋ proj', 'at_rest'],
    ['codex', 'proj', '[ . ] Action Required | proj', 'at_rest'],
    ['codex', 'proj', '', '-'],
    ['codex', 'vm', '⠋ proj', '-'],
    ['codex', '', '⠋ proj', '-'],
    ['gemini', '◇  Ready (proj)              ', '', 'at_rest'],
    ['gemini', '✦  Working… (proj)', '', 'running'],
    ['gemini', '⏲  Working… (proj)', '', 'running'],
    ['gemini', '✋  Action Required (proj)', '', 'waiting_input'],
    ['gemini', 'vm', '◇  Ready (proj)', '-'],
    ['qwen', 'Qwen - proj', '', 'at_rest'],
    ['qwen', '◐︎ Qwen - proj', '', 'running'],
    ['qwen', '✳︎ Qwen - proj', '', 'waiting_input'],
    ['copilot', 'HELLO there - GitHub Copilot', '', '-'],
    ['opencode', 'OC | Fake title', '', '-'],
    ['kilo', 'Kilo CLI | Fake title', '', '-'],
    ['pi', 'π - proj', '', '-'],
    ['cline', '> ERR x', '', '-'],
  ])('%s %j after %j says %s', (agent, title, previous, expected) => {
    expect(brief(normalise(agent, 'title', title, previous))).toBe(expected);
  });

  it.each([
    ['claude', '⠂ Lab session', 'Lab session'],
    ['claude', '✳ Claude Code', undefined],
    ['codex', '⠋ proj', 'proj'],
    ['codex', 'vm', undefined],
    ['gemini', '✦  Working… (proj)', 'proj'],
    ['copilot', 'HELLO there - GitHub Copilot', 'HELLO there'],
    ['copilot', 'GitHub Copilot', undefined],
    ['opencode', 'OC | Fake title', 'Fake title'],
    ['kilo', 'Kilo CLI', undefined],
    ['cline', '> ERR x', 'ERR x'],
  ])('%s %j names %j', (agent, title, named) => {
    expect(normaliseClaims(agent, 'title', title).activity?.title).toBe(named);
  });

  it('a frame of a spinner says the same as the next', () => {
    expect(normaliseClaims('codex', 'title', '⠙ proj')).toEqual(
      normaliseClaims('codex', 'title', '⠹ proj'),
    );
  });

  it('a spinner of codex ends a dialog only where a dialog was shown (0.118 keeps it)', () => {
    const [plain] = normaliseClaims('codex', 'title', '⠙ proj', 'proj').claims;
    const [answered] = normaliseClaims(
      'codex',
      'title',
      '⠙ proj',
      '[ ! ] Action Required | proj',
    ).claims;
    expect(plain?.covers).not.toContain('waiting_approval');
    expect(answered?.covers).toContain('waiting_approval');
  });

  it('"Ready" of gemini at start leaves the dialogs of the start alone', () => {
    const [start] = normaliseClaims('gemini', 'title', '◇  Ready (proj)', 'vm').claims;
    const [end] = normaliseClaims(
      'gemini',
      'title',
      '◇  Ready (proj)',
      '✋  Action Required (proj)',
    ).claims;
    expect(start?.covers).not.toContain('waiting_input');
    expect(end?.covers).toContain('waiting_approval');
  });

  it('"Ready" of gemini after "Working" ends no dialog: it may ask about a loop', () => {
    const [ended] = normaliseClaims(
      'gemini',
      'title',
      '◇  Ready (proj)',
      '✦  Working… (proj)',
    ).claims;
    const [codex] = normaliseClaims('codex', 'title', 'proj', '⠙ proj').claims;
    expect(ended?.covers).toEqual(['running', 'idle']);
    expect(codex?.covers).toContain('waiting_approval');
  });
});

describe('OSC 7501', () => {
  it.each([
    ['state=idle:app=codex', 'at_rest'],
    ['7501;state=working:app=codex', 'running'],
    ['state=blocked:app=codex:kind=permission', 'waiting_approval'],
    ['state=blocked:app=codex:kind=question', 'waiting_input'],
    ['state=blocked:app=claude-code:kind=auth', 'error/auth_required'],
    ['state=blocked:app=codex', 'waiting_input'],
    ['state=done:app=codex', 'completed'],
    ['state=error:app=codex', 'error/api_error'],
    ['state=clear', 'ended'],
    ['?', 'ignored'],
    ['state=new', 'unknown'],
    ['nonsense', 'unknown'],
    ['', 'unknown'],
  ])('%s says %s', (text, expected) => {
    expect(brief(normalise('codex', 'osc-7501', text))).toBe(expected);
  });

  it('reads the message', () => {
    const msg = Buffer.from('Run ls für Ärger?').toString('base64');
    const { claims } = normaliseClaims(
      'claude',
      'osc-7501',
      `state=blocked:kind=permission:msg=${msg}`,
    );
    expect(claims[0]?.request).toEqual({ kind: 'approval', text: 'Run ls für Ärger?' });
  });
});

describe('OSC 3008 and pane options', () => {
  it.each([
    ['state=running', 'running'],
    ['3008;state=awaiting_input;name=claude', 'waiting_input'],
    ['state=awaiting_input;kind=permission', 'waiting_approval'],
    ['state=done', 'completed'],
    ['state=idle', 'at_rest'],
    ['state=exited', 'ended'],
    ['state=unknown', '-'],
    ['state=run%6Eing', 'running'],
    ['name=x%3Bstate%3Ddone;state=running', 'running'],
    ['state=running;state=done', 'running'],
    ['state=%ff', 'ignored'],
    ['state=nonsense', 'unknown'],
    ['start=0a1b;type=service;unit=ssh.service', 'ignored'],
    ['', 'ignored'],
  ])('%s says %s', (text, expected) => {
    expect(brief(normalise('generic', 'osc-3008', text))).toBe(expected);
  });

  it('names the agent, unless the name is none', () => {
    expect(normaliseClaims('generic', 'osc-3008', 'state=idle;name=Claude').bind).toEqual({
      agent: 'claude',
    });
    expect(normaliseClaims('generic', 'osc-3008', 'state=idle;name=a%20b').bind).toBeUndefined();
  });

  it.each([
    ['running', 'running'],
    [{ '@agent_state': 'awaiting_input', '@agent_name': 'codex' }, 'waiting_input'],
    [{ '@agent_state': 'done' }, 'completed'],
    [{ '@agent_state': '' }, '-'],
    ['', '-'],
    [null, '-'],
    [undefined, '-'],
    ['nonsense', 'unknown'],
    [7, 'unknown'],
  ])('option %j says %s', (value, expected) => {
    expect(brief(normalise('generic', 'pane-option', value))).toBe(expected);
  });
});
