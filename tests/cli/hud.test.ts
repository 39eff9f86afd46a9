// The text of the HUD, its file and the commands that open and close it, on any machine. What real
// tmux makes of them is in tests/daemon-live.

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  closeHudCommand,
  openHudCommand,
  readHudReplies,
} from '../../src/daemon/publishing/hud-commands.ts';
import { HudFile, HudSwitch } from '../../src/daemon/publishing/hud-file.ts';
import { hudFrame, hudLines } from '../../src/render/overview/hud-lines.ts';
import { textWidth } from '../../src/render/width.ts';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { NOW, paneItem, summaryOf } from './fixture.ts';

const view = { color: false, unicode: true, nowMs: Date.parse(NOW) };
const linesOf = (panes: readonly PaneItem[], columns: number, rows: number, color = false) => {
  const content = { summary: summaryOf(panes), panes, isDoubtful: false };
  return hudLines({ ...view, color }, content, { columns, rows });
};
const reply = (ok: boolean, lines: readonly string[]) =>
  ({ kind: 'reply', ok, number: 1, flags: 1, lines }) as const;

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-hud-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('the HUD has the counts, then each agent by its name, and says how many are left out', () => {
  const attention: PaneItem['attention'] = {
    ...{ kinds: ['approval'], since: NOW, requests: [], snoozed_until: null },
  };
  const panes = [
    paneItem({ state: 'waiting_approval', attention }),
    paneItem({ index: 1, alias: 'reviewer' }),
    paneItem({ index: 2 }),
    paneItem({ index: 3 }),
  ];
  const [head, ...lines] = linesOf(panes, 40, 4);
  expect(head).toMatch(/^agtmux 1! 3> +\d\d:\d\d$/);
  expect(lines).toEqual([
    '! claude 1m main:1.0 Fix the parser',
    '> claude 1m reviewer Fix the parser',
    '2 more',
  ]);
  expect(linesOf([], 40, 4)[1]).toBe('no agents');
});

test('whatever titles hold, the HUD has no more lines and no wider ones than its pane', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 80 }), { maxLength: 6 }),
      fc.integer({ min: 16, max: 60 }),
      fc.integer({ min: 3, max: 8 }),
      (titles, columns, rows) => {
        const panes = titles.map((title, index) => paneItem({ index, title, session: title }));
        const lines = linesOf(panes, columns, rows);
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) {
          expect(textWidth(line)).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        }
      },
    ),
  );
});

test('a picture of the HUD clears the last one first, and never scrolls', () => {
  const frame = hudFrame(['one', 'two']);
  expect(frame).toBe('\x1b[?25l\x1b[?7l\x1b[H\x1b[Jone\r\ntwo');
});

test('the file of the HUD grows by each new picture, begins anew in time, and is private', () => {
  using file = new HudFile(folderOf(), '/tmp/tmux.sock');
  const read = (): string => readFileSync(file.path, 'utf8');
  file.paint('first');
  file.paint('first');
  file.paint('second');
  expect(read()).toBe('firstsecond');
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  for (let count = 0; count < 10; count += 1) file.paint(`${count}`.repeat(100_000));
  expect(read().length).toBeLessThanOrEqual(262_144);
  file.restart();
  expect(read()).toBe('');
});

test('what a person has chosen for the HUD is kept, and a broken file chooses nothing', () => {
  const folder = folderOf();
  expect(new HudSwitch(folder).read()).toBeNull();
  new HudSwitch(folder).write(true);
  expect(new HudSwitch(folder).read()).toBe(true);
  new HudSwitch(folder).write(false);
  expect(new HudSwitch(folder).read()).toBe(false);
});

test('the HUD opens where a terminal was used last, never where a control client is', () => {
  const found = readHudReplies([
    reply(true, ['new-pane']),
    reply(true, ['0 0 %0 0 80 24', '1 1 %4 0 46 8', '1 1 %4 0 46 8', '1 0 %9 0 46 8', 'noise']),
    reply(true, ['1 99 @7 80 24', '0 10 @1 80 24', '0 20 @2 120 40']),
  ]);
  expect(found).toEqual({
    isSupported: true,
    panes: [{ paneId: '%4', isDead: false, columns: 46, rows: 8 }],
    window: { windowId: '@2', columns: 120, rows: 40 },
  });
  expect(readHudReplies([reply(false, []), reply(true, []), reply(true, [])])).toEqual({
    isSupported: false,
    panes: [],
    window: null,
  });
  // As tmux 3.3a says it.
  const old = readHudReplies([reply(true, []), reply(true, []), reply(true, ['0 20 @2 120 40'])]);
  expect(old?.isSupported).toBe(false);
  expect(readHudReplies([])).toBeNull();
});

test('the HUD opens without the focus, where there is room, and its paths are arguments', () => {
  const place = { columns: 48, rows: 10, file: "/tmp/it's $(x); y", daemonPid: 7 };
  const window = { windowId: '@2', columns: 120, rows: 40 };
  const command = openHudCommand(window, place) ?? [];
  expect(command.slice(0, 2)).toEqual(['new-pane', '-d']);
  expect(command.slice(-3)).toEqual(['agtmux-hud', place.file, '7']);
  expect(command.join(' ')).toContain('-t @2 -x 48 -y 10 -X 70 -Y 1 /bin/sh -c');
  expect(openHudCommand({ ...window, columns: 20 }, place)).toBeNull();
  expect(openHudCommand({ ...window, rows: 10 }, place)).toBeNull();
});

test('what closes the HUD does nothing to a pane that is none', () => {
  const [name, flag, , , condition, command] = closeHudCommand({ paneId: '%4' });
  expect([name, flag, command]).toEqual(['if-shell', '-F', 'kill-pane -t %4']);
  expect(condition).toContain('#{m:* agtmux-hud *,#{pane_start_command}}');
});
