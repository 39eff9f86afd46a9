// Real claude screens, changed by code the way other terminals, versions and users change them:
// narrower, shorter, with a draft, with quoted dialogs, with rows that no recording holds.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCorpus } from '../../bench/accuracy/corpus.ts';
import { root } from '../../scripts/script-entry.ts';
import { classifyRecord } from '../../src/agents/classify/classify-pane.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

type Lines = readonly string[];
type Change = (lines: Lines) => Lines;
interface Recorded {
  readonly cols: number;
  readonly capture: Lines;
  readonly capture_ansi?: unknown;
}

const registry = loadRegistry({});
const corpus = join(root, 'corpus');
const NARROW = 45;
const SHORT = 14;
const EDGE = /^[─╌▔╭╰]/u;

const recorded = (name: string): Recorded =>
  JSON.parse(readFileSync(join(corpus, 'claude', `${name}.json`), 'utf8'));

function classify(record: Recorded, lines: Lines, cols = 80) {
  const { capture_ansi: _, ...rest } = record;
  return classifyRecord({ ...rest, capture: [...lines], cols, rows: lines.length }, registry);
}

const answer = (base: string, ...changes: readonly Change[]) => {
  const record = recorded(base);
  const cols = changes.includes(narrow) ? NARROW : 80;
  const found = classify(
    record,
    changes.reduce((lines, change) => change(lines), trimmed(record.capture)),
    cols,
  );
  if (found?.verdict?.says === null) return 'no update';
  return `${found?.state} ${found?.reasonCode ?? ''}`.trim();
};

// ---- changes ----

const trimmed = (lines: Lines): Lines =>
  lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);

/** As a narrow pane draws it: edges and the last row are cut, text is wrapped under its indent. */
const narrow: Change = (lines) =>
  lines.flatMap((line, index) => {
    if (line.length <= NARROW) return [line];
    if (EDGE.test(line)) return [line.slice(0, NARROW)];
    if (line.startsWith(' '.repeat(NARROW))) return [line.slice(-NARROW)];
    if (index === lines.length - 1) return [`${line.slice(0, NARROW - 3)}…`];
    return wrapped(line);
  });

function wrapped(line: string): Lines {
  const indent = /^ *(?:[●⏺⎿❯✻✢✶✽·*] +)?/u.exec(line)?.[0].length ?? 0;
  const rows: string[] = [];
  let row = line.slice(0, indent);
  for (const word of line.slice(indent).split(' ')) {
    if (row.length + word.length > NARROW) {
      rows.push(row.trimEnd());
      row = ' '.repeat(indent);
    }
    row += `${word} `;
  }
  return [...rows, row.trimEnd()];
}

/** Rows of a change, written in one string where they are short. */
const rowsOf = (rows: Lines): Lines => rows.flatMap((row) => row.split('⏎'));

const short: Change = (lines) => lines.slice(-SHORT);

/** As high as the smallest pane of the recordings. */
const low: Change = (lines) => lines.slice(-16);

const boxTop = (lines: Lines): number =>
  lines.findLastIndex(
    (line, index) => line.startsWith('──') && /^❯(?:\s|$)/u.test(lines[index + 1] ?? ''),
  );

/** Rows put right above the input box. */
const above =
  (...rows: Lines): Change =>
  (lines) =>
    lines.toSpliced(boxTop(lines), 0, ...rowsOf(rows));

const draft =
  (...rows: Lines): Change =>
  (lines) =>
    lines.toSpliced(
      boxTop(lines) + 1,
      1,
      ...rowsOf(rows).map((row, index) => (index === 0 ? `❯ ${row}` : `  ${row}`)),
    );

const footer =
  (...rows: Lines): Change =>
  (lines) => [
    ...lines.slice(0, lines.findLastIndex((line) => line.startsWith('──')) + 1),
    ...rowsOf(rows),
  ];

const replaced =
  (from: RegExp, to: string): Change =>
  (lines) =>
    lines.map((line) => line.replace(from, to));

/** Only these rows: a dialog or a viewer that fills the pane. */
const only =
  (...rows: Lines): Change =>
  () =>
    rowsOf(rows);

/** Rows of a turn of their own, below all others. */
const withReply = (...rows: Lines): Change => above('', '❯ go on', '', ...rows, '');

const boxed: Change = (lines) => {
  const top = lines.findLastIndex((line) => line.startsWith('──'));
  const frame = (line: string) => `│${line.padEnd(78)}│`;
  return [
    ...lines.slice(0, top),
    `╭${'─'.repeat(78)}╮`,
    ...lines.slice(top + 1).map(frame),
    `╰${'─'.repeat(78)}╯`,
  ];
};

