// What keys, pushes and time do to the view, and what it asks for.

import { describe, expect, it } from 'vitest';
import { asks, Driver, fleet, pane, screen } from './fixture.ts';

const DOWN = '\x1b[B';
const ENTER = '\r';

describe('the selection', () => {
  it('begins with who needs a person most, and moves within the list', () => {
    const driver = new Driver().snapshot();
    expect(driver.selected).toBe('key-1');
    expect(driver.type(DOWN).selected).toBe('key-7');
    expect(driver.type('kkkk').selected).toBe('key-1');
    expect(driver.type('G').selected).toBe('key-6');
    expect(driver.type('jj').selected).toBe('key-6');
    expect(driver.type('\x1b[H').selected).toBe('key-1');
  });

  it('stays with its pane when rows move, and goes to the neighbour when the pane is gone', () => {
    const driver = new Driver().snapshot().type('jjjj');
    driver.changed([pane(9, { session: 'a', attention: asks('question', 900) })]);
    expect(driver.selected).toBe('key-2');
    driver.changed([], ['key-2']);
    expect(driver.selected).toBe('key-3');
    expect(driver.changed([], ['key-3']).selected).not.toBeNull();
  });

  it('is the first row until a key is pressed', () => {
    const driver = new Driver().snapshot();
    driver.changed([pane(9, { attention: asks('question', 900) })]);
    expect(driver.selected).toBe('key-9');
    driver.type('k').changed([pane(8, { attention: asks('question', 990) })]);
    expect(driver.selected).toBe('key-9');
  });

  it('goes round those who need a person with n', () => {
    const driver = new Driver().snapshot();
    expect(driver.type('n').selected).toBe('key-7');
    expect(driver.type('n').selected).toBe('key-1');
  });

  it('is set by a click on a row or its question, and a click on a heading folds its group', () => {
    const driver = new Driver().snapshot();
    expect(driver.type('\x1b[<0;5;5M').selected).toBe('key-7');
    expect(driver.type('\x1b[<0;5;4M').selected).toBe('key-1');
    expect(driver.type('\x1b[<0;5;2M').selected).toBe('key-1');
    expect(driver.lines[6]).toMatch(/^▾ local\/日本語/);
    expect(driver.type('\x1b[<0;5;7M').lines[6]).toMatch(/^\+ local\/日本語 .*1 hidden$/);
    expect(driver.selected).toBe('key-1');
    expect(driver.type('\x1b[<0;5;7M').lines[6]).toMatch(/^▾ local\/日本語/);
  });

  it('stays where it is while the wheel scrolls, and comes back into view with a key', () => {
    const many = Array.from({ length: 60 }, (_, index) => pane(index, { title: `t${index}` }));
    const driver = new Driver({ columns: 60, rows: 10 }).snapshot(many);
    expect(driver.type('\x1b[<65;5;2M\x1b[<65;5;2M').text).not.toContain('▸');
    expect(driver.selected).toBe('key-0');
    driver.changed([pane(3, { title: 'changed' })]);
    expect(driver.text).not.toContain('▸');
    expect(driver.type('j').text).toContain('▸');
    expect(driver.selected).toBe('key-1');
  });

  it('jumps with a double click, and with the digit of a row', () => {
    const driver = new Driver().snapshot();
    driver.take();
    driver.send({ type: 'key', key: { kind: 'click', column: 5, row: 4, isDouble: true } });
    const jumps = () => driver.take().filter(({ kind }) => kind === 'jump');
    expect(jumps()).toMatchObject([{ paneKey: 'key-7' }]);
    driver.type('1');
    expect(jumps()).toMatchObject([{ paneKey: 'key-1' }]);
    expect(driver.selected).toBe('key-1');
    driver.type('9');
    expect(jumps()).toEqual([]);
  });
});

describe('filters', () => {
  it('narrow the list as they are typed, and Escape takes them back', () => {
    const driver = new Driver().snapshot().type('/gem');
    expect(driver.text).toContain('/gem');
    expect(driver.text).toContain('gemini');
    expect(driver.text).not.toContain('codex');
    expect(driver.selected).toBe('key-4');
    expect(driver.type('\x1b').text).toContain('codex');
    driver.type(`/storage LAYER${ENTER}`);
    expect(driver.lines[0]).toContain('[/storage LAYER]');
    expect(driver.selected).toBe('key-2');
    expect(driver.type('\x1b').text).toContain('gemini');
  });

  it('find what is shown: the name of a pane, with its target too, and what its agent asks', () => {
    const asking = pane(1, { attention: asks('approval', 5, { command: 'make deploy' }) });
    const driver = new Driver().snapshot([asking, pane(2), pane(3, { session: 'other' })]);
    for (const words of ['main:1.1', '1.1', 'local/main:1.1', 'deploy', 'make deploy']) {
      driver.type(`/${words}${ENTER}`);
      expect(driver.selected, words).toBe('key-1');
      expect(driver.text, words).not.toMatch(/No pane matches|other/);
      driver.type('\x1b');
    }
  });

  it('show only what has something to see, or only agents', () => {
    const driver = new Driver().snapshot().type('a');
    expect(driver.text).not.toContain('zsh');
    expect(driver.lines[0]).toContain('[agents only]');
    driver.type('!');
    expect(driver.text).not.toContain('codex');
    expect(driver.text).toContain('gemini');
    expect(driver.type('\x1b').text).toContain('zsh');
  });

  it('take a paste as text and never as keys', () => {
    const driver = new Driver().snapshot().type('\x1b[200~q!a\x1b[201~');
    expect(driver.take().some(({ kind }) => kind === 'quit')).toBe(false);
    expect(driver.model.filter.attentionOnly).toBe(false);
    driver.type('/\x1b[200~gem\nini\x1b[201~');
    expect(driver.model.filter.text).toBe('gem ini');
    driver.type('\x7f\x7f\x7f\x7f');
    expect(driver.model.filter.text).toBe('gem');
  });
});

