// `npm run picture`: makes docs/picture.svg and docs/pictures/. It runs the demo in a private tmux,
// as a person would, and draws what the terminal shows: the live view at several widths on dark and
// light backgrounds, its inbox, and the sidebar beside an agent. Needs a build and tmux.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DemoTerminal } from './demo-terminal.ts';
import { isMain, root } from './script-entry.ts';
import { dark, light, type Theme } from './terminal-colour.ts';
import { renderPicture } from './terminal-svg.ts';

const COLUMNS = 104;
const ROWS = 30;
/** When a screen is taken, in seconds after the demo shows. The first has most states to see. */
const MOMENTS: readonly number[] = [8.5, 12.5, 16.5, 20.5];
const SECONDS_EACH = 4;
/** The sizes of the single pictures. */
const SIZES: readonly (readonly [columns: number, rows: number])[] = [
  [60, 24],
  [80, 26],
  [120, 32],
  [200, 34],
];
const SIDEBAR_SIZE = [120, 26] as const;
const INBOX_SIZE = [100, 26] as const;

const themes: Readonly<Record<string, Theme>> = { dark, light };

interface Shot {
  readonly file: string;
  readonly columns: number;
  readonly rows: number;
  readonly screens: readonly string[];
  readonly theme: Theme;
}

function write({ file, columns, rows, screens, theme }: Shot): void {
  const picture = { title: 'agtmux', columns, rows, screens, secondsEach: SECONDS_EACH, theme };
  writeFileSync(join(root, 'docs', file), renderPicture(picture));
  process.stdout.write(`docs/${file}\n`);
}

/** The animated picture of the README. */
async function takeStory(): Promise<void> {
  using demo = await DemoTerminal.open({ columns: COLUMNS, rows: ROWS, isLight: false });
  const screens: string[] = [];
  for (const moment of MOMENTS) {
    await demo.at(moment);
    screens.push(demo.screen());
  }
  await demo.quit();
  write({ file: 'picture.svg', columns: COLUMNS, rows: ROWS, screens, theme: dark });
}

/** One picture for each size, all of the same moment as nearly as can be. */
async function takeSizes(name: string, theme: Theme): Promise<void> {
  const [columns, rows] = SIZES[0] ?? [60, 24];
  using demo = await DemoTerminal.open({ columns, rows, isLight: theme === light });
  await demo.at(MOMENTS[0] ?? 0);
  for (const [width, height] of SIZES) {
    const screen = await demo.resized(width, height);
    const file = `pictures/live-view-${width}-${name}.svg`;
    write({ file, columns: width, rows: height, screens: [screen], theme });
  }
  const [screen = ''] = await demo.inbox([INBOX_SIZE]);
  const [width, height] = INBOX_SIZE;
  const file = `pictures/inbox-${name}.svg`;
  write({ file, columns: width, rows: height, screens: [screen], theme });
  await takeSidebar(demo, name, theme);
  await demo.quit();
}

/** The sidebar in a window of the demo's own tmux, as an attached client shows it. */
async function takeSidebar(demo: DemoTerminal, name: string, theme: Theme): Promise<void> {
  const [columns, rows] = SIDEBAR_SIZE;
  const screen = await demo.sidebar(columns, rows);
  write({ file: `pictures/sidebar-${name}.svg`, columns, rows, screens: [screen], theme });
}

async function main(): Promise<void> {
  mkdirSync(join(root, 'docs', 'pictures'), { recursive: true });
  const only = process.argv.slice(2);
  const isWanted = (name: string): boolean => only.length === 0 || only.includes(name);
  if (isWanted('story')) await takeStory();
  for (const [name, theme] of Object.entries(themes)) {
    if (isWanted(name)) await takeSizes(name, theme);
  }
}

if (isMain(import.meta.url)) await main();
