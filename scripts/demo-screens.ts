// Makes src/demo/screens.json: the recorded screens that the demo's cast plays, taken unchanged
// from the corpus. Shared lines are stored once, ^[ replaces the escape byte, and the task in a
// title becomes the placeholder {task}. Run by `npm run docs`.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cast } from '../src/demo/cast.ts';
import { isMain, root } from './script-entry.ts';

interface Recorded {
  readonly agent_version: string;
  readonly capture_ansi: string;
  readonly pane_title: string;
  readonly cursor?: string;
}

/** The words for the work in recorded titles, by agent. */
const taskWords: readonly RegExp[] = [
  /(?<=^✳ )Claude Code$/,
  /projcx-a2$/,
  /(?<=\()proj(?=\)$)/,
  /^HELLO there(?= - GitHub Copilot$)/,
  /(?<=^OC \| )Fake title$/,
  /(?<=Qwen - )proj$/,
];

const titleOf = (recorded: string): string => {
  const title = recorded.trimEnd();
  const word = taskWords.find((each) => each.test(title));
  if (word === undefined) throw new Error(`no place for a task in the title "${title}"`);
  return title.replace(word, '{task}');
};

/** The text of screens.json. */
export function demoScreens(): string {
  const names = cast.flatMap(({ scenes }) => scenes.flatMap(({ screens }) => screens));
  const places = new Map<string, number>();
  const placeOf = (line: string): number => {
    const known = places.get(line);
    if (known !== undefined) return known;
    places.set(line, places.size);
    return places.size - 1;
  };
  const screens = [...new Set(names)].sort().map((name) => {
    const file = join(root, 'corpus', `${name}.json`);
    const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
    const lines = recorded.capture_ansi.trimEnd().replaceAll('\x1b', '^[').split('\n');
    const [x = '0', y = '0'] = (recorded.cursor ?? '').split(',');
    const screen = {
      version: recorded.agent_version,
      title: titleOf(recorded.pane_title),
      cursor: [Number(x), Number(y)],
      lines: lines.map(placeOf).join(' '),
    };
    return `    ${JSON.stringify(name)}: ${JSON.stringify(screen)}`;
  });
  const lines = [...places.keys()].map((line) => `    ${JSON.stringify(line)}`);
  const origin =
    'Recorded from the real programs against a made-up model server; corpus/README.md says how.' +
    ' Made by scripts/demo-screens.ts: do not edit.';
  return `{
  "origin": ${JSON.stringify(origin)},
  "screens": {
${screens.join(',\n')}
  },
  "lines": [
${lines.join(',\n')}
  ]
}
`;
}

if (isMain(import.meta.url)) writeFileSync(join(root, 'src/demo/screens.json'), demoScreens());
