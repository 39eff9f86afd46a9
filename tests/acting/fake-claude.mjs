// A stand-in for Claude Code in tests of actions: draws its input box and its dialogs, takes pastes
// in brackets, and writes down what was submitted or chosen. A prompt "ask" opens a dialog, "ask:
// COMMAND" one for that, "ask after N: COMMAND" one that opens again N ms after its answer, "work"
// begins a turn that only Esc ends, "work and ask" one in which Esc opens a dialog, "run LINE" runs
// it in another session; a second "only once" is lost, "slow" stays for 5 s. With an emitter it has
// hooks. By signal: USR1 opens a dialog, HUP puts another in its place that differs in one letter,
// USR2 stops reading and ends a second later, TERM ends at once.

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const log = process.argv[2];
/** Run as its hook, where it has one. */
const emitter = process.argv[3];
const DEAF_MS = 1_000;
const SLOW_MS = 5_000;
const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const options = ['Yes', "Yes, and don't ask again for touch commands", 'No'];

const state = {
  asked: null,
  /** After how long the same dialog opens again. */
  againMs: null,
  draft: '',
  sent: [],
  dialog: null,
  dialogCount: 0,
  openedAt: 0,
  isWorking: false,
};
/** What the dialog asks for: each one another letter. */
const command = () =>
  state.asked ?? `touch file ${'abcdefghijklmnopqrstuvwxyz'[state.dialogCount % 26]}`;

const note = (what) => appendFileSync(log, `${JSON.stringify({ pid: process.pid, ...what })}\n`);

function rows() {
  const cols = process.stdout.columns ?? 80;
  const rule = '─'.repeat(cols);
  const done = state.sent
    .slice(-4)
    .flatMap((text) => [`❯ ${text.split('\n').join('\r\n  ')}`, '', '● Done.', '']);
  if (state.dialog !== null) {
    const listed = options.map(
      (label, at) => ` ${at === state.dialog ? '❯' : ' '} ${at + 1}. ${label}`,
    );
    return [
      ...done,
      rule,
      ' Bash command',
      '',
      `   ${command()}`,
      '',
      ' Do you want to proceed?',
    ].concat(listed, ['', ' Esc to cancel · Tab to amend']);
  }
  const busy = state.isWorking ? ['✻ Working… (3s · esc to interrupt)', ''] : [];
  const draft = state.draft.split('\n').map((line, at) => (at === 0 ? `❯ ${line}` : `  ${line}`));
  return [...done, ...busy, rule, ...draft, rule, '  ? for shortcuts'];
}

const draw = () => process.stdout.write(`\x1b[?25l\x1b[H\x1b[2J${rows().join('\r\n')}`);

const hookArguments = ['--source', 'claude-hooks', '--agent', 'claude'];
const hookInput = (hook_event_name, more = {}) =>
  JSON.stringify({ session_id: `session-${process.pid}`, hook_event_name, ...more });
const hookEnv = { ...process.env, CLAUDE_PID: `${process.pid}` };

/** Waits for its hook, as Claude Code does. */
function hook(name, more) {
  if (emitter === undefined) return;
  spawnSync(emitter, hookArguments, { input: hookInput(name, more), env: hookEnv });
}

/** The one hook that Claude Code does not wait for: it draws the dialog meanwhile. */
function permissionHook() {
  if (emitter === undefined) return;
  const child = spawn(emitter, hookArguments, {
    ...{ env: hookEnv, stdio: ['pipe', 'ignore', 'ignore'] },
  });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  const asked = { tool_name: 'Bash', tool_input: { command: command() } };
  child.stdin.end(hookInput('PermissionRequest', asked));
}

function submit() {
  const text = state.draft;
  if (text === '') return;
  state.draft = '';
  if (text === 'only once' && state.sent.includes(text)) return;
  note({ submitted: text });
  state.sent.push(text);
  if (text.startsWith('run ')) spawn('setsid', ['sh', '-c', text.slice(4)], { stdio: 'ignore' });
  if (/^ask\b/.test(text)) state.dialog = 0;
  if (text.startsWith('ask: ')) state.asked = text.slice(5);
  const [, againMs, again] = /^ask after (\d+): (.*)/.exec(text) ?? [];
  if (again !== undefined) Object.assign(state, { asked: again, againMs: Number(againMs) });
  if (/^ask\b/.test(text)) {
    hook('UserPromptSubmit', { prompt: text });
    permissionHook();
  }
  if (text.startsWith('work')) state.isWorking = true;
}

function submitAndDraw() {
  submit();
  draw();
}

function stop() {
  if (state.isWorking && state.sent.at(-1) === 'work and ask') state.dialog = 0;
  state.isWorking = false;
}

function key(name) {
  if (state.dialog === null) {
    if (name === 'enter' && state.draft === 'slow') setTimeout(submitAndDraw, SLOW_MS);
    else if (name === 'enter') submit();
    else if (name === 'escape') stop();
    else state.draft += name;
    return;
  }
  if (name === 'up') state.dialog = Math.max(0, state.dialog - 1);
  if (name === 'down') state.dialog = Math.min(options.length - 1, state.dialog + 1);
  if (name === 'enter' || name === 'escape') answered(name);
}

function answered(name) {
  const chosen = name === 'enter' ? options[state.dialog] : 'escape';
  note({ chosen, command: command(), ageMs: performance.now() - state.openedAt });
  state.dialog = null;
  state.dialogCount += 1;
  if (state.againMs === null) hook('Stop');
  else setTimeout(askAgain, state.againMs);
  state.againMs = null;
}

function askAgain() {
  state.dialog = 0;
  state.openedAt = performance.now();
  permissionHook();
  draw();
}

const sequences = { '\x1b[A': 'up', '\x1b[B': 'down', '\x1bOA': 'up', '\x1bOB': 'down' };
const named = { '\r': 'enter', '\x1b': 'escape' };
let input = '';

/** Takes one paste or one key off the input; false when it is not whole yet. */
function readOne() {
  if (input.startsWith(PASTE_START)) {
    const end = input.indexOf(PASTE_END);
    if (end < 0) return false;
    // A dialog takes no paste.
    if (state.dialog === null) state.draft += input.slice(PASTE_START.length, end);
    input = input.slice(end + PASTE_END.length);
    return true;
  }
  const sequence = Object.keys(sequences).find((each) => input.startsWith(each));
  const first = input[0] ?? '';
  key(sequence ? sequences[sequence] : (named[first] ?? first));
  input = input.slice(sequence?.length ?? 1);
  return true;
}

function end() {
  process.stdout.write('\x1b[?2004l\x1b[?25h\x1b[H\x1b[2J');
  process.exit(0);
}

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  input += text;
  while (input !== '' && readOne());
  draw();
});
process.on('SIGUSR1', () => {
  state.dialog = 0;
  draw();
});
process.on('SIGHUP', () => {
  state.dialog = 0;
  state.openedAt = performance.now();
  state.dialogCount += 1;
  draw();
});
process.on('SIGUSR2', () => {
  process.stdin.pause();
  setTimeout(end, DEAF_MS);
});
process.on('SIGTERM', end);
process.on('SIGINT', () => {});
process.stdout.write('\x1b[?2004h\x1b]2;✳ Claude Code\x1b\\');
draw();
