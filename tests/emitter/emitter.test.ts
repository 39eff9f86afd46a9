import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmitterLab, emitter, shells, until, wasQuiet } from './emitter-run.ts';

let lab: EmitterLab;
beforeEach(() => {
  lab = new EmitterLab();
});
afterEach(() => {
  lab[Symbol.dispose]();
});

describe.each(shells)('under %s %s', (...words) => {
  const shell = words.filter((word) => word !== undefined);

  it('leaves one private file with the payload of the hook', () => {
    const startedMs = Date.now();
    const run = lab.run({
      shell,
      stdin: '{"session_id":"s1","hook_event_name":"Stop"}',
      args: ['--source', 'claude-hooks', '--agent', 'claude', '--session', 's1'],
      env: { TMUX: '/tmp/none/default,12,0', TMUX_PANE: '%7', CLAUDE_PID: '4242' },
    });
    expect(wasQuiet(run)).toBe(true);
    const [event] = lab.events();
    expect(event).toMatchObject({
      source: 'claude-hooks',
      agent: 'claude',
      type: 'Stop',
      session_key: 's1',
      env: { TMUX: '/tmp/none/default,12,0', TMUX_PANE: '%7', CLAUDE_PID: '4242' },
      payload: { session_id: 's1', hook_event_name: 'Stop' },
    });
    expect(event?.event_time_ms).toBeGreaterThanOrEqual(startedMs - 1);
    expect(event?.event_time_ms).toBeLessThanOrEqual(Date.now());
    expect(statSync(lab.spool).mode & 0o777).toBe(0o700);
    const [name] = lab.names();
    expect(statSync(join(lab.spool, name as string)).mode & 0o777).toBe(0o600);
    expect(readdirSync(lab.spool).sort()).toEqual(['.seq', name]);
  });

  it('emits an event although its stdin is closed', () => {
    const closed = ['/bin/sh', '-c', '"$@" <&-', 'sh', ...shell];
    expect(wasQuiet(lab.run({ shell: closed }))).toBe(true);
    expect(lab.events()).toMatchObject([{ source: 'claude-hooks', type: 'Stop' }]);
  });

  it('takes any payload as it is, on stdin or as the last argument', () => {
    const texts = ['line\nline\n\nseq: 1', `"quotes' $(x) \`y\``, '100% %s \\n', '{"a":[1]}', '[]'];
    const args = ['--source', 'codex-notify', '--event', 'turn'];
    for (const text of texts) {
      expect(wasQuiet(lab.run({ shell, args, stdin: text }))).toBe(true);
      expect(wasQuiet(lab.run({ shell, args: [...args, text], stdin: 'not this' }))).toBe(true);
    }
    const expected = texts.map((text) => (text === '{"a":[1]}' ? { a: [1] } : text));
    const sent = lab.events().map((event) => event.payload);
    expect(sent).toEqual(expected.flatMap((each) => [each, each]));
  });

  it('keeps binary bytes, cuts at 256 KB, reads the rest away, and takes an empty stdin', () => {
    const binary = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
    const huge = 'x'.repeat(300_000);
    for (const stdin of [binary, huge, undefined]) {
      const run = lab.run({ shell, stdin });
      expect(wasQuiet(run)).toBe(true);
      expect(run.error).toBeUndefined();
    }
    const [first, second, third] = lab.events();
    expect(first?.payload).toBe(new TextDecoder().decode(binary));
    expect(huge.startsWith(second?.payload as string)).toBe(true);
    expect(String(second?.payload).length).toBeGreaterThan(261_000);
    expect(third).not.toHaveProperty('payload');
  });

  it('lets no value forge a header or a tmux command', () => {
    const evil = 'a\nsource: evil\n\nrest\u001b]0;x\u0007; kill-server';
    const run = lab.run({
      shell,
      args: ['--source', 's', '--agent', evil, '--event', evil, '--state', evil, '--session', evil],
      env: { TMUX: evil, TMUX_PANE: `%1${evil}`, CLAUDE_PID: '$(id)' },
    });
    expect(wasQuiet(run)).toBe(true);
    const [event] = lab.events();
    expect(event).toMatchObject({ source: 's', type: 'unnamed' });
    expect(event?.session_key).toBe('asource: evilrest]0;x; kill-server');
    for (const key of ['agent', 'pane', 'server', 'payload']) expect(event).not.toHaveProperty(key);
    lab.run({ shell, args: ['--source', evil] });
    expect(lab.names()).toHaveLength(1);
  });

  it('counts on from the last sequence when the clock is set back or coarse', () => {
    mkdirSync(lab.spool, { mode: 0o700 });
    const future = '2999999999999998';
    writeFileSync(join(lab.spool, '.seq'), `${future}\n`);
    lab.run({ shell });
    lab.run({ shell });
    writeFileSync(join(lab.folder, 'date'), '#!/bin/sh\necho 1700000000N\n', { mode: 0o755 });
    lab.run({ shell, env: { PATH: `${lab.folder}:/usr/bin:/bin` } });
    const events = lab.events();
    expect(events.map((event) => event.source_seq)).toEqual([
      2999999999999999, 3000000000000000, 3000000000000001,
    ]);
    expect(events[2]?.event_time_ms).toBe(1_700_000_000_000);
  });

  it('minds no broken counter', () => {
    mkdirSync(lab.spool, { mode: 0o700 });
    for (const text of ['', '0x10', '08', '9'.repeat(40), 'a[$(id)]', '-1\n', '9999999999999999']) {
      writeFileSync(join(lab.spool, '.seq'), text);
      expect(wasQuiet(lab.run({ shell }))).toBe(true);
    }
    const seqs = lab.events().map((event) => event.source_seq as number);
    expect(seqs).toHaveLength(7);
    expect(Math.max(...seqs)).toBeLessThan(Date.now() * 1_000 + 1_000);
  });

  it('is quiet and exits 0 when the world is broken', () => {
    const file = join(lab.folder, 'file');
    writeFileSync(file, '');
    const broken: readonly Readonly<Record<string, string>>[] = [
      { AGTMUX_SPOOL: '' },
      { AGTMUX_SPOOL: 'relative/path' },
      { AGTMUX_SPOOL: join(file, 'spool') },
      { AGTMUX_SPOOL: '/proc/nothing/spool' },
      { PATH: '' },
      { PATH: '/nowhere', AGTMUX_SPOOL: '/dev/full' },
      { TMUX: '/nowhere/sock,1,0', TMUX_PANE: '%1' },
      { TMUX: ',,,', TMUX_PANE: '%' },
      { SHELLOPTS: 'errexit:nounset', POSIXLY_CORRECT: '1' },
    ];
    for (const env of broken) {
      const run = lab.run({ shell, env, args: ['--source', 's', '--state', 'running'] });
      expect({ env, quiet: wasQuiet(run) }).toEqual({ env, quiet: true });
    }
    const strange = [[], ['--source'], ['--source', 's', '--state'], ['--new', 'x'], ['payload']];
    for (const args of strange) expect(wasQuiet(lab.run({ shell, args }))).toBe(true);
    expect(wasQuiet(lab.run({ shell: [...shell, '-eu'] }))).toBe(true);
  });

  it('falls back to the state folder of XDG, then to the one under HOME', () => {
    const state = join(lab.folder, 'state');
    lab.run({ shell, env: { AGTMUX_SPOOL: '', XDG_STATE_HOME: state, HOME: '/nowhere' } });
    lab.run({ shell, env: { AGTMUX_SPOOL: '', XDG_STATE_HOME: 'state', HOME: lab.folder } });
    expect(lab.names(join(state, 'agtmux/spool'))).toHaveLength(1);
    expect(lab.names(join(lab.folder, '.local/state/agtmux/spool'))).toHaveLength(1);
  });
});

