// The bytes that make a terminal notify: exact, and with nothing in them that a text has brought.

import { describe, expect, it } from 'vitest';
import {
  terminalBytes,
  terminalSignals,
} from '../../src/cli/commands/notify/terminal-sequences.ts';
import { HOSTILE } from './notification-fixture.ts';

const text = { number: 7, headline: 'claude needs an approval', lines: ['work:0.1', 'a; b'] };
const plain = { isInTmux: false };

describe('a notification for a terminal', () => {
  it.each([
    ['osc9', '\u001b]9;agtmux: claude needs an approval · work:0.1 · a; b\u001b\\'],
    ['osc777', '\u001b]777;notify;claude needs an approval;work:0.1 · a; b\u001b\\'],
    ['bell', '\u0007'],
  ] as const)('is %s', (signal, bytes) => {
    expect(terminalBytes(text, [signal], plain)).toBe(bytes);
  });

  it('is osc99 in two parts under one id, in base64', () => {
    const bytes = terminalBytes(text, ['osc99'], plain);
    const base64 = (part: string): string => Buffer.from(part).toString('base64');
    expect(bytes).toBe(
      `\u001b]99;i=agtmux-7:d=0:p=title:e=1;${base64('claude needs an approval')}\u001b\\` +
        `\u001b]99;i=agtmux-7:d=1:p=body:e=1;${base64('work:0.1 · a; b')}\u001b\\`,
    );
  });

  it('is handed through tmux with every ESC doubled, but the bell is for tmux itself', () => {
    expect(terminalBytes({ ...text, lines: [] }, ['osc9', 'bell'], { isInTmux: true })).toBe(
      '\u001bPtmux;\u001b\u001b]9;agtmux: claude needs an approval\u001b\u001b\\\u001b\\\u0007',
    );
  });

  it.each(terminalSignals)('%s of a hostile text holds no byte that ends it sooner', (signal) => {
    const hostile = { number: 7, headline: `4;1;50${HOSTILE}`, lines: [HOSTILE, ';'] };
    const bytes = terminalBytes(hostile, [signal], plain);
    // Each sequence begins with ESC ] and ends with ESC \, and no other byte is one of control.
    const count = signal === 'osc99' ? 2 : signal === 'bell' ? 0 : 1;
    const parts = bytes.split('\u001b');
    expect(parts).toHaveLength(2 * count + 1);
    expect(parts.slice(1).map(([first]) => first)).toEqual(Array(count).fill([']', '\\']).flat());
    const controls = [...bytes].filter((each) => each < ' ' || (each > '~' && each < '\u00a0'));
    expect(controls.filter((each) => each !== '\u001b')).toEqual(count === 0 ? ['\u0007'] : []);
    expect(bytes).not.toContain(']9;4');
    if (signal === 'osc777') expect(bytes.split(';').slice(0, 2).join(';')).toContain('777;notify');
  });
});
