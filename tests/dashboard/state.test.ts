// What the dashboard shows, as data: messages of the stream, order by need, filters, words, and
// answers.

import { describe, expect, it } from 'vitest';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { problemOutcome, reportOutcome } from '../../src/web/state/action-words.ts';
import {
  applyPush,
  emptyFleet,
  type Fleet,
  needCount,
  paneOf,
  readFleet,
  saveFleet,
} from '../../src/web/state/fleet.ts';
import {
  fleetSections,
  listOrder,
  noFilter,
  stateChoices,
  targetChoices,
} from '../../src/web/state/fleet-list.ts';
import {
  chooseInput,
  diffLines,
  inboxItems,
  inboxItemsOf,
  optionMood,
} from '../../src/web/state/open-requests.ts';
import { readPagePreferences } from '../../src/web/state/page-preferences.ts';
import {
  moodOf,
  needText,
  paneAbout,
  paneName,
  paneOtherPlace,
  paneStateWords,
} from '../../src/web/state/pane-words.ts';
import { readRoute, routeHash } from '../../src/web/state/route.ts';
import { screenLines } from '../../src/web/state/screen-lines.ts';
import { timelineParts } from '../../src/web/state/timeline.ts';
import type { PushMessage } from '../../src/web-client/web-client.ts';
import { NOW as NOW_TEXT, paneItem, summaryOf } from '../cli/fixture.ts';

const NOW = Date.parse(NOW_TEXT);

const at = (secondsAgo: number): string => new Date(NOW - secondsAgo * 1_000).toISOString();

type Overrides = Partial<PaneItem>;

const pane = (id: number, overrides: Overrides = {}): PaneItem => ({
  ...paneItem({ index: id, pane_key: `key-${id}` }),
  ref: `pane:local/work/0/${id}`,
  ...overrides,
});

function asking(
  id: number,
  secondsAgo: number,
  kind: 'approval' | 'question' = 'approval',
): PaneItem {
  const detail = {
    kind,
    command: `rm -rf build-${id}`,
    options: [{ label: 'Yes', selected: true }],
  };
  const request = { request_id: `r${id}`, kind, since: at(secondsAgo), seen: true, detail };
  return pane(id, {
    state: kind === 'approval' ? 'waiting_approval' : 'waiting_input',
    attention: { kinds: [kind], since: at(secondsAgo), requests: [request], snoozed_until: null },
  });
}

const head = (seq: number) => ({ subscription: 's1', cursor: `c${seq}`, generated_at: at(-seq) });

function snapshot(...panes: readonly PaneItem[]): PushMessage {
  const data = { ...head(0), reason: 'start' as const, outages: [] };
  return { type: 'snapshot', data: { ...data, panes: [...panes], summary: summaryOf(panes) } };
}

const changed = (panes: readonly PaneItem[], removed: readonly string[] = []): PushMessage => ({
  type: 'state_changed',
  data: { ...head(1), panes: [...panes], removed: [...removed] },
});

const fleetOf = (...panes: readonly PaneItem[]): Fleet => applyPush(emptyFleet, snapshot(...panes));

const keysOf = (panes: readonly PaneItem[]): readonly string[] =>
  panes.map(({ pane_key }) => pane_key);

const list = { filter: noFilter, grouping: 'state', withShells: false } as const;

describe('the fleet', () => {
  it('follows the messages of the stream, and keeps what did not change', () => {
    const [one, two] = [pane(1), pane(2)];
    const first = fleetOf(one, two);
    const next = applyPush(first, changed([pane(2, { state: 'error', row_seq: 99 })]));
    expect(next.panes.get('key-1')).toBe(one);
    expect(next.panes.get('key-2')?.state).toBe('error');
    expect(applyPush(next, changed([], ['key-1'])).panes.size).toBe(1);
    const again = applyPush(first, snapshot({ ...one }, pane(2, { row_seq: 99 })));
    expect(again.panes.get('key-1')).toBe(one);
    expect(again.panes.get('key-2')).not.toBe(two);
  });

  it('takes a change of attention alone', () => {
    const attention = {
      kinds: ['crash' as const],
      since: at(1),
      requests: [],
      snoozed_until: null,
    };
    const panes = [{ pane_key: 'key-1', ref: 'x', attention }];
    const data = { ...head(1), panes };
    const fleet = applyPush(fleetOf(pane(1)), { type: 'attention_changed', data });
    expect(needCount(fleet)).toBe(1);
    expect(paneStateWords(fleet.panes.get('key-1') as PaneItem)).toBe('crashed');
  });

  it('is read again as it was kept, and a broken text is none', () => {
    const fleet = fleetOf(asking(1, 5), pane(2));
    expect(readFleet(saveFleet(fleet))).toEqual(fleet);
    for (const text of [
      null,
      '',
      '{',
      '7',
      '{"panes":7,"asOf":"x"}',
      '{"asOf":"x","panes":[{}]}',
    ]) {
      expect(readFleet(text)).toBeNull();
    }
  });

  it('finds the pane of a link by its runtime first, then by its name', () => {
    const fleet = fleetOf(pane(1, { runtime_id: 'rt1' }), pane(2));
    expect(paneOf(fleet, 'runtime:rt1')?.pane_key).toBe('key-1');
    expect(paneOf(fleet, 'pane:local/work/0/2')?.pane_key).toBe('key-2');
    expect(paneOf(fleet, 'key-2')?.pane_key).toBe('key-2');
    expect(paneOf(fleet, 'runtime:gone')).toBeNull();
  });
});

