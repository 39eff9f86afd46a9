// What the live view remembers: the file survives damage, other views and a failing disk.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultPreferences, preferencesText, readPreferences } from '../../src/tui/preferences.ts';
import { loadPreferences, savePreferences } from '../../src/tui/preferences-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'agtmux-preferences-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const other = {
  ...defaultPreferences,
  groupBy: 'folder',
  orderBy: 'age',
  collapsed: ['session\nlocal\n/tmp/s\nwork'],
  pinned: ['local/%1'],
  savedFilters: [{ text: 'prod', attentionOnly: true, agentsOnly: false }],
  isPreviewOn: false,
  areWorkersHidden: true,
} as const;

describe('preferences', () => {
  it('are the same after they were written and read', () => {
    expect(readPreferences(preferencesText(other))).toEqual(other);
  });

  it('are the defaults where the text is damaged, field by field', () => {
    expect(readPreferences('')).toEqual(defaultPreferences);
    expect(readPreferences('{"group_by":"colour","pinned":[1,"a"],"saved_filters":[{}]}')).toEqual({
      ...defaultPreferences,
      pinned: ['a'],
    });
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const read = readPreferences(text);
        expect(readPreferences(preferencesText(read))).toEqual(read);
      }),
    );
  });

  it('are bounded, and the oldest entries go first', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `key-${index}`);
    const read = readPreferences(preferencesText({ ...other, pinned: many, collapsed: many }));
    expect(read.pinned).toHaveLength(100);
    expect(read.pinned.at(-1)).toBe('key-999');
    expect(read.collapsed).toHaveLength(200);
  });
});

describe('the file of preferences', () => {
  it('keeps what another view has changed meanwhile, and leaves no temporary file', () => {
    const path = join(folder, 'state', 'tui.json');
    expect(savePreferences(path, { pinned: ['a'] })).toBeNull();
    expect(savePreferences(path, { groupBy: 'state' })).toBeNull();
    expect(loadPreferences(path)).toEqual({
      ...defaultPreferences,
      pinned: ['a'],
      groupBy: 'state',
    });
    expect(readdirSync(join(folder, 'state'))).toEqual(['tui.json']);
  });

  it('is whole or absent after a write that fails, and the reason is returned', () => {
    const path = join(folder, 'taken', 'tui.json');
    mkdirSync(path, { recursive: true });
    expect(savePreferences(path, { pinned: ['a'] })).toEqual(expect.any(String));
    expect(readdirSync(join(folder, 'taken'))).toEqual(['tui.json']);
    expect(loadPreferences(path)).toEqual(defaultPreferences);
  });

  it('that is torn gives the defaults, and the next change repairs it', () => {
    const path = join(folder, 'torn.json');
    writeFileSync(path, preferencesText(other).slice(0, 30));
    expect(loadPreferences(path)).toEqual(defaultPreferences);
    expect(savePreferences(path, { orderBy: 'name' })).toBeNull();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ order_by: 'name' });
  });
});
