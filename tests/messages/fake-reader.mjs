// A stand-in for Claude Code that reads many messages: draws its input box, shows a long paste as
// its mark, works for a moment after each prompt, and writes down every prompt that it got. A file
// may name what it runs: `hook` when it starts, `answer` is its reply to every message by the line
// that the envelope names, `onPerson` for a message of a person instead, `notesInput` has it write
// down every byte that it is sent.

import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';

const log = process.argv[2];
const workMs = Number(process.argv[3] ?? 100);
const habits = process.argv[4] ? JSON.parse(readFileSync(process.argv[4], 'utf8')) : {};
const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** Claude Code shows three lines as they are. */
const SHOWN_LINES = 3;

let draft = '';
let mark = null;
let pasteCount = 0;
let isWorking = false;
let sent = [];
let input = '';

function draw() {
  const rule = '─'.repeat(process.stdout.columns ?? 80);
  const done = sent.slice(-2).flatMap((text) => [`❯ ${text.slice(0, 60)}`, '', '● Done.', '']);
  const busy = isWorking ? ['✻ Working… (3s · esc to interrupt)', ''] : [];
  const rows = [...done, ...busy, rule, `❯ ${mark ?? draft}`, rule, '  ? for shortcuts'];
  process.stdout.write(`\x1b[?25l\x1b[H\x1b[2J${rows.join('\r\n')}`);
}

const note = (what) => appendFileSync(log, `${JSON.stringify({ pid: process.pid, ...what })}\n`);

/** As a tool of an agent runs a command. */
function runTool(command) {
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      out += bytes;
    });
  }
  child.on('close', (code) => note({ ran: command, code, out }));
}

function react(prompt) {
  if (habits.onPerson && /^From: .*<operator:/m.test(prompt)) {
    runTool(habits.onPerson);
    return;
  }
  if (habits.answer === undefined) return;
  for (const [, line] of prompt.matchAll(/^Reply-With: (.*)$/gm)) {
    runTool(line.replace("'TEXT'", `'${habits.answer}'`));
  }
}

function submit() {
  if (draft === '') return;
  note({ submitted: draft });
  react(draft);
  const [first, second] = draft.split('\n');
  sent = [...sent, `${first} ${second ?? ''}`].slice(-2);
  draft = '';
  mark = null;
  isWorking = true;
  setTimeout(() => {
    isWorking = false;
    draw();
  }, workMs);
}

function readOne() {
  if (input.startsWith(PASTE_START)) {
    const end = input.indexOf(PASTE_END);
    if (end < 0) return false;
    draft += input.slice(PASTE_START.length, end);
    const lineCount = draft.split('\n').length;
    if (lineCount > SHOWN_LINES) {
      pasteCount += 1;
      mark = `[Pasted text #${pasteCount} +${lineCount - 1} lines]`;
    }
    input = input.slice(end + PASTE_END.length);
    return true;
  }
  const [first = ''] = input;
  if (first === '\r') submit();
  else if (first >= ' ') draft += first;
  input = input.slice(1);
  return true;
}

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  if (habits.notesInput) note({ input: text });
  input += text;
  while (input !== '' && readOne());
  draw();
});
process.on('SIGTERM', () => process.exit(0));
process.on('SIGINT', () => {});
process.stdout.write('\x1b[?2004h\x1b]2;✳ Claude Code\x1b\\');
draw();
if (habits.hook) runTool(habits.hook);
