// When a server is listed whole and when a cheap listing is enough.

import { beforeEach, describe, expect, it } from 'vitest';
import { defaultConfig } from '../../src/schema/config.ts';
import { Listings } from '../../src/sources/watch/listings.ts';
import type { WatchedPanes } from '../../src/sources/watch/watched-panes.ts';
import { cheapListingCommand } from '../../src/tmux/cheap-listing.ts';
import type { LinkStatus } from '../../src/tmux/link.ts';
import { listingCommand } from '../../src/tmux/listing.ts';
import type { Reply } from '../../src/tmux-wire/control-parser.ts';

const T0 = 1_700_000_000_000;
const SECOND = T0 / 1_000;
const CHEAP_FORMAT = cheapListingCommand().at(-1) ?? '';
const kindOf = (command: readonly string[]): string => {
  const format = command.at(-1);
  if (format === listingCommand().at(-1)) return 'listing';
  return format === CHEAP_FORMAT ? 'cheap' : 'clients';
};

const shell = {
  pane_id: '%1',
  pane_pid: '11',
  pane_dead: '0',
  cursor_x: '2',
  window_activity: `${SECOND - 60}`,
  pane_title: 'quiet',
};
const agent = { ...shell, pane_id: '%2', pane_pid: '22', pane_title: '⠋ mend roof 1' };

let rows: Record<string, string>[] = [];
let asked: string[] = [];
let unread = 0;
let paneCount = 2;
const attached: LinkStatus = { state: 'connected', detail: '', generation: null, sessionId: '$0' };
let status = attached;
let listings: Listings;

