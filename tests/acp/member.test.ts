// One ACP member against an agent that is built with the SDK: its whole life, and everything that
// an agent can do wrong.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AcpMember, type AcpMemberSpec } from '../../src/relay/acp/acp-member.ts';
import type { AcpSignal } from '../../src/relay/acp/acp-signal.ts';
import { eventually, isAlive } from '../live/tmux-server.ts';

const fakeAgent = join(import.meta.dirname, 'fake-agent.mjs');

interface Lab {
  readonly member: AcpMember;
  readonly signals: AcpSignal[];
  readonly folder: string;
  readonly defects: unknown[];
  readonly kinds: () => readonly string[];
  readonly until: <Kind extends AcpSignal['kind']>(
    kind: Kind,
    nth?: number,
  ) => Promise<Extract<AcpSignal, { kind: Kind }>>;
}

interface Wish extends Partial<AcpMemberSpec> {
  readonly flags?: readonly string[];
  readonly sessionId?: string;
  readonly wasInTurn?: boolean;
  readonly folder?: string;
  readonly sessionAtMs?: number;
  readonly wallMs?: () => number;
}

function open({ flags = [], sessionId, wasInTurn = false, ...wish }: Wish = {}): Lab {
  const folder = wish.folder ?? mkdtempSync(join(tmpdir(), 'agtmux-acp-'));
  const signals: AcpSignal[] = [];
  const defects: unknown[] = [];
  const member = new AcpMember({
    spec: {
      argv: [process.execPath, fakeAgent, ...flags],
      env: { PATH: process.env['PATH'] ?? '', ACP_SESSIONS: folder },
      ...{ cwd: folder, mcpServers: [], authMethod: null, startMs: 30_000, turnMs: 60_000 },
      ...{ cancelMs: 10_000, losesFreshSessions: false },
      ...wish,
    },
    sessionId: sessionId ?? null,
    sessionAtMs: wish.sessionAtMs ?? null,
    wasInTurn,
    onSignal: (signal) => signals.push(signal),
    onDefect: (error) => defects.push(error),
    random: () => 0,
    wallMs: wish.wallMs ?? (() => Date.now()),
  });
  onTestFinished(async () => {
    await member[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
    expect(defects).toEqual([]);
  });
  member.start();
  const until: Lab['until'] = (kind, nth = 1) =>
    eventually(
      () => signals.filter((each) => each.kind === kind)[nth - 1] as never,
      `${kind} ${nth}, after ${JSON.stringify(signals.map((each) => each.kind))}`,
      30_000,
    );
  return { member, signals, folder, defects, until, kinds: () => signals.map(({ kind }) => kind) };
}

const updatesOf = ({ signals }: Lab) =>
  signals.flatMap((each) => (each.kind === 'update' ? [each.update] : []));

describe('the life of a member', () => {
  test('it starts, takes prompts one after the other, and tells what the agent does', async () => {
    const lab = open();
    const ready = await lab.until('ready');
    expect(ready.wasInterrupted).toBe(false);
    expect(lab.member.status).toBe('ready');
    expect(lab.member.prompt('hello')).toBe(true);
    expect(lab.member.prompt('too early')).toBe(false);
    expect(lab.member.refusal()).toBe('it is in a turn');
    const ended = await lab.until('turn_ended');
    expect(ended).toMatchObject({ stopReason: 'end_turn', lastText: 'you said hello' });
    expect(lab.member.prompt('again')).toBe(true);
    await lab.until('turn_ended', 2);
    const prompts = readFileSync(join(lab.folder, 'prompts.jsonl'), 'utf8').trim().split('\n');
    expect(prompts.map((line) => JSON.parse(line).text)).toEqual(['hello', 'again']);
  });

  test('a permission is answered once, by the first answer', async () => {
    const lab = open();
    await lab.until('ready');
    lab.member.prompt('approve');
    const { request } = await lab.until('permission');
    expect(request.options.map(({ label }) => label)).toEqual([
      'Allow once',
      'Always allow',
      'Reject',
    ]);
    const [once, , reject] = request.options;
    if (!once || !reject) throw new Error('no options');
    expect(lab.member.answer(request, once)).toBe(true);
    expect(lab.member.answer(request, reject)).toBe(false);
    expect(await lab.until('turn_ended')).toMatchObject({ lastText: 'yes' });
    expect(lab.kinds().filter((kind) => kind === 'permission_over')).toHaveLength(1);
  });

  test('two permissions are open at the same time, and each is answered by its id', async () => {
    const lab = open();
    await lab.until('ready');
    lab.member.prompt('twice');
    await lab.until('permission', 2);
    expect(lab.member.permission(undefined)).toBeNull();
    const requests = lab.signals.flatMap((each) =>
      each.kind === 'permission' ? [each.request] : [],
    );
    for (const request of requests) {
      expect(lab.member.permission(request.requestId)).toBe(request);
      const [option] = request.options;
      if (option) lab.member.answer(request, option);
    }
    await lab.until('turn_ended');
    const left = lab.signals.flatMap((each) =>
      each.kind === 'permission_over' ? [each.openCount] : [],
    );
    expect(left).toEqual([1, 0]);
  });

  test('a turn that is cancelled before its first word is cancelled, not completed', async () => {
    const lab = open();
    await lab.until('ready');
    lab.member.prompt('quiet');
    await eventually(() => readdirSync(lab.folder).includes('prompts.jsonl'), 'it has the prompt');
    lab.member.cancel();
    expect(await lab.until('turn_ended')).toMatchObject({ stopReason: 'cancelled' });
  });

  test('a cancel ends the turn, and open permissions with it', async () => {
    const lab = open();
    await lab.until('ready');
    expect(lab.member.cancel()).toBe(false);
    lab.member.prompt('wait');
    await lab.until('update');
    expect(lab.member.cancel()).toBe(true);
    expect(await lab.until('turn_ended')).toMatchObject({ stopReason: 'cancelled' });
    lab.member.prompt('approve');
    await lab.until('permission');
    lab.member.cancel();
    expect(await lab.until('permission_over')).toMatchObject({ chosen: null });
    expect(await lab.until('turn_ended', 2)).toMatchObject({ lastText: 'cancelled' });
  });

  test('an agent that dies in a turn is started again and goes on with its session', async () => {
    const lab = open();
    const { sessionId } = await lab.until('ready');
    lab.member.prompt('die');
    expect(await lab.until('exited')).toMatchObject({
      exitCode: 7,
      wasInTurn: true,
      isWanted: false,
    });
    const again = await lab.until('ready', 2);
    expect(again).toEqual({ kind: 'ready', sessionId, wasInterrupted: true });
    const replayed = lab.signals.flatMap((each) =>
      each.kind === 'update' && each.during === 'replay' ? [each.update['sessionUpdate']] : [],
    );
    expect(replayed).toContain('user_message_chunk');
    lab.member.prompt('hello');
    await lab.until('turn_ended');
  });

  test('it goes on with a session of before, and begins one where that is gone', async () => {
    const first = open();
    const { sessionId } = await first.until('ready');
    const second = open({ folder: first.folder, sessionId, wasInTurn: true });
    expect(await second.until('ready')).toEqual({ kind: 'ready', sessionId, wasInterrupted: true });
    const third = open({ folder: first.folder, sessionId: 'gone' });
    expect((await third.until('ready')).sessionId).not.toBe('gone');
    expect(third.member.detail).toMatch(/^its session could not be opened again/);
    const unreadable = open({ folder: first.folder, sessionId: 'unreadable' });
    await unreadable.until('ready');
    // The details say why; the message of such an error is the same for everything.
    expect(unreadable.member.detail).toMatch(/: Internal error: no chat in it$/);
    const fourth = open({ folder: first.folder, sessionId, flags: ['--no-load'] });
    expect((await fourth.until('ready')).sessionId).not.toBe(sessionId);
    expect(fourth.member.detail).toBe('it cannot go on with a session of before');
  });

  test('an agent that loses fresh sessions is started again when the minute is over', async () => {
    const minuteMs = 60_000 * 29_000_000;
    let nowMs = minuteMs + 59_900;
    let askedCount = 0;
    const wallMs = (): number => {
      askedCount += 1;
      return nowMs;
    };
    const lab = open({ losesFreshSessions: true, wallMs });
    const { sessionId } = await lab.until('ready');
    lab.member.prompt('die');
    await lab.until('exited');
    askedCount = 0;
    await eventually(() => askedCount > 1, 'it looks whether the minute is over');
    expect(lab.member.status).toBe('waiting');
    expect(lab.kinds().filter((kind) => kind === 'spawned')).toHaveLength(1);
    nowMs = minuteMs + 60_000;
    expect(await lab.until('ready', 2)).toMatchObject({ sessionId, wasInterrupted: true });
  });

  test('a missing login is a status of its own, and a method logs in', async () => {
    const lab = open({ flags: ['--auth'] });
    const { detail } = await lab.until('auth_required');
    expect(detail).toMatch(/key$/);
    expect(lab.member.status).toBe('auth_required');
    expect(lab.member.prompt('hello')).toBe(false);
    const other = open({ flags: ['--auth'], authMethod: 'key' });
    await other.until('ready');
  });

  test('stopping ends its process, also of one that ignores signals', async () => {
    const lab = open({ flags: ['--ignores-signals'] });
    const { pid } = await lab.until('spawned');
    await lab.until('ready');
    await lab.member[Symbol.asyncDispose]();
    expect(isAlive(pid)).toBe(false);
    expect(lab.member.status).toBe('stopped');
    expect(await lab.until('exited')).toMatchObject({ isWanted: true });
  });
});

describe('an agent that misbehaves', () => {
  test('banners on stdout are skipped and kept', async () => {
    const lab = open({ flags: ['--banner'] });
    await lab.until('ready');
    expect(lab.member.noise).toMatch(/^Welcome to the fake agent!\n\{not json\}/);
  });

  test('unknown updates, messages and options are kept whole and break nothing', async () => {
    const lab = open();
    await lab.until('ready');
    lab.member.prompt('unknown');
    await lab.until('turn_ended');
    expect(updatesOf(lab)).toContainEqual({
      ...{ sessionUpdate: 'hologram', depth: 3, inside: { a: [1] } },
    });
    const { request } = await lab.until('permission');
    expect(request.options).toEqual([{ id: 'x', label: 'Maybe', kind: 'new_kind' }]);
    lab.member.prompt('hello');
    await lab.until('turn_ended', 2);
  });

  test('a flood of permission requests is bounded', async () => {
    const lab = open();
    await lab.until('ready');
    lab.member.prompt('flood');
    await lab.until('turn_ended');
    expect(lab.kinds().filter((kind) => kind === 'permission')).toHaveLength(32);
    expect(lab.kinds().filter((kind) => kind === 'permission_over')).toHaveLength(32);
  });

  test('a silent agent is given up after the time of a start, and tried again', async () => {
    const lab = open({ flags: ['--silent'], startMs: 300 });
    const { reason } = await lab.until('exited');
    expect(reason).toBe('no reply to initialize in time');
    await lab.until('exited', 2);
    expect(lab.member.restartCount).toBe(2);
  });

  test('one that dies at its start says why, and is given up after some tries', async () => {
    const lab = open({ flags: ['--dies'] });
    await lab.until('exited');
    expect(lab.member.status).toBe('waiting');
    expect(lab.member.detail).toBe('it ended with exit code 3: cannot read its configuration');
  });

  test('a program that does not exist is an exit like any other', async () => {
    const lab = open({ argv: ['/nonexistent/agent', '--acp'] });
    expect(await lab.until('exited')).toMatchObject({ exitCode: 127 });
    expect(lab.member.detail).toMatch(/not found/);
  });

  test('one of another protocol is refused', async () => {
    const lab = open({ flags: ['--new-protocol'] });
    expect((await lab.until('exited')).reason).toBe('it speaks version 9 of the protocol');
  });

  test('one that does not end its turn is ended, and goes on interrupted', async () => {
    const lab = open({ turnMs: 300, cancelMs: 300 });
    await lab.until('ready');
    lab.member.prompt('deaf');
    expect(await lab.until('exited')).toMatchObject({ reason: 'it did not end its turn' });
    expect(await lab.until('ready', 2)).toMatchObject({ wasInterrupted: true });
  });

  test('a cancel that is repeated gives it no more time', async () => {
    const lab = open({ cancelMs: 1_500 });
    await lab.until('ready');
    lab.member.prompt('deaf');
    await lab.until('update');
    const again = setInterval(() => lab.member.cancel(), 100);
    onTestFinished(() => clearInterval(again));
    expect(await lab.until('exited')).toMatchObject({ reason: 'it did not end its turn' });
  });

  test('an endless one keeps nothing waiting and can be cancelled or stopped', async () => {
    const lab = open();
    const { pid } = await lab.until('spawned');
    await lab.until('ready');
    lab.member.prompt('endless');
    await lab.until('update', 100);
    await lab.member[Symbol.asyncDispose]();
    expect(isAlive(pid)).toBe(false);
  });

  test('a line without an end is an end', async () => {
    const lab = open();
    await lab.until('ready');
    lab.member.prompt('huge');
    expect((await lab.until('exited')).reason).toBe('a message of it has no end');
  });

  test('errors of a turn come out with their code', async () => {
    const lab = open();
    await lab.until('ready');
    lab.member.prompt('error');
    expect(await lab.until('turn_failed')).toMatchObject({
      code: -32603,
      data: { httpStatus: 429 },
    });
    lab.member.prompt('login');
    expect(await lab.until('turn_failed', 2)).toMatchObject({ code: -32000 });
    lab.member.prompt('odd');
    expect(await lab.until('turn_ended')).toMatchObject({ stopReason: 'something_new' });
  });

  test('after many lives nothing is left: no process, no open file', async () => {
    const fds = () => readdirSync('/proc/self/fd').length;
    const warm = open();
    await warm.until('ready');
    await warm.member[Symbol.asyncDispose]();
    const before = fds();
    const pids: number[] = [];
    for (let life = 0; life < 5; life += 1) {
      const lab = open();
      pids.push((await lab.until('spawned')).pid);
      await lab.until('ready');
      lab.member.prompt(life % 2 === 0 ? 'die' : 'deaf');
      await lab.until('update');
      await lab.member[Symbol.asyncDispose]();
    }
    expect(pids.filter(isAlive)).toEqual([]);
    await eventually(() => fds() <= before, 'all files are closed');
  });
});