describe('what is asked for', () => {
  it('is the screen of the selected pane, once at a time, less often while it is still', () => {
    const driver = new Driver().snapshot();
    expect(driver.take()).toEqual([{ kind: 'preview', paneKey: 'key-1' }]);
    const tick = (ms: number) => driver.send({ type: 'tick', nowMs: driver.model.nowMs + ms });
    const answered = () =>
      driver.send({
        type: 'previewed',
        paneKey: 'key-1',
        answer: { ok: true, value: screen('key-1', ['still']) },
      });
    tick(1_000);
    expect(driver.take()).toEqual([]);
    let requestCount = 0;
    for (let index = 0; index < 60; index += 1) {
      answered();
      tick(500);
      requestCount += driver.take().length;
    }
    expect(requestCount).toBeGreaterThan(15);
    expect(requestCount).toBeLessThan(28);
    answered();
    driver.changed([fleet[0]!]);
    expect(driver.take()).toEqual([{ kind: 'preview', paneKey: 'key-1' }]);
  });

  it('is nothing where nobody sees it: preview off, too small, daemon gone', () => {
    const hidden = new Driver({ columns: 80, rows: 10 }).snapshot();
    expect(hidden.take()).toEqual([]);
    const off = new Driver();
    off.type('p').snapshot();
    expect(off.take()).toEqual([{ kind: 'remember', change: { isPreviewOn: false } }]);
    const lost = new Driver().snapshot();
    lost.take();
    lost.send({ type: 'link', link: 'lost' }).type('j');
    expect(lost.take()).toEqual([]);
  });

  it('is the ledger, again while it is looked at', () => {
    const driver = new Driver().snapshot();
    driver.take();
    driver.type('e');
    expect(driver.take()).toEqual([{ kind: 'explain', paneKey: 'key-1' }]);
    driver.send({
      type: 'explained',
      paneKey: 'key-1',
      answer: { ok: false, problem: 'the pane is gone' },
    });
    expect(driver.text).toContain('the pane is gone');
    driver.send({ type: 'tick', nowMs: driver.model.nowMs + 3_000 });
    expect(driver.take()).toEqual([{ kind: 'explain', paneKey: 'key-1' }]);
  });

  it('is the conversation, again while it is looked at', () => {
    const driver = new Driver().snapshot();
    driver.take();
    driver.type('l');
    expect(driver.take()).toEqual([{ kind: 'read-log', paneKey: 'key-1' }]);
    driver.send({
      type: 'log-read',
      paneKey: 'key-1',
      answer: { ok: false, problem: 'no transcript of claude is known' },
    });
    expect(driver.text).toContain('no transcript of claude is known');
    driver.send({ type: 'tick', nowMs: driver.model.nowMs + 3_000 });
    expect(driver.take()).toEqual([{ kind: 'read-log', paneKey: 'key-1' }]);
    driver.type('l').send({ type: 'tick', nowMs: driver.model.nowMs + 3_000 });
    expect(driver.take()).not.toContainEqual({ kind: 'read-log', paneKey: 'key-1' });
  });

  it('is a jump to the selected place, and from a ledger only to its own pane', () => {
    const driver = new Driver().snapshot();
    driver.take();
    driver.type(ENTER);
    const place = fleet[0]!.identity;
    expect(driver.take()).toEqual([{ kind: 'jump', paneKey: 'key-1', place }]);
    driver.type('e');
    driver.take();
    driver.changed([], ['key-1']);
    driver.type(ENTER);
    expect(driver.take()).toEqual([]);
    const seat = { ...pane(1), identity: null, locations: [] };
    const without = new Driver().snapshot([seat]);
    without.take();
    expect(without.type(ENTER).take()).toEqual([]);
  });

  it('is a daemon only while there is none, an end with q and Ctrl-C', () => {
    const driver = new Driver().snapshot();
    driver.take();
    expect(driver.type('r').take()).toEqual([]);
    driver.send({ type: 'link', link: 'lost' });
    expect(driver.type('r').take()).toEqual([{ kind: 'start-daemon' }]);
    expect(driver.type('q').take()).toEqual([{ kind: 'quit' }]);
    expect(driver.type('/\x03').take()).toEqual([{ kind: 'quit' }]);
  });
});

describe('a notice', () => {
  it('stands until a key is pressed or its time is over', () => {
    const message = { type: 'notice', text: 'Not inside tmux.', isProblem: true } as const;
    const driver = new Driver().snapshot().send(message);
    expect(driver.lines.at(-1)).toBe(' Not inside tmux.');
    expect(driver.type('j').lines.at(-1)).toContain('q quit');
    driver.send(message, { type: 'tick', nowMs: driver.model.nowMs + 60_000 });
    expect(driver.lines.at(-1)).toContain('q quit');
  });
});