describe('the list', () => {
  it('has who needs a person on top, the longest wait first, then the rest by state', () => {
    const fleet = fleetOf(
      pane(1, { state: 'idle' }),
      asking(2, 10),
      pane(3, { state: 'running' }),
      asking(4, 90, 'question'),
      pane(5, { agent: null, runtime_id: null, presence: 'unmanaged', state: 'unknown' }),
    );
    const sections = fleetSections(fleet, list);
    expect(sections.map(({ title }) => title)).toEqual(['needs you', 'running', 'idle']);
    expect(keysOf(listOrder(sections))).toEqual(['key-4', 'key-2', 'key-3', 'key-1']);
    expect(needCount(fleet)).toBe(sections[0]?.panes.length);
    const withShells = fleetSections(fleet, { ...list, withShells: true });
    expect(withShells.at(-1)?.title).toBe('no agent');
  });

  it('a snoozed request needs nobody, and a pane that is gone is not listed', () => {
    const item = asking(1, 10);
    const snoozed = {
      ...item,
      attention: { ...item.attention, kinds: [], snoozed_until: at(-60) },
    };
    const fleet = fleetOf(snoozed, pane(2, { presence: 'missing' }));
    expect(needCount(fleet)).toBe(0);
    expect(keysOf(listOrder(fleetSections(fleet, list)))).toEqual(['key-1']);
  });

  it('is filtered by words, state, machine and agent', () => {
    const fleet = fleetOf(
      asking(1, 5),
      pane(2, { target: 'vm1', agent: 'codex', git_branch: 'fix-login', state: 'running' }),
    );
    const shown = (filter: object): readonly string[] =>
      keysOf(listOrder(fleetSections(fleet, { ...list, filter: { ...noFilter, ...filter } })));
    expect(shown({ text: 'FIX codex' })).toEqual(['key-2']);
    expect(shown({ text: 'build-1' })).toEqual(['key-1']);
    expect(shown({ text: 'nothing' })).toEqual([]);
    expect(shown({ state: 'needs' })).toEqual(['key-1']);
    expect(shown({ state: 'running' })).toEqual(['key-2']);
    expect(shown({ target: 'vm1' })).toEqual(['key-2']);
    expect(shown({ agent: 'claude' })).toEqual(['key-1']);
    expect(stateChoices(fleet).map(({ value, count }) => [value, count])).toEqual([
      ['needs', 1],
      ['waiting_approval', 1],
      ['running', 1],
    ]);
    expect(targetChoices(fleet).map(({ value }) => value)).toEqual(['local', 'vm1']);
  });

  it('is grouped by machine, session and agent too', () => {
    const fleet = fleetOf(pane(1), pane(2, { target: 'vm1', agent: 'codex' }));
    const titles = (grouping: 'target' | 'agent') =>
      fleetSections(fleet, { ...list, grouping }).map(({ title }) => title);
    expect(titles('target')).toEqual(['local', 'vm1']);
    expect(titles('agent')).toEqual(['claude', 'codex']);
  });
});

describe('the words of a pane', () => {
  it('hold no control, bidi or escape character of its title or its command', () => {
    const evil = pane(1, { title: 'a\u001b[31m\u202eb\u0007c\u200b', alias: null });
    expect(paneAbout(evil)).toBe('abc');
    expect(paneName({ ...evil, alias: 'a\u001b[31m\u202eb' })).toBe('ab');
    const item = asking(2, 1);
    const [request] = item.attention.requests;
    if (request?.detail) request.detail.command = 'x\u001b]0;y\u0007z\u2066';
    expect(needText(item)).toBe('xz');
  });

  it('begin with what tells two agents of one folder apart', () => {
    const two = [1, 2].map((id) => pane(id, { title: 'api', title_quality: 'path' }));
    expect(two.map(paneName)).toEqual(['main:1.1', 'main:1.2']);
    expect(two.map(paneAbout)).toEqual(['api', 'api']);
    expect(two.map(paneOtherPlace)).toEqual(['', '']);
    const [named] = two.map((each) => ({ ...each, alias: 'lead' }));
    expect(named && [paneName(named), paneAbout(named), paneOtherPlace(named)]).toEqual([
      ...['lead', '', 'main:1.1'],
    ]);
  });

  it('name what it needs a person for before its state', () => {
    const stuck = { kinds: ['stuck' as const], since: at(5), requests: [], snoozed_until: null };
    const running = pane(1, { state: 'running', attention: stuck });
    expect([moodOf(running), paneStateWords(running)]).toEqual(['stuck', 'stuck']);
    expect(moodOf(asking(1, 1))).toBe('approval');
    expect(paneStateWords(asking(1, 1))).toBe('waiting approval');
  });
});

