// When a card may be answered: once what it says, where it stands, could be read.

import { expect, it } from 'vitest';
import { inboxItemsOf, shownKey } from '../../src/web/state/open-requests.ts';
import { Places, READ_MS, ReadClock } from '../../src/web/state/read-clock.ts';
import { paneItem } from '../cli/fixture.ts';

it('what is shown can be answered once it could be read for a while', () => {
  const reading = new ReadClock();
  expect(reading.show('one')).toBe(true);
  expect(reading.leftMs(1e9)).toBe(Number.POSITIVE_INFINITY);
  reading.drawn('one', 1_000);
  expect(reading.leftMs(1_100)).toBe(READ_MS - 100);
  expect(reading.show('one')).toBe(false);
  expect(reading.leftMs(1_000 + READ_MS)).toBe(0);
});

it('other words have to be read anew, also those that came before they were drawn', () => {
  const reading = new ReadClock();
  reading.show('one');
  reading.drawn('one', 0);
  expect(reading.show('two')).toBe(true);
  reading.drawn('one', 10);
  expect(reading.leftMs(READ_MS * 5)).toBe(Number.POSITIVE_INFINITY);
  reading.drawn('two', 20);
  expect(reading.leftMs(20)).toBe(READ_MS);
});

it('a card has another place when one above it goes, comes or changes', () => {
  const places = new Places();
  const [first, second, third] = places.of(['a', 'b', 'c']);
  expect(places.of(['a', 'b', 'c'])).toEqual([first, second, third]);
  expect(places.of(['a', 'b', 'c', 'd']).slice(0, 3)).toEqual([first, second, third]);
  const [same, changed, below] = places.of(['a', 'B', 'c', 'd']);
  expect(same).toBe(first);
  expect(changed).not.toBe(second);
  expect(below).not.toBe(third);
  const [slidUp] = places.of(['B', 'c', 'd']);
  expect([first, changed]).not.toContain(slidUp);
  const kept = places.of(['B', 'c']);
  expect(kept[0]).toBe(slidUp);
});

const options = [{ label: 'Yes' }, { label: 'No' }];
const asked = { tool: 'Bash', command: 'ls', file: '/a', text: 'Run it?', options };

/** The key of one request with these words, always by the same id. */
function keyWith(kind: 'approval' | 'question', detail: object): string {
  const pane = paneItem({});
  const [request] = [{ request_id: 'r1', kind, since: '', takes_text: false, detail }];
  const requests = [request] as unknown as typeof pane.attention.requests;
  const [item] = inboxItemsOf({ ...pane, attention: { ...pane.attention, requests } });
  if (!item) throw new Error('it is no open request');
  return shownKey(item);
}

it('other words under the same id are something else to be read', () => {
  const before = keyWith('approval', asked);
  expect(keyWith('approval', { ...asked })).toBe(before);
  const marked = [{ label: 'Yes', selected: true }, { label: 'No' }];
  expect(keyWith('approval', { ...asked, options: marked })).toBe(before);
  const others = [
    ...[{ tool: 'Edit' }, { command: 'rm -r /' }, { file: '/b' }, { text: 'Sure?' }],
    { options: [{ label: 'No' }, { label: 'Yes' }] },
  ];
  for (const other of others) expect(keyWith('approval', { ...asked, ...other })).not.toBe(before);
  expect(keyWith('question', asked)).not.toBe(before);
});
