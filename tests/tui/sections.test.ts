// Sections of the list: who needs a person, pins, groups, their order, and what is remembered.

import { describe, expect, it } from 'vitest';
import { fitsPattern } from '../../src/text/fits-pattern.ts';
import { groupings } from '../../src/tui/preferences.ts';
import { listSections } from '../../src/tui/rows/sections.ts';
import { ago, asks, Driver, fleet, pane } from './fixture.ts';

const outline = ({ model }: Driver): readonly string[] =>
  listSections(model).map(
    ({ title, rows, isCollapsed }) =>
      `${title}: ${isCollapsed ? 'collapsed' : rows.map(({ pane: { pane_key } }) => pane_key)}`,
  );

describe('the section of agents that need a person', () => {
  it('is sorted by the time they wait, whatever their session, and lists no pane twice', () => {
    const linked = pane(3, { session: 'c', attention: asks('stuck', 400) });
    const other = { ...linked.identity!, session_name: 'd', session_id: '$78' };
    const driver = new Driver().snapshot([
      pane(1, { session: 'b', attention: asks('error', 20) }),
      pane(2, { session: 'a', attention: asks('question', 90) }),
      { ...linked, locations: [linked.identity!, other] },
      pane(4, { session: 'a', attention: asks('completion', 500) }),
    ]);
    expect(outline(driver)).toEqual(['needs you: key-3,key-2,key-1', 'local/a: key-4']);
  });

  it('shows the question below each row, and how long the agent has waited', () => {
    const attention = asks('question', 3_600, { text: 'Which database?' });
    const driver = new Driver({ columns: 80, rows: 24 });
    driver.snapshot([pane(1, { state: 'waiting_input', since: ago(5), attention })]);
    expect(driver.lines[2]).toMatch(/▸ \? waiting_input +1h {2}claude/);
    expect(driver.lines[3]).toBe('    Which database?');
  });

  it('cannot be collapsed', () => {
    const driver = new Driver().snapshot().type(' -');
    expect(outline(driver)[0]).toBe('needs you: key-1,key-7');
  });
});

describe('groups', () => {
  it('follow the key Tab: session, state, target, folder, worktree, and round again', () => {
    const deep = { current_path: '/home/dev/project/sub' };
    const far = { git_worktree: null, git_branch: null };
    const panes = fleet
      .slice(1, 6)
      .map((item, index) => ({ ...item, ...(index === 1 ? deep : index === 4 ? far : {}) }));
    const driver = new Driver().snapshot(panes);
    const titles = groupings.map(() => {
      const shown = listSections(driver.model).map(({ title }) => title);
      driver.type('\t');
      return shown;
    });
    expect(titles).toEqual([
      ['local/日本語', 'local/docs', 'local/work', 'vm1/build'],
      ['running', 'completed', 'idle', 'unknown', 'no agent'],
      ['local', 'vm1'],
      ['~/project', 'vm1:/home/dev/project', '~/project/sub'],
      ['~/project (main)', 'vm1:/home/dev/project'],
    ]);
    expect(driver.model.preferences.groupBy).toBe('session');
    expect(driver.type('\t').lines[0]).toContain('[by state]');
  });

  it('follow the key o: attention, age, name', () => {
    const driver = new Driver().snapshot([
      pane(1, { session: 'a', window: 1, since: ago(5) }),
      pane(2, { session: 'a', window: 2, since: ago(50) }),
      pane(3, { session: 'a', window: 3, attention: asks('completion', 5), since: ago(1) }),
    ]);
    const order = () => outline(driver)[0];
    expect(order()).toBe('local/a: key-3,key-2,key-1');
    driver.type('o');
    expect(order()).toBe('local/a: key-2,key-1,key-3');
    driver.type('o');
    expect(order()).toBe('local/a: key-1,key-2,key-3');
  });

  it('collapse and expand with Space; the selection goes to the heading and back', () => {
    const driver = new Driver().snapshot(fleet.slice(1, 5));
    driver.type('G ');
    expect(outline(driver).at(-1)).toBe('local/work: collapsed');
    expect(driver.text).toContain('+ local/work  1>  2 hidden');
    expect(driver.type('kj').model.selected).toContain('session\nlocal');
    expect(driver.type('e\r').model.page.kind).toBe('list');
    expect(driver.selected).toBe('key-2');
    driver.type('-');
    expect(outline(driver).every((line) => line.endsWith('collapsed'))).toBe(true);
    driver.type('+');
    expect(outline(driver).some((line) => line.endsWith('collapsed'))).toBe(false);
    expect(driver.type('\x1b[D').text).toContain('hidden');
    expect(driver.type('\x1b[C').text).not.toContain('hidden');
  });

  it('have one count of what is hidden on each side of the screen', () => {
    const many = Array.from({ length: 30 }, (_, index) => pane(index));
    const driver = new Driver(
      { columns: 60, rows: 10 },
      { color: false, unicode: false, isLight: false },
    );
    driver.snapshot(many).type('jjjjjjjjjj');
    const shown = driver.lines.filter((line) => line.includes('running')).length;
    const [, above] = /\^(\d+)$/.exec(driver.lines[1]!) ?? [];
    const [, below] = /v(\d+)$/.exec(driver.lines[8]!) ?? [];
    expect(Number(above) + shown + Number(below)).toBe(30);
  });
});

