// One control connection against a real tmux: order, deadlines, late replies, errors, hostile text.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/platform/fault.ts';
import { captureCommands, readCapture } from '../../src/tmux/capture.ts';
import { ControlClient } from '../../src/tmux/client.ts';
import { runByProcess } from '../../src/tmux/plain/process-run.ts';
import { decodeUtf8 } from '../../src/tmux-wire/bytes.ts';
import {
  eventually,
  isAlive,
  isTmuxMissing,
  type PrivateTmux,
  privateTmux,
} from './tmux-server.ts';

const soon = { deadlineMs: 10_000 };
const say = (text: string): string[] => ['display-message', '-p', text];

describe.skipIf(isTmuxMissing)('a control connection', () => {
  let tmux: PrivateTmux;
  let client: ControlClient;
  let closings: Fault[];
  let sessionId: string;

  beforeEach(async () => {
    tmux = privateTmux();
    sessionId = tmux.newSession('live');
    closings = [];
    client = await ControlClient.attach(
      {
        socketPath: tmux.socketPath,
        sessionId,
        onNotification: () => {},
        onClosed: (fault) => closings.push(fault),
      },
      soon,
    );
  });

  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    tmux[Symbol.dispose]();
  });

  test('answers many lines that were sent at once, each to its own caller', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => client.run([say(`${index}`)], soon)),
    );
    expect(answers.map((replies) => replies.map(({ lines }) => lines))).toEqual(
      Array.from({ length: 200 }, (_, index) => [[`${index}`]]),
    );
  });

  test('the commands of one call have a reply each, and an error ends the line', async () => {
    const all = await client.run([say('one'), say('two')], soon);
    expect(all.map(({ lines }) => lines)).toEqual([['one'], ['two']]);
    const some = await client.run([say('one'), ['select-pane', '-t', '=no:'], say('x')], soon);
    expect(some).toMatchObject([
      { ok: true, lines: ['one'] },
      { ok: false, lines: ["can't find session: no"] },
    ]);
    const none = await client.run([['no-such-command'], say('x')], soon);
    expect(none).toMatchObject([{ ok: false }]);
    const many = await client.run([['if-shell', '-F', '1', 'display-message -p in']], soon);
    expect(many.flatMap(({ lines }) => lines)).toEqual(['in']);
    expect((await client.run([say('still here')], soon))[0]?.lines).toEqual(['still here']);
  });

  test('a late reply is absorbed and the lines after it are answered right', async () => {
    const late = client.run([['run-shell', 'sleep 0.5; echo late'], say('late')], {
      deadlineMs: 50,
    });
    const next = client.run([say('next')], soon);
    await expect(late).rejects.toMatchObject({ name: 'Fault', code: 'timeout' });
    expect((await next).flatMap(({ lines }) => lines)).toEqual(['next']);
    expect(closings).toEqual([]);
  });

  test('a tmux that never answers is given up', async () => {
    const waits = [client.run([['wait-for', 'never']], { deadlineMs: 20 })];
    for (let count = 0; count < 16; count += 1)
      waits.push(client.run([say('x')], { deadlineMs: 30 }));
    const results = await Promise.allSettled(waits);
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(closings).toMatchObject([{ code: 'protocol_desync' }]);
    await expect(client.run([say('x')], soon)).rejects.toMatchObject({ code: 'protocol_desync' });
  });

  test('no more lines wait than the bound allows', async () => {
    const stuck = client.run([['wait-for', 'never']], { deadlineMs: null });
    stuck.catch(() => {});
    const flood = Array.from({ length: 300 }, () => client.run([say('x')], soon));
    await expect(flood.at(-1)).rejects.toMatchObject({ code: 'timeout' });
    tmux.run('wait-for', '-S', 'never');
    const results = await Promise.allSettled(flood);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(255);
  });

  test('the end of its session ends it, the owner before the callers', async () => {
    tmux.newSession('other');
    const waiting = client.run([['wait-for', 'never']], { deadlineMs: null });
    let closedFirst = false;
    waiting.catch(() => {
      closedFirst = closings.length === 1;
    });
    tmux.run('kill-session', '-t', sessionId);
    await expect(waiting).rejects.toMatchObject({ code: 'tmux_gone' });
    expect(closedFirst).toBe(true);
  });

  test('a session that does not exist is refused and leaves no process', async () => {
    const spec = { socketPath: tmux.socketPath, onNotification() {}, onClosed() {} };
    const refused = ControlClient.attach({ ...spec, sessionId: '$99' }, soon);
    await expect(refused).rejects.toMatchObject({ code: 'tmux_gone' });
    const pid = client.pid ?? 0;
    await client[Symbol.asyncDispose]();
    await eventually(() => !isAlive(pid), 'the client process ends');
  });

  test('hooks of the user that fail or print are not taken for our replies', async () => {
    tmux.run('set-hook', '-g', 'client-attached', 'select-pane -t =nothing:');
    tmux.run('set-hook', '-g', 'after-list-sessions', 'display-message -p hook');
    const spec = { socketPath: tmux.socketPath, sessionId, onNotification() {}, onClosed() {} };
    await using other = await ControlClient.attach(spec, soon);
    const list = ['list-sessions', '-F', '#{session_id}'];
    for (let count = 0; count < 5; count += 1) {
      const replies = await other.run([list, say('then')], soon);
      expect(replies.map(({ lines }) => lines)).toEqual([[sessionId], ['then']]);
    }
  });

  const bites = ['a;b', ';', 'a"b\'c', '#{pid}', '$(x)', 'do$llar', 'x\nkill-server\n', 'é 🦊'];
  test.each([...bites, 'w'.repeat(200)])('%j is the same text everywhere', async (text) => {
    const set = ['set-option', '-g', '@try', text];
    const get = ['show-options', '-gv', '@try'];
    for (const run of [
      (commands: string[][]) => client.run(commands, soon),
      (commands: string[][]) => runByProcess(tmux, commands, soon),
    ]) {
      const [, shown] = await run([set, get]);
      expect(decodeUtf8(shown?.lines.join('\n') ?? '')).toBe(text);
      await run([['set-option', '-gu', '@try']]);
    }
    const renamed = ['rename-window', '-t', sessionId, '--', text.replaceAll('\n', ' ')];
    expect((await client.run([renamed], soon))[0]).toMatchObject({ ok: true });
    expect(tmux.run('list-sessions', '-F', '#{session_name}')).toBe('live');
  });

  test('a process gives the same replies as the connection', async () => {
    const commands = [say('one;'), ['list-sessions', '-F', '#{session_id};'], say('')];
    const failing = [say('one'), ['select-pane', '-t', '=no:'], say('never')];
    for (const each of [commands, failing]) {
      const control = await client.run(each, soon);
      const child = await runByProcess(tmux, each, soon);
      expect(child.map(({ ok, lines }) => ({ ok, lines }))).toEqual(
        control.map(({ ok, lines }) => ({ ok, lines })),
      );
    }
  });

  test('a screen and its facts come together, without escape sequences and with them', async () => {
    const print = "printf '\\033[1;31mred\\033[0m plain é\\nnext'; exec cat";
    const paneId = tmux.run('new-window', '-P', '-F', '#{pane_id}', '-t', sessionId, print);
    const screen = await eventually(async () => {
      const captured = readCapture(await client.run(captureCommands(paneId), soon));
      return captured?.lines[1] === 'next' ? captured : null;
    }, 'the text is on the screen');
    expect(screen.lines[0]).toBe('red plain é');
    expect(screen.ansi).toContain('\u001b[1m\u001b[31mred');
    expect(screen).toMatchObject({ cols: 80, rows: 24, cursor: { x: 4, y: 1 }, inMode: false });
    expect(screen.alternateOn).toBe(false);
    expect(screen.panePid).toBe(Number(tmux.run('display-message', '-pt', paneId, '#{pane_pid}')));
    expect(readCapture(await client.run(captureCommands('%99'), soon))).toBeNull();
  });
});