/** As tmux answers: what a row does not hold is empty. */
const cheapLines = (): string[] =>
  rows.map((row) => {
    const text = CHEAP_FORMAT.replace(/#\{([^}]+)\}/g, (_, field: string) => row[field] ?? '');
    return Buffer.from(text).toString('latin1');
  });

beforeEach(() => {
  rows = [shell, agent];
  asked = [];
  unread = 0;
  paneCount = 2;
  status = attached;
  listings = new Listings({
    panes: {
      read: () => unread,
      get ids() {
        return Array.from({ length: paneCount }, (_, index) => `%${index}`);
      },
    } as unknown as WatchedPanes,
    schedule: { has: (paneId) => paneId === '%2' },
    config: () => defaultConfig,
    link: {
      get status() {
        return status;
      },
      run: async (commands) => {
        asked.push(commands.map(kindOf).join('+'));
        return commands.map((): Reply => ({ ok: true, lines: cheapLines() }) as unknown as Reply);
      },
    },
  });
});

const WHOLE = 'cheap+listing+clients';
const CHEAP = 'cheap+clients';
const LISTING = 'listing+clients';

describe('a server that lists no pane where some were known', () => {
  it('may be about to end: only a second such listing counts', async () => {
    await listings.read(T0);
    rows = [];
    expect(await listings.read(T0 + 1_000)).toBeNull();
    expect(await listings.read(T0 + 2_000)).toMatchObject({ isWhole: true });
  });

  it('is listed as before once its panes are back', async () => {
    await listings.read(T0);
    rows = [];
    expect(await listings.read(T0 + 1_000)).toBeNull();
    rows = [shell, agent];
    expect(await listings.read(T0 + 2_000)).toMatchObject({ isWhole: true });
    rows = [];
    expect(await listings.read(T0 + 3_000)).toBeNull();
  });
});

describe('a server', () => {
  it('is listed whole at first, and cheaply while nothing changes', async () => {
    expect(await listings.read(T0)).toMatchObject({ isWhole: true });
    expect(await listings.read(T0 + 1_000)).toMatchObject({ isWhole: false, moved: [] });
    expect(asked).toEqual([WHOLE, CHEAP]);
  });

  it('is listed whole when the cheap listing shows more, and cheaply again then', async () => {
    await listings.read(T0);
    rows = [{ ...shell, pane_title: 'busy' }, agent];
    expect(await listings.read(T0 + 1_000)).toMatchObject({ isWhole: true });
    expect(await listings.read(T0 + 2_000)).toMatchObject({ isWhole: false, moved: [] });
    expect(asked).toEqual([WHOLE, CHEAP, LISTING, CHEAP]);
  });

  it('of very many panes is not listed whenever one has another title', async () => {
    paneCount = 1_000;
    await listings.read(T0);
    rows = [{ ...shell, pane_title: 'busy' }, agent];
    expect(await listings.read(T0 + 1_000)).toMatchObject({ isWhole: false, moved: ['%1'] });
    expect(await listings.read(T0 + 2_000)).toMatchObject({ isWhole: false, moved: [] });
    // It was not forgotten.
    expect(await listings.read(T0 + 4_100)).toMatchObject({ isWhole: true });
    expect(await listings.read(T0 + 8_200)).toMatchObject({ isWhole: false });
    rows = [{ ...shell, pane_pid: '12' }, agent];
    expect(await listings.read(T0 + 8_300)).toMatchObject({ isWhole: true });
  });

  it('is listed whole when asked, and now and then', async () => {
    await listings.read(T0);
    listings.ask();
    await listings.read(T0 + 1_000);
    await listings.read(T0 + 3_000);
    await listings.read(T0 + 7_000);
    expect(asked).toEqual([WHOLE, WHOLE, CHEAP, WHOLE]);
  });

  it('without a control client is listed whole every 2 s, or less often if large', async () => {
    status = { ...attached, sessionId: null, plain: 'socket' };
    for (const afterMs of [0, 1_000, 2_000]) await listings.read(T0 + afterMs);
    paneCount = 1_000;
    for (const afterMs of [4_000, 6_000]) await listings.read(T0 + afterMs);
    expect(asked).toEqual([WHOLE, CHEAP, WHOLE, CHEAP, WHOLE]);
  });

  it('is not taken for known while a row of it cannot be read', async () => {
    unread = 1;
    await listings.read(T0);
    await listings.read(T0 + 1_000);
    expect(asked).toEqual([WHOLE, WHOLE]);
  });

  it('needs no listing for agents that print, spin and count, and names them', async () => {
    await listings.read(T0);
    const working = { ...agent, cursor_x: '9', window_activity: `${SECOND + 1}` };
    rows = [shell, { ...working, pane_title: '⠙ mend roof 2' }];
    expect(await listings.read(T0 + 1_000)).toMatchObject({ isWhole: false, moved: ['%2'] });
    // It may have printed again in the second of the last listing.
    expect(await listings.read(T0 + 2_900)).toMatchObject({ isWhole: false, moved: ['%2'] });
    expect(await listings.read(T0 + 4_500)).toMatchObject({ isWhole: false, moved: [] });
  });

  it.each([
    ['the words of its title', { ...agent, pane_title: '⠋ paint roof 1' }],
    ['its process', { ...agent, pane_pid: '23' }],
    ['its life', { ...agent, pane_dead: '1' }],
    ['its exit status', { ...agent, pane_dead_status: '1' }],
    ['an option', { ...agent, '@agent_state': 'running' }],
  ])('is listed whole when of an agent %s differs', async (_, row) => {
    await listings.read(T0);
    rows = [shell, row];
    expect(await listings.read(T0 + 1_000)).toMatchObject({ isWhole: true });
  });

  it('is listed whole when a shell prints, but not when its neighbour does', async () => {
    await listings.read(T0);
    const beside = { ...shell, window_activity: `${SECOND + 1}` };
    rows = [beside, agent];
    expect(await listings.read(T0 + 1_000)).toMatchObject({ isWhole: false, moved: ['%1'] });
    rows = [{ ...beside, cursor_x: '9' }, agent];
    expect(await listings.read(T0 + 2_000)).toMatchObject({ isWhole: true });
  });

  it('is listed whole when a pane has come or gone', async () => {
    await listings.read(T0);
    rows = [agent];
    expect(await listings.read(T0 + 1_000)).toMatchObject({ isWhole: true });
  });
});
