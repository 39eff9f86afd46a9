// Signals, hanging steps and our own bugs, in a real process.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Quarantine } from '../../src/daemon/engine/quarantine.ts';
import { id } from '../../src/schema/ids.ts';
import { makeFolder, start, until } from './program.ts';

const logOf = (folder: string): Record<string, unknown>[] =>
  readFileSync(join(folder, 'agtmuxd.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

async function ready(folder: string, how = '') {
  const program = start('ending.ts', folder, how);
  await until(() => expect(program.lines).toContain('ready'));
  return program;
}

describe('a signal to end', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s closes everything in order and exits with 0',
    async (signal) => {
      const folder = makeFolder();
      const { child, lines, ended } = await ready(folder);
      child.kill(signal);
      expect(await ended).toBe(0);
      expect(lines.slice(2)).toEqual(['first', 'second', 'third']);
      expect(logOf(folder)[0]).toMatchObject({ msg: 'ending', reason: signal });
    },
  );

  it('goes on after a step that fails', async () => {
    const folder = makeFolder();
    const { child, lines, ended } = await ready(folder, 'step-fails');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(lines.slice(2)).toEqual(['first', 'third']);
    expect(logOf(folder)).toContainEqual(
      expect.objectContaining({ step: 'second', level: 'error' }),
    );
  });

  it('is obeyed at the deadline when a step hangs', async () => {
    const folder = makeFolder();
    const { child, ended } = await ready(folder, 'step-hangs');
    child.kill('SIGTERM');
    expect(await ended).toBe(1);
    expect(logOf(folder).at(-1)).toMatchObject({ msg: 'ending took too long' });
  });

  it('that comes twice does not wait for what hangs', async () => {
    const folder = makeFolder();
    const { child, lines, ended } = await ready(folder, 'step-waits');
    child.kill('SIGTERM');
    await until(() => expect(lines).toContain('first'));
    child.kill('SIGINT');
    expect(await ended).toBe(1);
    expect(logOf(folder).at(-1)).toMatchObject({
      msg: 'a second request to end came while ending',
    });
  });

  it('SIGHUP reloads and opens the log anew, and ends one in the foreground', async () => {
    const folder = makeFolder();
    const daemon = await ready(folder);
    writeFileSync(join(folder, 'agtmuxd.log'), '', { flag: 'a' });
    renameSync(join(folder, 'agtmuxd.log'), join(folder, 'moved'));
    daemon.child.kill('SIGHUP');
    await until(() => expect(daemon.lines).toContain('reloaded'));
    daemon.child.kill('SIGTERM');
    expect(await daemon.ended).toBe(0);
    expect(existsSync(join(folder, 'agtmuxd.log'))).toBe(true);
    const foreground = await ready(makeFolder(), 'foreground');
    foreground.child.kill('SIGHUP');
    expect(await foreground.ended).toBe(0);
  });
});

describe('a bug of ours', () => {
  it.each(['throws', 'rejects'])(
    'that %s ends with 70, and the third start goes on without the event',
    async (how) => {
      const folder = makeFolder();
      const live = async (...ids: string[]) => {
        const program = start('ending.ts', folder, how, ...ids);
        void program.ended.then(() => {});
        await until(() => {
          expect(program.lines.includes('ready') || program.child.exitCode !== null).toBe(true);
        });
        if (program.lines.includes('ready')) program.child.kill('SIGTERM');
        return { code: await program.ended, refused: program.lines[0] };
      };
      expect(await live('good', 'bad', 'other')).toEqual({ code: 70, refused: 'refused ' });
      expect(logOf(folder)).toMatchObject([
        { level: 'error', eventIds: ['good', 'bad', 'other'], err: { message: 'a bug' } },
      ]);
      // All three are suspects, each is applied alone, and only one of them ends the process again.
      expect(await live('good', 'bad', 'other')).toEqual({ code: 70, refused: 'refused ' });
      expect(await live('good', 'bad', 'other')).toEqual({ code: 0, refused: 'refused bad' });
      expect(await live('good', 'bad', 'other')).toEqual({ code: 0, refused: 'refused bad' });
    },
  );

  it('does not blame an event for a kill', async () => {
    const folder = makeFolder();
    const program = start('ending.ts', folder, 'killed', 'bad');
    expect(await program.ended).toBe('SIGKILL');
    expect(existsSync(join(folder, 'suspects.json'))).toBe(false);
  });
});

describe('the list of suspects', () => {
  it('is empty when its file is rubbish', () => {
    const path = join(makeFolder(), 'suspects.json');
    for (const text of ['', '{', '{"suspects":[{"eventId":3}]}', '[]']) {
      writeFileSync(path, text);
      expect(new Quarantine(path).refused()).toEqual([]);
    }
  });

  it('is bounded, and a suspect that was applied is cleared for good', () => {
    const path = join(makeFolder(), 'suspects.json');
    const first = new Quarantine(path);
    first.begin(Array.from({ length: 3_000 }, (_, n) => id(`event-${n}`)));
    first.defect();
    const second = new Quarantine(path);
    expect(second.suspects(id('event-2999'))).toBe(true);
    expect(second.suspects(id('event-0'))).toBe(false);
    second.begin([id('event-2999')]);
    second.done();
    expect(new Quarantine(path).suspects(id('event-2999'))).toBe(false);
    expect(new Quarantine(path).suspects(id('event-2998'))).toBe(true);
  });
});
