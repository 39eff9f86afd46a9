// What Codex tells by itself, and for whom: threads of a shared server, rollouts that a process
// holds open. The processes and the WebSocket are real; the daemon is a table.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../live/tmux-server.ts';
import { makeFolder } from '../sources/fixture.ts';
import { CodexStage, ROLLOUT, SERVER } from './codex-stage.ts';
import { active, FakeRollout, idle, threadIdOf } from './fake-codex.ts';

describe('a shared server', () => {
  it('gives every state of the thread that is born with the process', async () => {
    const stage = new CodexStage();
    const server = stage.serve();
    const thread = stage.thread(1_000);
    server.hold(thread);
    const name = stage.live();
    const first = await stage.until(name, 'at_rest');
    expect(first.sessionKey).toBe(thread.id);
    server.status(thread, active());
    await stage.until(name, 'running');
    server.status(thread, active('waitingOnApproval'));
    await stage.until(name, 'waiting_approval');
    server.status(thread, active('waitingOnUserInput'));
    await stage.until(name, 'waiting_input');
    server.status(thread, { type: 'systemError' });
    await stage.until(name, 'error');
    expect(server.requests).toEqual([
      'initialize',
      'initialized',
      'thread/loaded/list',
      'thread/read',
    ]);
  });

  it('says nothing of threads that it does not hold, without a status or hidden', async () => {
    const stage = new CodexStage();
    const server = stage.serve();
    const thread = stage.thread(1_000, { status: { type: 'notLoaded' } });
    const hidden = stage.thread(2_000, { ephemeral: true });
    server.hold(thread, hidden);
    const name = stage.live();
    await eventually(() => {
      stage.look();
      return server.requests.length === 5;
    }, 'both threads were read');
    server.status(thread, null);
    server.status(thread, { type: 'interrupted' });
    server.status(hidden, active());
    server.status(thread, idle);
    const first = await stage.until(name, 'at_rest');
    expect(stage.evidence(SERVER)).toEqual([first]);
  });

  it('is found again after it was away, and gives its state anew', async () => {
    const stage = new CodexStage();
    const thread = stage.thread(1_000);
    const name = stage.live();
    const server = stage.serve();
    server.hold(thread);
    await stage.until(name, 'at_rest');
    await server[Symbol.asyncDispose]();
    const next = stage.serve();
    next.hold({ ...thread, status: active('waitingOnApproval') });
    await stage.until(name, 'waiting_approval');
  });

  it('that floods or babbles is left and tried again', async () => {
    const stage = new CodexStage();
    const server = stage.serve();
    const thread = stage.thread(1_000);
    server.hold(thread);
    const name = stage.live();
    await stage.until(name, 'at_rest');
    server.shout('no JSON');
    server.shout('[]');
    server.shout('{"id":1,"method":"item/commandExecution/requestApproval"}');
    server.shout('x'.repeat(2_000_000));
    await eventually(() => {
      stage.look();
      return server.requests.filter((each) => each === 'initialize').length === 2;
    }, 'it is connected anew');
    server.status(thread, active());
    await stage.until(name, 'running');
  });

  it('with a change right behind an answer is believed', async () => {
    const stage = new CodexStage();
    const server = stage.serve();
    const thread = stage.thread(1_000);
    server.hold(thread);
    server.onRead = () => {
      server.onRead = () => {};
      server.status(thread, active());
    };
    const name = stage.live();
    await stage.until(name, 'running');
    // The answer, which is older, may come in a piece of its own; it is never the last word.
    const claims = stage.evidence(SERVER).flatMap((each) => each.claims);
    expect(claims.at(-1)?.says).toBe('running');
  });

  it('whose clock is behind ours is believed in the order of its notices', async () => {
    const stage = new CodexStage();
    const server = stage.serve();
    server.clockMs = () => Date.now() - 5_000;
    const thread = stage.thread(1_000);
    server.hold(thread);
    const name = stage.live();
    await stage.until(name, 'at_rest');
    server.status(thread, active());
    await stage.until(name, 'running');
  });

  it('that reports the thread closed right behind an answer holds it no more', async () => {
    const stage = new CodexStage();
    const server = stage.serve();
    const [closed, open] = [stage.thread(1_000), stage.thread(1_500)];
    server.hold(closed, open);
    server.onRead = () => {
      server.onRead = () => {};
      server.close(closed);
    };
    const name = stage.live();
    expect((await stage.until(name, 'at_rest')).sessionKey).toBe(open.id);
    expect(stage.evidence(SERVER).map(({ type }) => type)).not.toContain('ambiguous_binding');
  });

  it('leaves two in one folder in doubt until a title names the thread', async () => {
    const stage = new CodexStage();
    const server = stage.serve();
    const [one, two] = [stage.thread(1_000), stage.thread(1_500)];
    server.hold(one, two);
    const [first, second] = [stage.live(), stage.live()];
    await stage.until(first, 'ambiguous_binding');
    await stage.until(second, 'ambiguous_binding');
    server.status(two, active('waitingOnApproval'));
    server.rename({ ...two, status: active('waitingOnApproval') }, 'Fix it');
    stage.title(first, '[ ! ] Action Required | Fix it | project');
    const waiting = await stage.until(first, 'waiting_approval');
    expect(waiting.sessionKey).toBe(two.id);
    expect((await stage.until(second, 'at_rest')).sessionKey).toBe(one.id);
  });

  it('is where the command line says, or the configuration', async () => {
    const path = join(makeFolder(), 'mine.sock');
    const stage = new CodexStage({ codex: { appServer: `unix://${path}` } });
    const configured = stage.serve(path);
    const named = stage.serve(join(stage.folder, 'named.sock'));
    const [one, two] = [stage.thread(1_000), stage.thread(1_100)];
    configured.hold(one);
    named.hold(two);
    const first = stage.live();
    const second = stage.live({
      args: ['--remote', `unix://${join(stage.folder, 'named.sock')}`],
    });
    expect((await stage.until(first, 'at_rest')).sessionKey).toBe(one.id);
    expect((await stage.until(second, 'at_rest')).sessionKey).toBe(two.id);
  });
});