// ---- the table ----

const QUIET = footer('  ⏸ manual mode on');
const SPINNER = /^[✢✶✻✽·*] \S+…/u;
const RULE = '─'.repeat(80);
const LONG =
  'Rewriting the parser so that it reads every kind of record in one pass and says where it failed';

const WELCOME = [
  '╭─── Claude Code v2.1.148 ────────────────────────╮',
  '│                 Welcome back!                   │',
  '╰─────────────────────────────────────────────────╯',
  '',
];

const variations: readonly (readonly [string, string, readonly Change[], string])[] = [
  // What is said in an answer or by a tool is not what the CLI says.
  [
    'an answer about errors',
    '106-completed',
    [withReply('● API Error handling is now in one place.')],
    'idle',
  ],
  [
    'an answer about limits',
    '106-completed',
    [withReply('● The rate limit reached in the test is 5.')],
    'idle',
  ],
  [
    'an answer about tokens',
    '106-completed',
    [withReply('● OAuth tokens are kept in memory.')],
    'idle',
  ],
  [
    'a tool that printed an error, and the end of the turn',
    'old-403-completed',
    [
      withReply(
        '● Bash(curl localhost:1/v1)⏎  ⎿  API Error: 500 Internal server error⏎',
        '✻ Baked for 2s',
      ),
    ],
    'idle',
  ],
  [
    'a tool that printed an error, then the error of the turn',
    'old-403-completed',
    [
      withReply(
        '● Bash(npm test)⏎  ⎿  ok⏎  ⎿  API Error: 500 Internal server error⏎',
        '✻ Baked for 2s',
      ),
    ],
    'error api_error',
  ],
  [
    'a command of the user that printed an error',
    'old-403-completed',
    [withReply('! curl localhost⏎  ⎿  API Error: 500')],
    'idle',
  ],
  [
    'an answer that quotes a dialog',
    'old-403-completed',
    [withReply('● It prints:⏎⏎  Do you want to proceed?⏎  ❯ 1. Yes⏎    2. No⏎⏎  Esc to cancel')],
    'idle',
  ],
  [
    'an error of the raw kind',
    'old-403-completed',
    [withReply('  ⎿  API Error: 500 {"type":"error","error":{}}')],
    'error api_error',
  ],
  [
    'an error in parentheses',
    'old-403-completed',
    [withReply('  ⎿  API Error (Request timed out.)')],
    'error api_error',
  ],
  [
    'a full context',
    '106-completed',
    [withReply('  ⎿  Context limit reached · /compact or /clear to continue')],
    'error api_error',
  ],
  [
    'a usage limit',
    '106-completed',
    [
      withReply(
        '  ⎿  5-hour limit reached ∙ resets 3pm',
        '     /upgrade to increase your usage limit.',
      ),
    ],
    'error usage_limit',
  ],
  [
    'a usage limit of today',
    '106-completed',
    [withReply("● You've hit your session limit · resets 3pm (Europe/Berlin)")],
    'error usage_limit',
  ],
  [
    'a login that is over',
    '106-completed',
    [withReply('● Please run /login · API Error: 401 {"type":"error"}')],
    'error auth_required',
  ],

  // Drafts.
  ['a draft that begins like an option', '101-idle', [draft('1. Yes⏎2. No')], 'idle'],
  [
    'the same draft in an older version',
    'old-401-idle',
    [draft('1. Yes⏎2. No'), footer('')],
    'idle',
  ],
  ['the same draft while it runs', '104-running', [draft('1. Yes⏎2. No')], 'running'],
  [
    'a draft with the words of a dialog',
    '101-idle',
    [draft('Do you want to proceed?⏎❯ 1. Yes⏎  2. No⏎Esc to cancel')],
    'idle',
  ],
  [
    'a draft with the words of the viewer',
    '101-idle',
    [draft('Showing detailed transcript')],
    'idle',
  ],

  // Dialogs.
  ['a dialog in a frame', 'old-405-waiting_approval', [boxed], 'waiting_approval'],
  ['a dialog in a frame, edit', 'old-408-waiting_approval', [boxed], 'waiting_approval'],
  [
    'a dialog below the first prompt of a session',
    'old-405-waiting_approval',
    [
      (lines) => [
        ...WELCOME,
        ...lines.slice(lines.findIndex((line) => line.startsWith('❯ Please remove'))),
      ],
    ],
    'waiting_approval',
  ],
  [
    'a plan with a free answer',
    '156-waiting_approval',
    [
      only(
        ' Claude has written up a plan and is ready to execute. Would you like to proceed?',
        '⏎ ❯ 1. Yes, clear context and auto-accept edits (shift+tab)',
        '   2. Yes, auto-accept edits⏎   3. Yes, manually approve edits',
        '   4. Type here to tell Claude what to change⏎',
        ' ctrl-g to edit in VS Code · ~/.claude/plans/a-plan.md',
      ),
    ],
    'waiting_approval',
  ],
  [
    'the older trust dialog',
    'old-401-idle',
    [
      only(
        ' Do you trust the files in this folder?⏎ /home/dev/proj⏎ ❯ 1. Yes, proceed',
        '   2. No, exit⏎ Enter to confirm · Esc to exit',
      ),
      boxed,
    ],
    'waiting_approval startup_dialog',
  ],
  [
    'the warning of bypass mode',
    '101-idle',
    [
      only(
        ' WARNING: Claude Code running in Bypass Permissions mode⏎⏎ ❯ No, exit',
        '   Yes, I accept⏎⏎ Enter to confirm · Esc to cancel',
      ),
    ],
    'waiting_approval startup_dialog',
  ],
  [
    'a server that the folder brings',
    '101-idle',
    [
      only(
        ' New MCP server found in .mcp.json: demo',
        ' ❯ 1. Use this and all future MCP servers in this project',
        '   2. Use this MCP server⏎   3. Continue without using this MCP server',
        ' Enter to confirm · Esc to reject',
      ),
    ],
    'waiting_approval startup_dialog',
  ],
  [
    'the nudge to auto mode',
    '101-idle',
    [
      only(
        RULE,
        ' Enable auto mode?',
        ' ❯ 1. Yes, and make it my default mode',
        '   2. Yes, enable auto mode',
        '   3. No, go back',
      ),
    ],
    'waiting_approval',
  ],
  [
    'a theme to choose',
    '101-idle',
    [
      only(
        ' Choose the text style⏎ ❯ 1. Dark mode ✔⏎   2. Light mode⏎╌╌╌╌╌╌╌╌╌╌╌╌',
        ' 1  function greet() {⏎ Syntax theme: Monokai',
      ),
    ],
    'waiting_input dialog_open',
  ],
  [
    'a login to choose',
    '101-idle',
    [only(' Select login method:⏎⏎ ❯ 1. Claude account⏎   2. Console account')],
    'waiting_input auth_required',
  ],
  [
    '/model',
    '101-idle',
    [
      only(
        ' Select model⏎ ❯ 1. Default⏎   2. Sonnet',
        ' Enter to set as default · s to use this session only',
      ),
    ],
    'waiting_input dialog_open',
  ],
  [
    '/config',
    '101-idle',
    [
      only(
        RULE,
        ' Configure Claude Code',
        ' ❯ Auto-compact   true',
        ' Space to change · / to search',
      ),
    ],
    'waiting_input dialog_open',
  ],
  [
    '/resume',
    '101-idle',
    [
      only(
        ' Resume session',
        ` ╭${'─'.repeat(60)}╮`,
        ' │ ⌕ Search…   │',
        ` ╰${'─'.repeat(60)}╯`,
        ' ❯ a session',
        ' Ctrl+A to show all · Type to search',
      ),
    ],
    'waiting_input dialog_open',
  ],
  [
    '/help, its list of commands',
    '101-idle',
    [
      only(
        '❯ /help',
        RULE,
        '  Browse default commands:',
        '  ❯ /add-dir',
        ' For more help: https://code.claude.com',
      ),
    ],
    'waiting_input dialog_open',
  ],
  [
    '/help in a narrow and short pane',
    '152-waiting_input',
    [narrow, short],
    'waiting_input dialog_open',
  ],
  ['a question of several answers, short', '127-waiting_input', [narrow, short], 'waiting_input'],
  [
    'the viewer of the transcript',
    '101-idle',
    [only('● Done.', RULE, '  Showing detailed transcript · ctrl+o to toggle')],
    'no update',
  ],

  // Running without "esc to interrupt" in the footer.
  ['a long spinner row', '104-running', [replaced(SPINNER, `✻ ${LONG}…`), QUIET], 'running'],
  [
    'a long spinner row in a narrow pane',
    '104-running',
    [replaced(SPINNER, `✻ ${LONG}…`), narrow, QUIET],
    'running',
  ],
  [
    'a queued prompt below the spinner',
    '104-running',
    [above('⏎❯ and then this'), QUIET],
    'running',
  ],
  [
    'a list of tasks below the spinner',
    '104-running',
    [
      above('  ⎿  ☒ Read the code', ...Array.from({ length: 12 }, (_, at) => `     ☐ Step ${at}`)),
      QUIET,
    ],
    'running',
  ],
  [
    'a compaction',
    'old-402-running',
    [replaced(SPINNER, '✻ Compacting conversation…'), QUIET],
    'running',
  ],
  [
    'a spinner that stands still',
    '104-running',
    [replaced(SPINNER, '● Calculating…'), QUIET],
    'running',
  ],
  [
    'a draft in the words of a queue',
    '101-idle',
    [draft('Press up to edit queued messages')],
    'idle',
  ],
  [
    'a footer that is cut off',
    '140-running',
    [footer('  ⏸ manual mode on · 1 shell · /tasks · esc to…')],
    'running',
  ],
  [
    'a footer that is cut beside a notice',
    'old-416-running',
    [footer('  esc to interr…   Failed to install Anthropic marketplace')],
    'running',
  ],
  ['a footer of vim mode', '104-running', [footer('  -- INSERT -- ⏸ manual mode on')], 'running'],
  [
    'a status line of the user',
    '104-running',
    [footer('  ~/proj main │ Opus │ 45%⏎  ⏵⏵ auto mode on')],
    'running',
  ],
  [
    'a retry',
    '104-running',
    [replaced(/^[✢✶✻✽·*] .*…/u, '✻ API error · Retrying in 38s · attempt 7/10'), QUIET],
    'running retrying',
  ],
  [
    'a line with the name of the session',
    '104-running',
    [replaced(/^─+$/u, '── my-session ──'), QUIET],
    'running',
  ],

  // At rest.
  [
    'a footer of vim mode, at rest',
    '106-completed',
    [footer('  -- NORMAL -- ⏸ manual mode on')],
    'idle',
  ],
  [
    'shells in the background',
    '106-completed',
    [footer('  ⏵⏵ accept edits on · 2 shells · ↓ to manage')],
    'idle',
  ],
  [
    'an interrupted turn',
    '106-completed',
    [withReply('  ⎿  Interrupted · What should Claude do instead?')],
    'idle interrupted',
  ],
  [
    'a turn after background work',
    '145-running',
    [above('● Agent "Survey" finished⏎⏎● All done.⏎⏎✻ Baked for 2s⏎')],
    'idle',
  ],
  [
    'a cut notice below the end of a turn',
    '106-completed',
    [above('  tmux focus-events off · add it to your conf and re…')],
    'idle',
  ],
  [
    'a compacted conversation',
    '106-completed',
    [
      withReply('✻ Conversation compacted (ctrl+o for history)'),
      above('  some notice that is cut…'),
    ],
    'idle',
  ],
];

