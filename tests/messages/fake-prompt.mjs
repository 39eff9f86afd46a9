// A program that agtmux does not know: it has an input box of its own, takes pastes in brackets,
// and writes down every prompt that it got. It may draw without a rest, until SIGUSR2 ends that:
// `clock` draws something new each time, `redraw` what stands there already.

import { appendFileSync } from 'node:fs';

const [log = '', prompt = 'READY> ', footer = '', motion = 'still'] = process.argv.slice(2);
const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const DRAW_EVERY_MS = 100;

let draft = '';
let input = '';
let tick = 0;
let heard = [];

function draw() {
  const lastLine = draft.split('\n').at(-1) ?? '';
  const clock = motion === 'clock' ? [`clock ${tick}`] : [];
  const rows = [...heard, ...clock, '', `${prompt}${lastLine}`];
  const column = [...`${prompt}${lastLine}`].length + 1;
  const below = footer === '' ? '' : `\r\n\r\n${footer}`;
  const cursor = `\x1b[${rows.length};${column}H`;
  process.stdout.write(`\x1b[H\x1b[2J${rows.join('\r\n')}${below}${cursor}`);
}

function submit() {
  if (draft === '') return;
  appendFileSync(log, `${JSON.stringify({ pid: process.pid, submitted: draft })}\n`);
  heard = [...heard, ...draft.split('\n').slice(0, 2)].slice(-6);
  draft = '';
}

/** False where more has to come. */
function readOne() {
  if (input.startsWith(PASTE_START)) {
    const end = input.indexOf(PASTE_END);
    if (end < 0) return false;
    draft += input.slice(PASTE_START.length, end);
    input = input.slice(end + PASTE_END.length);
    return true;
  }
  const [first = ''] = input;
  if (first === '\r') submit();
  else if (first === '\x7f') draft = draft.slice(0, -1);
  else if (first >= ' ') draft += first;
  input = input.slice(first.length);
  return true;
}

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  input += text;
  while (input !== '' && readOne());
  draw();
});
process.stdout.write('\x1b[?2004h');
draw();
if (motion !== 'still') {
  const timer = setInterval(() => {
    tick += 1;
    if (motion === 'clock') draw();
    else process.stdout.write(`\r${prompt}`);
  }, DRAW_EVERY_MS);
  process.on('SIGUSR2', () => clearInterval(timer));
}
