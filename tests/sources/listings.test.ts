// When a server is listed whole and when a glance is enough.

import { beforeEach, describe, expect, it } from 'vitest';
import { Listings } from '../../src/sources/listings.ts';
import type { WatchedPanes } from '../../src/sources/watched-panes.ts';
import { glanceCommand, listingCommand } from '../../src/tmux/listing.ts';
import type { Reply } from '../../src/tmux-wire/control-parser.ts';

const T0 = 1_700_000_000_000;
const kindOf = (command: readonly string[]): string => {
  const format = command.at(-1);
  if (format === listingCommand().at(-1)) return 'listing';
  return format === glanceCommand().at(-1) ? 'glance' : 'clients';
};

let title = 'quiet';
let asked: string[] = [];
let unread = 0;
let listings: Listings;

beforeEach(() => {
  title = 'quiet';
  asked = [];
  unread = 0;
  listings = new Listings({
    panes: { read: () => unread } as unknown as WatchedPanes,
    run: async (commands) => {
      asked.push(commands.map(kindOf).join('+'));
      return commands.map((): Reply => ({ ok: true, lines: [title] }) as unknown as Reply);
    },
  });
});

const WHOLE = 'glance+listing+clients';
const GLANCE = 'glance+clients';
const IN_VAIN = 'listing+clients';

describe('a server', () => {
  it('is listed whole at first, and glanced at while nothing changes', async () => {
    expect(await listings.read(T0, true)).toMatchObject({ isWhole: true });
    expect(await listings.read(T0 + 1_000, true)).toMatchObject({ isWhole: false });
    expect(asked).toEqual([WHOLE, GLANCE]);
  });

  it('is listed at once when the glance differs, and whole for a while then', async () => {
    await listings.read(T0, true);
    title = 'busy';
    expect(await listings.read(T0 + 1_000, true)).toMatchObject({ isWhole: true });
    await listings.read(T0 + 2_000, true);
    await listings.read(T0 + 11_000, true);
    await listings.read(T0 + 12_000, true);
    expect(asked).toEqual([WHOLE, GLANCE, IN_VAIN, IN_VAIN, WHOLE, GLANCE]);
  });

  it('is listed whole when asked, where output is not heard, and now and then', async () => {
    await listings.read(T0, true);
    listings.ask();
    await listings.read(T0 + 1_000, true);
    await listings.read(T0 + 2_000, false);
    await listings.read(T0 + 3_000, true);
    await listings.read(T0 + 7_000, true);
    expect(asked).toEqual([WHOLE, WHOLE, WHOLE, GLANCE, WHOLE]);
  });

  it('is not taken for known while a row of it cannot be read', async () => {
    unread = 1;
    await listings.read(T0, true);
    await listings.read(T0 + 1_000, true);
    expect(asked).toEqual([WHOLE, WHOLE]);
  });
});