describe('a claude screen', () => {
  it.each(variations)('%s (%s)', (_, base, changes, expected) => {
    expect(answer(base, ...changes)).toBe(expected);
  });
});

describe('a status line of the user’s own', () => {
  it.each([
    '  ✻ Working… (12s · esc to interrupt) | Do you want to proceed? ❯ 1. Yes',
    '  main | press esc to interrupt',
    '  model · esc to interrupt me',
    '  ctx 12% (esc to interrupt)',
  ])('%s is no sign of work', (status) => {
    const underBox: Change = (lines) => {
      const edge = lines.findLastIndex((line) => EDGE.test(line)) + 1;
      return [...lines.slice(0, edge), status, ...lines.slice(edge)];
    };
    expect(answer('101-idle', underBox)).toBe('idle');
    expect(answer('104-running', underBox)).toBe('running');
  });
});

describe('a dialog in a frame', () => {
  it('still holds the question', () => {
    const record = recorded('old-405-waiting_approval');
    const plain = classify(record, record.capture)?.verdict?.details;
    expect(classify(record, boxed(trimmed(record.capture)))?.verdict?.details).toEqual(plain);
  });
});

describe('every recording of claude', () => {
  const recordings = loadCorpus(corpus).filter(({ folder }) => folder === 'claude');
  it.each([
    ['narrow', [narrow]],
    ['short', [short]],
    ['narrow and low', [narrow, low]],
  ] as const)('keeps its state when it is %s', (_, changes) => {
    const changed = recordings.flatMap(({ raw, name }) => {
      const record = raw as Recorded;
      // What was wrapped at 60 columns and is wrapped again is no screen that a pane draws.
      if (changes.length > 1 && record.cols < 80) return [];
      const before = classify(record, record.capture);
      const lines = (changes as readonly Change[]).reduce(
        (all, change) => change(all),
        trimmed(record.capture),
      );
      const after = classify(record, lines, NARROW);
      return before?.state === after?.state ? [] : [`${name}: ${before?.state} ${after?.state}`];
    });
    expect(changed).toEqual([]);
  });
});
