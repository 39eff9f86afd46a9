// Panes that run another terminal (ssh, a nested tmux): a recorded screen that a shell, a pager or
// an editor shows there is no agent; the same screen with the agent's own cursor is one.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCorpus } from '../../bench/accuracy/corpus.ts';
import { root } from '../../scripts/script-entry.ts';
import { classifyPane } from '../../src/agents/classify/classify-pane.ts';
import { parseVisibleRecord, type VisibleRecord } from '../../src/schema/record.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

const registry = loadRegistry({});
const ROWS = 60;
const STATUS = '[inner] 0:bash*                        "vm" 13:22 16-Nov-26';

const screens = loadCorpus(join(root, 'corpus'))
  .filter(({ label, folder }) => label.state !== 'no_agent' && folder !== 'negative')
  .flatMap(({ name, raw }) => {
    const visible = parseVisibleRecord(raw);
    return visible === null ? [] : [{ name, visible }];
  });

const written = ({ capture }: VisibleRecord): readonly string[] =>
  capture.slice(0, capture.findLastIndex((line) => line.trim() !== '') + 1);

interface Shown {
  readonly lines: readonly string[];
  readonly cursor: string;
  readonly title?: string;
  readonly status?: string | null;
}

/** A pane of 60 rows with these lines, in a nested tmux unless it has no status line. */
function classify({ lines, cursor, title = 'vm', status = STATUS }: Shown) {
  const blank = Array<string>(Math.max(0, ROWS - 1 - lines.length)).fill('');
  return classifyPane(
    {
      capture: [...lines, ...blank, ...(status === null ? [] : [status])],
      pane_title: title,
      pane_current_command: status === null ? 'ssh' : 'tmux',
      cols: 120,
      rows: ROWS,
      cursor,
      alternate_on: '1',
    },
    registry,
  );
}

const wronglyManaged = (show: (visible: VisibleRecord) => Shown): readonly string[] =>
  screens.flatMap(({ name, visible }) => (classify(show(visible)).agent === null ? [] : [name]));

describe('a recorded screen in an opaque pane', () => {
  it.each([
    'bash-5.2# ',
    '$ ',
    'dev@vm:~/work$ ',
    '[dev@vm work]$ ',
    '(venv) dev@vm:~$ ls',
    'vm% ',
    '~/work ❯ ',
    '➜  work git:(main) ✗ ',
  ])('above the prompt %s is no agent', (prompt) => {
    const show = (status: string | null) => (visible: VisibleRecord) => {
      const lines = [...written(visible), prompt];
      return { lines, status, cursor: `${prompt.length},${lines.length - 1},1` };
    };
    expect(wronglyManaged(show(STATUS))).toEqual([]);
    expect(wronglyManaged(show(null))).toEqual([]);
  });

  it.each([':', '(END)', '/tmp/screen.txt (END)', 'screen.txt'])(
    'in a pager that ends with %s is no agent',
    (prompt) => {
      const show = (visible: VisibleRecord) => {
        const lines = [...written(visible), prompt];
        return { lines, cursor: `${prompt.length},${lines.length - 1},1` };
      };
      expect(wronglyManaged(show)).toEqual([]);
    },
  );

  it.each(['"screen.txt" 30L, 1204B', '-- INSERT --', '   12,3          Top', '~'])(
    'in an editor that ends with %s is no agent, wherever its cursor is',
    (foot) => {
      const at = (cursor: string) => (visible: VisibleRecord) => ({
        lines: [...written(visible), foot],
        cursor,
      });
      expect(wronglyManaged(at('0,0,1'))).toEqual([]);
      expect(wronglyManaged(at('4,7,1'))).toEqual([]);
    },
  );

  it('under which a killed agent left its hidden cursor in a shell is no agent', () => {
    const show = (visible: VisibleRecord) => {
      const lines = [...written(visible)];
      const y = Math.max(0, lines.length - 4);
      lines[y] = `bash-5.2# ${(lines[y] ?? '').slice(10)}`;
      return { lines, cursor: `10,${y},0` };
    };
    expect(wronglyManaged(show)).toEqual([]);
  });

  it('with the cursor of the agent says the same with and without an inner status line', () => {
    const own = screens.filter(({ visible }) => visible.cursor?.endsWith(',0'));
    let found = 0;
    for (const { name, visible } of own) {
      const shown = { lines: written(visible), cursor: visible.cursor ?? '', title: '' };
      const bare = classify({ ...shown, status: null });
      const nested = classify(shown);
      expect([name, nested.agent, nested.rule]).toEqual([name, bare.agent, bare.rule]);
      if (bare.agent !== null) found += 1;
    }
    expect(found).toBeGreaterThan(own.length * 0.5);
  });

  it('has the title that the inner status line shows', () => {
    const codex = screens.find(({ name }) => name === 'codex/104-running');
    if (codex === undefined) throw new Error('it is not recorded');
    const lines = written(codex.visible);
    const status = '[inner] 0:codex*                 "⠹ work | go on" 13:20 16-Nov-26';
    const cursor = codex.visible.cursor ?? '';
    expect(classify({ lines, cursor, status })).toMatchObject({ agent: 'codex', state: 'running' });
  });
});