describe('pins', () => {
  it('put a pane below those who need a person, until it is unpinned', () => {
    const driver = new Driver().snapshot().type('GP');
    expect(driver.take()).toContainEqual({ kind: 'remember', change: { pinned: ['key-6'] } });
    expect(outline(driver).slice(0, 2)).toEqual(['needs you: key-1,key-7', 'pinned: key-6']);
    expect(driver.selected).toBe('key-6');
    expect(outline(driver.type('P'))).not.toContain('pinned: key-6');
  });

  it('leave a pane that needs a person where it is', () => {
    const driver = new Driver().snapshot().type('P');
    expect(outline(driver)[0]).toBe('needs you: key-1,key-7');
    expect(outline(driver)).not.toContain('pinned: key-1');
  });
});

describe('saved filters', () => {
  it('are saved and forgotten with F, and shown one after the other with f', () => {
    const driver = new Driver().snapshot().type('f');
    expect(driver.text).toContain('No filter is saved');
    driver.type('/gem\rF').type('\x1b').type('/codex\ra').type('F\x1b');
    expect(driver.model.filter.text).toBe('');
    expect(driver.type('f').lines[0]).toContain('[/gem]');
    expect(driver.type('f').lines[0]).toContain('[agents only, /codex]');
    expect(driver.type('f').model.filter.text).toBe('');
    driver.type('fF');
    expect(driver.model.preferences.savedFilters).toEqual([
      { text: 'codex', attentionOnly: false, agentsOnly: true },
    ]);
  });
});

describe('workers', () => {
  const panes = [
    pane(1, { session: 'lead' }),
    pane(2, { session: 'swarm-1' }),
    pane(3, { session: 'swarm-2', attention: asks('approval', 9) }),
  ];

  it('are hidden by the names of their sessions, except those who need a person', () => {
    const driver = new Driver().snapshot(panes).type('w');
    expect(driver.text).toContain('No workers are configured');
    const { columns } = driver.model.settings;
    driver.send({
      type: 'configured',
      settings: { columns, workers: ['swarm-*'] },
      isLight: false,
    });
    expect(outline(driver)).toHaveLength(3);
    driver.type('w');
    expect(outline(driver)).toEqual(['needs you: key-3', 'local/lead: key-1']);
    expect(driver.lines[0]).toContain('[1 worker hidden]');
  });

  it('match patterns in which * stands for any text', () => {
    for (const [name, pattern] of [
      ['swarm-1', 'swarm-*'],
      ['swarm', 'swarm'],
      ['a-worker-7', '*worker*'],
      ['x', '*'],
      ['abcbc', 'a*bc'],
    ] as const) {
      expect(fitsPattern(name, pattern)).toBe(true);
    }
    for (const [name, pattern] of [
      ['swarms', 'swarm'],
      ['ab', 'ab*b'],
      ['lead', 'swarm-*'],
      ['bca', 'a*bc'],
    ] as const) {
      expect(fitsPattern(name, pattern)).toBe(false);
    }
  });
});
