// A stand-in for Claude Code that asks as the recorded dialogs do: `shell` (four options, "No" the
// last, Tab opens its field), `torn`, `plan`, `trust` (no digits, "No" is marked), `leave` (the
// same, and "No" ends it), `one` (a question), `many` (a question that takes several, with a
// review), `two` (two questions, then the review). What follows the name only tells prompts apart.
// A paste goes into the field that is open, and nowhere else. Each answer is written down.
// As in Gemini CLI an Enter right after a move of the mark is lost: the move ends what it began.

import { appendFileSync } from 'node:fs';

const log = process.argv[2];
const note = (what) => appendFileSync(log, `${JSON.stringify({ pid: process.pid, ...what })}\n`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the brackets of a paste.
const PASTE = /^\x1b\[200~(.*?)\x1b\[201~/s;
const PART_MS = 300;
const MOVE_MS = 90;
const OWN = 'Type something.';

const question = (asked, labels, isMany = false) => ({
  ...{ kind: 'question', asked, isMany, labels: [...labels, isMany ? 'Type something' : OWN] },
});
const dialogs = {
  shell: [
    {
      kind: 'shell',
      labels: ['Yes', 'Yes, and don’t ask again for: touch', 'Yes, and switch', 'No'],
    },
  ],
  // Drawn in two parts after each move of its mark.
  torn: [{ kind: 'shell', isTorn: true, labels: ['Yes', 'Yes, and switch', 'No'] }],
  plan: [
    { kind: 'plan', labels: ['Yes, and switch to default (ask each time) for this session', 'No'] },
  ],
  trust: [{ kind: 'trust', labels: ['No, exit', 'Yes, I trust this folder'] }],
  // As in Claude Code and Copilot, who is not trusted ends.
  leave: [{ kind: 'trust', isEnd: true, labels: ['No, exit', 'Yes, I trust this folder'] }],
  one: [question('Which database?', ['PostgreSQL', 'SQLite'])],
  many: [question('Which features?', ['Auth', 'Metrics', 'Cache'], true)],
  two: [
    question('Which database?', ['PostgreSQL', 'SQLite']),
    question('Which port?', ['80', '81']),
  ],
};
const review = { kind: 'review', labels: ['Submit answers', 'Cancel'] };

const state = {
  draft: '',
  isPart: false,
  sent: [],
  pages: [],
  at: 0,
  field: null,
  text: '',
  on: new Set(),
  answers: [],
  movedAtMs: 0,
};

function ask(name) {
  const pages = dialogs[name];
  if (!pages) return;
  const isReviewed = pages.length > 1 || pages[0].isMany;
  Object.assign(state, { pages: isReviewed ? [...pages, review] : pages, answers: [] });
  open();
}

function open() {
  const [page] = state.pages;
  Object.assign(state, { at: 0, field: null, text: '', on: new Set() });
  if (page?.kind === 'trust') state.at = 0;
}

const isOwn = (page) => page.kind === 'question' && !page.isMany && page.labels[state.at] === OWN;
const takesText = (page) => page !== undefined && (state.field === state.at || isOwn(page));

/** The label of an option as it is drawn. */
function labelOf(page, at) {
  const label = page.labels[at];
  if (state.at === at && isOwn(page) && state.text !== '') return state.text;
  if (state.field !== at) return label;
  return state.text === '' ? 'No, and tell Claude what to do differently' : `No, ${state.text}`;
}

function answer(what) {
  const [page] = state.pages;
  if (page.kind === 'review') {
    note({ chosen: what === 'Submit answers' ? state.answers.join('; ') : what });
  } else if (state.pages.length > 1) state.answers.push(what);
  else note({ chosen: what });
  if (page.isEnd && what === 'No, exit') process.exit(1);
  state.pages = state.pages.slice(1);
  open();
}

function key(name) {
  const [page] = state.pages;
  if (page !== undefined) onPage(page, name);
  else if (name === 'enter') submit();
  else if (name.length === 1) state.draft += name;
}

function onPage(page, name) {
  const last = page.labels.length - (page.isMany ? 0 : 1);
  if (name === 'enter' && performance.now() - state.movedAtMs < MOVE_MS) return;
  if (name === 'up' || name === 'down') state.movedAtMs = performance.now();
  if (name === 'up') state.at = Math.max(0, state.at - 1);
  else if (name === 'down') state.at = Math.min(last, state.at + 1);
  else if (name === 'escape') answer('escape');
  else if (page.isMany) onMany(page, name);
  else if (name === 'enter') answer(labelOf(page, state.at));
  else if (name === 'tab' && page.kind === 'shell') state.field = openField(page);
}

const openField = (page) => (page.labels[state.at] === 'No' ? state.at : null);

function onMany(page, name) {
  const label = page.labels[state.at];
  if (name === 'tab') answer(page.labels.filter((each) => state.on.has(each)).join(', '));
  else if (label !== undefined && (name === ' ' || name === 'enter')) toggle(label);
}

function toggle(label) {
  if (!state.on.delete(label)) state.on.add(label);
}

function submit() {
  const text = state.draft;
  state.draft = '';
  if (text === '') return;
  note({ submitted: text });
  state.sent.push(text);
  ask(text.split(' ', 1)[0]);
}

const rule = () => '─'.repeat(process.stdout.columns ?? 80);
const foot = ['', 'Enter to select · ↑/↓ to navigate · Esc to cancel'];

function options(page, indent) {
  return page.labels.map((_, at) => {
    const mark = state.at === at ? '❯' : ' ';
    const box = page.isMany ? `[${state.on.has(page.labels[at]) ? '✔' : ' '}] ` : '';
    return `${indent}${mark} ${at + 1}. ${box}${labelOf(page, at)}`;
  });
}

const bodies = {
  shell: (page) => [
    ...[
      rule(),
      ' Bash command',
      '',
      state.isPart ? '   tou' : '   touch file',
      '',
      ' Do you want to proceed?',
    ],
    ...[...options(page, ' '), '', ' Esc to cancel · Tab to amend'],
  ],
  plan: (page) => [
    ...[`  ${rule().slice(4)}`, '   Exit plan mode?', '', '    Claude wants to exit plan mode', ''],
    ...options(page, '    '),
  ],
  trust: (page) => [
    ...[rule(), ' Accessing workspace:', '', ' /home/dev/proj', ''],
    ...[' Quick safety check: Is this a project you created or one you trust?', ''],
    ...page.labels.map((label, at) => ` ${state.at === at ? '❯' : ' '} ${label}`),
    ...['', ' Enter to confirm · Esc to cancel'],
  ],
  question: (page) => [
    ...[rule(), ' ☐ Question', '', page.asked, '', ...options(page, '')],
    ...(page.isMany ? [`${state.at === page.labels.length ? '❯' : ' '}    Submit`] : []),
    ...[rule(), `  ${page.labels.length + 1}. Chat about this`, ...foot],
  ],
  review: (page) => [
    ...[rule(), '←  ☒ Question  ✔ Submit  →', '', 'Review your answers', ''],
    ...[' ● Asked', `   → ${state.answers.join(', ')}`, '', 'Ready to submit your answers?', ''],
    ...options(page, ''),
  ],
};

function draw() {
  const done = state.sent.slice(-2).flatMap((text) => [`❯ ${text}`, '', '● Done.', '']);
  const [page] = state.pages;
  const body = page
    ? bodies[page.kind](page)
    : [rule(), `❯ ${state.draft}`, rule(), '  ? for shortcuts'];
  process.stdout.write(`\x1b[?25l\x1b[H\x1b[2J${[...done, ...body].join('\r\n')}`);
}

function drawWhole() {
  state.isPart = false;
  draw();
}

const keys = { '\x1b[A': 'up', '\x1b[B': 'down', '\x1bOA': 'up', '\x1bOB': 'down', '\r': 'enter' };
Object.assign(keys, { '\t': 'tab', '\x1b': 'escape' });

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  let input = chunk;
  const before = state.pages[0];
  while (input !== '') {
    const pasted = PASTE.exec(input);
    const found = Object.keys(keys).find((each) => input.startsWith(each));
    const [page] = state.pages;
    if (pasted && page === undefined) state.draft += pasted[1];
    else if (pasted && takesText(page)) state.text += pasted[1];
    else if (!pasted) key(found ? keys[found] : input[0]);
    input = input.slice(pasted?.[0].length ?? found?.length ?? 1);
  }
  state.isPart = before?.isTorn === true && before === state.pages[0];
  draw();
  if (state.isPart) setTimeout(drawWhole, PART_MS);
});
process.stdout.write('\x1b[?2004h\x1b]2;✳ Claude Code\x1b\\');
draw();