describe('rollouts', () => {
  it('are of the process that holds them open', async () => {
    const stage = new CodexStage();
    const rollouts = [1, 2].map(
      (tail) => new FakeRollout(stage.home, threadIdOf(Date.now() - 59_000, tail)),
    );
    const [one, two] = rollouts as [FakeRollout, FakeRollout];
    const first = stage.live({ open: [one.path] });
    const second = stage.live({ open: [two.path] });
    for (const rollout of rollouts) {
      rollout.meta();
      rollout.event('task_started');
    }
    expect((await stage.until(first, 'running', ROLLOUT)).sessionKey).toBe(one.threadId);
    expect((await stage.until(second, 'running', ROLLOUT)).sessionKey).toBe(two.threadId);
    one.event('turn_aborted', { reason: 'interrupted' });
    two.event('task_complete', { last_agent_message: 'done' });
    await stage.until(first, 'interrupted', ROLLOUT);
    await stage.until(second, 'completed', ROLLOUT);
    expect(stage.problems).toEqual([]);
  });

  it('of a subagent are not its own', async () => {
    const stage = new CodexStage();
    const [main, sub] = [1, 2].map(
      (tail) => new FakeRollout(stage.home, threadIdOf(Date.now() - 59_000, tail)),
    ) as [FakeRollout, FakeRollout];
    const name = stage.live({ open: [main.path, sub.path] });
    sub.meta({ subagent: 'review' });
    sub.event('task_started');
    sub.event('task_complete');
    main.meta();
    main.event('task_started');
    await stage.until(name, 'running', ROLLOUT);
    const sessions = stage.evidence(ROLLOUT).map(({ sessionKey }) => sessionKey);
    expect(new Set(sessions)).toEqual(new Set([main.threadId]));
  });

  it('begin anew with a thread that is opened in the place of another', async () => {
    const stage = new CodexStage();
    const lockOf = (threadId: string): string =>
      join(stage.home, 'thread-writer-locks', `${threadId}.lock`);
    const rollout = new FakeRollout(stage.home, threadIdOf(Date.now() - 59_000, 1));
    const next = threadIdOf(Date.now(), 2);
    const name = stage.live({ open: [rollout.path], later: lockOf(next) });
    rollout.meta();
    rollout.event('task_started');
    rollout.event('task_complete');
    await stage.until(name, 'completed', ROLLOUT);
    stage.order(name);
    await eventually(() => {
      stage.look();
      const began = stage.evidence(ROLLOUT).at(-1);
      return began?.sessionKey === next && began.claims[0]?.says === 'began';
    }, 'another thread has begun');
  });

  it('of the thread that a shared server holds are read too', async () => {
    const stage = new CodexStage();
    const server = stage.serve();
    const thread = stage.thread(1_000);
    const rollout = new FakeRollout(stage.home, thread.id);
    server.hold({ ...thread, path: rollout.path });
    const name = stage.live();
    await stage.until(name, 'at_rest');
    rollout.meta();
    rollout.event('task_started');
    await stage.until(name, 'running', ROLLOUT);
    rollout.event('task_complete', { error: { message: 'no', codex_error_info: 'other' } });
    const failed = await stage.until(name, 'error', ROLLOUT);
    expect(failed.sessionKey).toBe(thread.id);
  });
});