describe('what agents ask', () => {
  it('is listed the oldest first, and what was put off last', () => {
    const late = asking(3, 99);
    const putOff = { ...late, attention: { ...late.attention, kinds: [], snoozed_until: at(-60) } };
    const all = inboxItems(fleetOf(asking(1, 5), asking(2, 50), putOff));
    expect(all.map(({ request }) => request.request_id)).toEqual(['r2', 'r1', 'r3']);
  });

  it('is answered with what was shown: the runtime, the version and the request', () => {
    const [item] = inboxItemsOf({ ...asking(1, 5), runtime_id: 'rt9', state_version: 7 });
    if (!item) throw new Error('nothing is asked');
    expect(chooseInput(item, { label: 'Yes' }, 'once')).toEqual({
      ref: 'runtime:rt9',
      if_runtime: 'rt9',
      if_version: 7,
      request_id: 'r1',
      request_ref: 'once',
      choice: { label: 'Yes' },
    });
  });

  it('has options that look like a yes, a no, or neither', () => {
    expect(
      ['Yes, and do not ask again', 'No (esc)', 'Postgres', "Don't run"].map(optionMood),
    ).toEqual(['yes', 'no', 'other', 'no']);
  });

  it('shows a diff as one, and a command as it is', () => {
    expect(diffLines('@@ -1 +1 @@\n-a\n+b\n c').map(({ kind }) => kind)).toEqual([
      'place',
      'minus',
      'plus',
      'same',
    ]);
    expect(diffLines('ls\n-la').map(({ kind }) => kind)).toEqual(['same', 'same']);
  });
});

describe('the outcome of an action', () => {
  it('says delivered, queued, refused or unconfirmed, and what to do', () => {
    const report = { result: 'delivered', detail: 'the agent took it', code: null };
    const outcome = (fields: object) => reportOutcome({ ...report, ...fields } as never);
    expect(outcome({})).toEqual({ mood: 'good', word: 'delivered', text: 'the agent took it' });
    expect(outcome({ result: 'queued' }).mood).toBe('good');
    expect(outcome({ result: 'unconfirmed' }).mood).toBe('open');
    const refused = outcome({ result: 'refused', code: 'E_DIALOG_OPEN', detail: 'a dialog' });
    expect(refused).toMatchObject({ mood: 'bad', text: 'a dialog. Answer what it asks first.' });
    expect(problemOutcome({ code: 'timeout', message: 'late', hint: null }).word).toBe(
      'unconfirmed',
    );
    const stale = problemOutcome({ code: 'E_RUNTIME_STALE', message: 'gone', hint: 'agtmux list' });
    expect(stale.text).toBe('gone. Another agent is there now. Look again.');
  });
});

describe('the address of the page', () => {
  it('is read as it was written, also for names that bite', () => {
    const ref = 'pane:local/a b%2F#?/0/1';
    for (const tab of ['terminal', 'explain'] as const) {
      expect(readRoute(routeHash({ page: 'pane', ref, tab }))).toEqual({ page: 'pane', ref, tab });
    }
    for (const page of ['fleet', 'inbox', 'send', 'settings'] as const) {
      expect(readRoute(routeHash({ page }))).toEqual({ page });
    }
    expect(['#/pane/%', '#/pane', '#/x', ''].map((hash) => readRoute(hash).page)).toEqual(
      Array(4).fill('fleet'),
    );
  });
});

describe('the screen', () => {
  it('has styles of ours alone, whatever a program printed', () => {
    const evil = '\u001b[38;5;9;1mred\u001b[0m <script> \u001b]8;;javascript:x\u0007link';
    expect(screenLines([evil, '\u001b[48;2;1;2;999mx'])).toEqual([
      [
        { text: 'red', css: 'color:var(--ansi-9);font-weight:600' },
        { text: ' <script> ', css: '' },
        { text: 'link', css: '' },
      ],
      [{ text: 'x', css: 'background:rgb(1 2 255)' }],
    ]);
  });
});

describe('the timeline', () => {
  it('fills the bar from the newest state backwards, and cuts what is older', () => {
    const entry = (secondsAgo: number, state: string) =>
      ({ at: at(secondsAgo), state, agent: 'claude' }) as never;
    const entries = [entry(10, 'idle'), entry(60, 'running'), entry(500, 'error')];
    const parts = timelineParts(entries, { fromMs: NOW - 100_000, nowMs: NOW });
    expect(parts.map(({ mood, share }) => [mood, share])).toEqual([
      ['error', 0.4],
      ['running', 0.5],
      ['idle', 0.1],
    ]);
  });
});

describe('preferences', () => {
  it('are the defaults where a kept text is wrong', () => {
    const first = readPagePreferences(null);
    for (const text of ['', '{', '7', 'null', '{"theme":"pink","collapsed":{"a":1}}']) {
      expect(readPagePreferences(text)).toEqual(first);
    }
    expect(readPagePreferences('{"theme":"dark","grouping":"agent"}')).toMatchObject({
      ...{ theme: 'dark', grouping: 'agent' },
    });
  });
});
