import { describe, expect, it } from 'vitest';
import { playedKeys } from './played-keys.ts';
import { takeKeys } from './played-scene.ts';
import { screenBytes, UNTYPED } from './screen-bytes.ts';

const DIALOG = 'claude/111-waiting_approval';
const BOX = 'claude/117-completed';

const turn = (screen: string, bytes: string) => takeKeys(screen, UNTYPED, playedKeys(bytes));

describe('playedKeys', () => {
  it('reads arrows, Enter, Escape, pastes and text, and no other control character', () => {
    expect(playedKeys('a\x1b[B\x1bOA\r\x1b[200~x\ny\x1b[201~\x07\x7f\x1b')).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'down' },
      { kind: 'up' },
      { kind: 'enter' },
      { kind: 'text', text: 'x y' },
      { kind: 'erase' },
      { kind: 'escape' },
    ]);
  });
});

describe('a played dialog', () => {
  it('moves its mark within its options, and is over at Enter and at Escape', () => {
    expect(turn(DIALOG, '\x1b[B').typed.marked).toBe(1);
    expect(turn(DIALOG, '\x1b[B'.repeat(9)).typed.marked).toBe(3);
    expect(turn(DIALOG, '\x1b[A').typed.marked).toBe(0);
    expect(turn(DIALOG, '\x1b[B\r')).toEqual({ typed: UNTYPED, isOver: true });
    expect(turn(DIALOG, '\x1b').isOver).toBe(true);
    expect(turn(DIALOG, 'text').isOver).toBe(false);
  });

  it('draws the mark at the option, which need not be in the next row', () => {
    const bytes = screenBytes(DIALOG, 'task', { draft: '', marked: 3 });
    expect(bytes).toContain('\x1b[18;2H \x1b[22;2H❯');
  });
});

describe('a played input box', () => {
  it('shows what is typed, erases it, and is over at Enter where it holds a text', () => {
    const { typed } = turn(BOX, 'helloo\x7f');
    expect(typed.draft).toBe('hello');
    expect(screenBytes(BOX, 'task', typed)).toContain('❯ hello');
    expect(turn(BOX, '\r').isOver).toBe(false);
    expect(turn(BOX, 'hello\r').isOver).toBe(true);
  });

  it('keeps the height of the screen however long the text is', () => {
    const rows = (draft: string): number =>
      screenBytes(BOX, 'task', { draft, marked: null }).split('\r\n').length;
    expect(rows('x'.repeat(20_000))).toBe(rows(''));
  });
});