describe('a hook never waits or fails', () => {
  it('although stdin is never closed, and keeps what came, under each shell', async () => {
    const codes = shells.map(async ([program = '', ...words]) => {
      const child = spawn(program, [...words, emitter, '--source', 's', '--event', 'Stop'], {
        env: { PATH: '/usr/bin:/bin', AGTMUX_SPOOL: lab.spool },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      child.stdin.on('error', () => {});
      child.stdin.write('{"complete":true}');
      const code = await new Promise((resolve) => child.on('exit', resolve));
      child.stdin.destroy();
      return code;
    });
    expect(await Promise.all(codes)).toEqual(shells.map(() => 0));
    const payloads = lab.events().map(({ payload }) => payload);
    expect(payloads).toEqual(shells.map(() => ({ complete: true })));
  });

  it('although it gets SIGTERM while it works', async () => {
    const child = spawn(emitter, ['--source', 's'], {
      env: { PATH: '/usr/bin:/bin', AGTMUX_SPOOL: lab.spool },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.on('error', () => {});
    await until('the temporary file', () => {
      const names = spawnSync('ls', ['-A', lab.spool]).stdout.toString();
      return names.includes('.tmp');
    });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) child.kill(signal);
    child.stdin.end('{"count":1}');
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect(code).toBe(0);
    expect(lab.events()[0]?.payload).toEqual({ count: 1 });
  });

  // Root may write anywhere: another user stands in for the one whose folder is closed.
  it.skipIf(process.getuid?.() !== 0)('although the folder may not be written to', () => {
    mkdirSync(lab.spool, { mode: 0o555 });
    chmodSync(lab.folder, 0o755);
    // The checkout itself may be closed to other users.
    const program = join(lab.folder, 'agtmux-emit');
    copyFileSync(emitter, program);
    const run = spawnSync(program, ['--source', 's'], {
      input: '{}',
      uid: 65_534,
      env: { PATH: '/usr/bin:/bin', AGTMUX_SPOOL: lab.spool },
    });
    expect(wasQuiet(run)).toBe(true);
    expect(readdirSync(lab.spool)).toEqual([]);
  });

  it('and a spool that nobody reads stays bounded', async () => {
    mkdirSync(lab.spool, { mode: 0o700 });
    for (let index = 0; index < 20_001; index += 1) {
      writeFileSync(join(lab.spool, `${1_000_000_000_000_000 + index}-1.event`), '');
    }
    const [old, young] = ['.1000000000000000-1.tmp', '.1000000000020000-1.tmp'];
    for (const name of [old, young]) writeFileSync(join(lab.spool, name), '');
    // The counter makes this the call that looks.
    writeFileSync(join(lab.spool, '.seq'), '2999999999999999');
    expect(wasQuiet(lab.run())).toBe(true);
    await until('the oldest are gone', () => lab.names().length <= 10_002);
    expect(lab.names()).toHaveLength(10_002);
    expect(existsSync(join(lab.spool, young))).toBe(true);
    expect(existsSync(join(lab.spool, old))).toBe(false);
    expect(lab.names().at(-1)).toMatch(/^3000000000000000-/);
    rmSync(lab.spool, { recursive: true });
  });
});
