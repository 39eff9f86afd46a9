// What arrives at a program that no rule knows, byte for byte: through a control client and through
// plain commands. A text never leaves the brackets of its paste, and never goes where it must not.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { eventually } from '../live/tmux-server.ts';
import { ActingLab } from './acting-lab.ts';

const LONG_BYTES = 1_000_000;
const START = '\u001b[200~';
const END = '\u001b[201~';

describe.each(['when_safe', 'always'] as const)('with attach = %s, send', (attach) => {
  let lab: ActingLab;
  beforeAll(async () => {
    lab = await ActingLab.open({ attach });
  }, 60_000);
  afterAll(() => lab[Symbol.asyncDispose]());

  let count = 0;
  async function openReader(ref = lab.openShell(`reader-${attach}-${count}`), mode = '') {
    count += 1;
    const file = join(lab.live.folder, `bytes-${count}`);
    const script = join(root, 'tests/acting/raw-reader.mjs');
    lab.typeLine(ref, `'${process.execPath}' '${script}' '${file}' ${mode}`);
    await eventually(() => lab.screen(ref).includes('ready'), 'the reader', 20_000);
    const isListed = async () => (await lab.pane(ref))?.current_cmd === 'node';
    await eventually(isListed, 'its row', 20_000);
    return { ref, bytes: () => readFileSync(file) };
  }
  const untilEnter = (bytes: () => Buffer) =>
    eventually(() => bytes().at(-1) === 13 && bytes().toString('utf8'), 'an Enter', 60_000);
  const forced = { force: true, paste: true };

  it('hands over 1 MB of lines, quotes and letters of all sizes as they are', async () => {
    const { ref, bytes } = await openReader();
    const line = 'a "b" \'c\' $d `e` #{f} %g \\h ~ é 日本語 👩‍💻 {x};\ttab\n\n';
    const text = `${line.repeat(LONG_BYTES / Buffer.byteLength(line))}end;`;
    const report = await lab.client.call('send', { ref, text, ...forced });
    expect(report.result).toBe('unconfirmed');
    const received = await untilEnter(bytes);
    expect(received.length).toBe(START.length + text.length + END.length + 1);
    expect(received === `${START}${text}${END}\r`).toBe(true);
  });

  it.each([
    ['a trailing semicolon', 'one;', 'one;'],
    ['semicolons alone', ';;', ';;'],
    ['what looks like an option', '-X -t', '-X -t'],
    ['CR and CRLF', 'a\rb\r\nc\n', 'a\nb\nc\n'],
    ['the end of a paste', 'a\u001b[201~\rrm -rf /', 'a\nrm -rf /'],
    ['half of an end of a paste', 'a\u001b[20\u001b[201~1~b', 'a[201~b'],
    ['an 8-bit control sequence', 'a\u009b201~b', 'a201~b'],
    ['colours, titles and NUL', 'a\u001b[31mb\u001b]0;t\u0007c\u0000d', 'abcd'],
    ['half a surrogate pair', 'a\ud83d b', 'a\ufffd b'],
  ])('keeps %s inside the brackets of the paste', async (_, text, expected) => {
    const { ref, bytes } = await openReader();
    await lab.client.call('send', { ref, text, ...forced });
    expect(await untilEnter(bytes)).toBe(`${START}${expected}${END}\r`);
  });

  it('types nothing anywhere while synchronize-panes is on', async () => {
    const one = await openReader();
    const split = ['split-window', '-d', '-P', '-F', '#{pane_id}', '-t', one.ref];
    const other = await openReader(lab.live.tmux.run(...split, "env PS1='$ ' bash --norc").trim());
    lab.live.tmux.run('set-option', '-w', '-t', one.ref, 'synchronize-panes', 'on');
    const input = { ref: one.ref, text: 'to all of them', ...forced };
    const refusal = { code: 'E_PANE_SYNCHRONIZED' };
    await expect(lab.client.call('send', input)).rejects.toMatchObject(refusal);
    lab.live.tmux.run('set-option', '-w', '-t', one.ref, 'synchronize-panes', 'off');
    await lab.client.call('send', { ...input, text: 'to one' });
    expect(await untilEnter(one.bytes)).toBe(`${START}to one${END}\r`);
    expect(other.bytes()).toHaveLength(0);
  });

  it('leaves no buffer in tmux, whether it was typed or refused', async () => {
    const { ref } = await openReader();
    await lab.client.call('send', { ref, text: 'typed', ...forced });
    lab.live.tmux.run('copy-mode', '-t', ref);
    const input = { ref, text: 'refused', ...forced };
    await expect(lab.client.call('send', input)).rejects.toMatchObject({ code: 'E_PANE_MODE' });
    expect(lab.live.tmux.run('list-buffers')).toBe('');
  });

  it('of several lines needs --paste where nothing shows that they stay one text', async () => {
    const { ref, bytes } = await openReader();
    const input = { ref, text: 'one\ntwo', force: true };
    const flag = ['display-message', '-p', '-t', ref, '#{bracket_paste_flag}'];
    const isKnown = lab.live.tmux.run(...flag) === '1';
    const outcome = await lab.client.call('send', input).then(
      () => 'typed',
      ({ code }) => code,
    );
    expect(outcome).toBe(isKnown ? 'typed' : 'E_TEXT_REFUSED');
    if (!isKnown) expect(bytes()).toHaveLength(0);
  });
});
