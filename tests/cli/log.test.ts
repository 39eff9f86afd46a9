// `agtmux log` over a daemon's inside and a transcript that is a real file: what a person reads.

import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LineRecords } from '../../src/agent-files/conversations/line-records.ts';
import { LocalFiles } from '../../src/agent-files/files/local-files.ts';
import { Inside } from '../api/fixture.ts';
import { paneKey, runtimeId } from '../scenario.ts';
import { runHere } from './fixture.ts';

const at = '2026-01-31T12:00:00.000Z';
const line = (type: string, content: unknown, more: object = {}): string =>
  `${JSON.stringify({ type, timestamp: at, message: { content }, ...more })}\n`;

const secret = `ghp_${'x'.repeat(36)}`;
const edit = { file_path: 'a.ts', old_string: 'one', new_string: 'two' };
const call = (id: string, name: string, input: object) => [{ type: 'tool_use', id, name, input }];
const result = (id: string, content: string) => [{ type: 'tool_result', tool_use_id: id, content }];
const talk = [
  line('user', 'fix it\x1b]0;owned\x07 please'),
  line('assistant', call('t1', 'Bash', { command: `deploy ${secret}` })),
  line('user', result('t1', 'one\ntwo\nthree\n')),
  line('assistant', call('t2', 'Edit', edit)),
  line('assistant', [{ type: 'text', text: 'Done:\n```\nreally\n```' }]),
  line('user', [{ type: 'text', text: '[Request interrupted by user]' }]),
];

async function stage(text: string) {
  const inside = await new Inside().serve();
  const path = join(inside.folder, 'talk.jsonl');
  writeFileSync(path, text);
  const records = new LineRecords(new LocalFiles(), path);
  const transcript = { agent: 'claude', sessionId: 'talk', records, child: () => null };
  inside.transcripts.announce(runtimeId(0), transcript);
  const log = (...args: readonly string[]) =>
    runHere('log', String(paneKey(0)), '--socket-path', inside.socketPath, ...args);
  return { inside, path, log };
}

it('folds tools, colours changes, and lets nothing through that a terminal acts on', async () => {
  const { log } = await stage(talk.join(''));
  const { code, out } = await log('--color', 'always');
  expect(code).toBe(0);
  expect(out).toContain('fix it please');
  expect(out).toContain('ok (3 lines): one');
  expect(out).toContain('\x1b[31m-one\x1b[0m');
  expect(out).toContain('\x1b[32m+two\x1b[0m');
  expect(out).toContain('Interrupted');
  expect(out).not.toContain(secret);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: only colours may be left.
  expect(out.replace(/\x1b\[\d+m/g, '')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  expect((await log('--full')).out).toContain('three');
});

it('prints the newest, all, one JSON object a line, and Markdown', async () => {
  const { log } = await stage(talk.join(''));
  const json = (await log('--json', '--last', '2')).out.trimEnd().split('\n');
  const kinds = json.map((each) => (JSON.parse(each) as { entry: { kind: string } }).entry.kind);
  expect(kinds).toEqual(['text', 'interruption']);
  const { out } = await log('--markdown', '--all');
  expect(out).toContain('> fix it please');
  expect(out).toContain('```diff\n-one\n+two\n```');
  expect((await log('--markdown', '--json')).code).toBe(64);
});

it('reads a long conversation whole and in order', async () => {
  const { path, log } = await stage('');
  const answers = Array.from({ length: 1_800 }, (_, at2) => `answer ${at2}`);
  for (const text of answers) appendFileSync(path, line('assistant', [{ type: 'text', text }]));
  const words = (out: string) => out.split('\n').filter((each) => each.startsWith('answer'));
  expect(words((await log('--all')).out)).toEqual(answers);
  expect(words((await log('--last', '1200')).out)).toEqual(answers.slice(-1_200));
});

it('a pane without a transcript is refused', async () => {
  const { inside } = await stage('');
  const { code, err } = await runHere(
    ...(['log', String(paneKey(1)), '--socket-path', inside.socketPath] as const),
  );
  expect(code).toBe(66);
  expect(err).toMatch(/no transcript/);
  expect(err).not.toContain('agtmux list');
});
