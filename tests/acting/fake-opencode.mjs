// A stand-in for opencode, or for Kilo where it runs under that name: draws its input box and its
// dialogs as they were recorded, and writes down what was submitted or answered. A prompt
// "ask: COMMAND" opens a permission, "choose" a question. With `--port` it has a server on loopback
// that answers as the real one does; a third argument makes it misbehave: `deaf` takes a reply and
// does not answer, `other` answers the request otherwise in that moment, `locked` wants a password.

import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename } from 'node:path';

const [, , log, serves, way] = process.argv;
const isKilo = basename(process.argv0) === 'kilo';
const note = (what) => appendFileSync(log, `${JSON.stringify({ pid: process.pid, ...what })}\n`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the brackets of a paste.
const PASTE = /^\x1b\[200~(.*?)\x1b\[201~/s;
const SESSION = 'ses_1';
const databases = ['PostgreSQL', 'SQLite'];

const state = { draft: '', sent: [], at: 0, count: 0, request: null, page: null };

// ---- the screen ----

const MARKED = '\x1b[48;2;204;167;0m\x1b[38;2;12;10;9m';
const PLAIN = '\x1b[0m';
const bar = (text = '') => `  ┃  ${text}`;
const button = (label, at) => (state.at === at ? `${MARKED} ${label} ${PLAIN}` : ` ${label} `);

function dialog({ kind, command }) {
  if (state.page !== null) {
    return ['△ Reject permission', '', 'Tell Kilo what to do differently', state.page].map(bar);
  }
  if (kind === 'question') {
    const listed = databases.map((label, at) =>
      bar(state.at === at ? `${MARKED}${at + 1}. ${label}${PLAIN}` : `${at + 1}. ${label}`),
    );
    const own = bar(`${databases.length + 1}. Type your own answer`);
    return [bar(), bar('Which database?'), bar(), ...listed, own, bar()];
  }
  const row = ['Allow once', 'Allow always', 'Reject'].map(button).join(' ');
  return [
    bar('△ Permission required'),
    bar('  # Runs it'),
    bar(),
    bar(`$ ${command}`),
    bar(),
  ].concat(bar(), `  ┃ ${row}  ⇆ select  enter confirm`, bar());
}

function foot() {
  if (state.page !== null) return [bar(), bar('enter confirm  esc cancel'), bar()];
  if (state.request?.kind === 'question') {
    return [bar('↑↓ select  enter submit  esc dismiss'), bar()];
  }
  return [];
}

function rows() {
  const done = state.sent
    .slice(-3)
    .flatMap((text) => [
      bar(),
      bar(text),
      bar(),
      '',
      '     Done.',
      '',
      '     ▣  Build · Fake · 1.0s',
      '',
    ]);
  if (state.request) return [...done, ...dialog(state.request), ...foot()];
  const box = ['', bar(), bar(state.draft), bar(), bar('Build · Fake Model')];
  return [...done, ...box, `  ╹${'▀'.repeat(60)}`, '   tab agents  ctrl+p commands'];
}

const draw = () => process.stdout.write(`\x1b[?25l\x1b[H\x1b[2J${rows().join('\r\n')}`);

// ---- requests ----

function ask(kind, command) {
  state.count += 1;
  const id = `${kind === 'question' ? 'que' : 'per'}_${process.pid}_${state.count}`;
  Object.assign(state, { request: { id, kind, command }, at: 0, page: null });
  publish({ type: 'session.status', properties: { sessionID: SESSION, status: { type: 'busy' } } });
  publish({ type: `${kind}.asked`, properties: details(state.request) });
}

const details = ({ id, kind, command }) =>
  kind === 'question'
    ? {
        ...{ id, sessionID: SESSION },
        questions: [
          { question: 'Which database?', options: databases.map((label) => ({ label })) },
        ],
      }
    : { id, sessionID: SESSION, permission: 'bash', metadata: { command } };

/** Closes the request, however it was answered. */
function answer(reply, how, more = {}) {
  const { id, kind, command } = state.request;
  note({ chosen: reply, command, how, ...more });
  state.request = null;
  state.page = null;
  const answers = kind === 'question' ? { answers: [[reply]] } : { reply };
  publish({
    type: `${kind}.replied`,
    properties: { sessionID: SESSION, requestID: id, ...answers },
  });
  publish({ type: 'session.idle', properties: { sessionID: SESSION } });
  draw();
}

// ---- the keys ----

function submit() {
  const text = state.draft;
  state.draft = '';
  if (text === '') return;
  note({ submitted: text });
  state.sent.push(text);
  if (text.startsWith('ask: ')) ask('permission', text.slice(5));
  if (text === 'choose') ask('question');
}

function key(name) {
  if (state.page !== null) onPage(name);
  else if (state.request !== null) onDialog(state.request, name);
  else if (name === 'enter') submit();
  else if (name.length === 1) state.draft += name;
}

function onPage(name) {
  if (name === 'enter') answer('reject', 'keys', { message: state.page });
  else if (name.length === 1) state.page += name;
}

const steps = { left: -1, up: -1, right: 1, down: 1 };

function onDialog({ kind }, name) {
  if (name in steps) state.at = Math.min(2, Math.max(0, state.at + steps[name]));
  if (name !== 'enter') return;
  if (kind === 'question') answer(databases[state.at] ?? 'own', 'keys');
  else if (state.at === 2 && isKilo) state.page = '';
  else answer(['once', 'always', 'reject'][state.at], 'keys');
}

const keys = { '\x1b[A': 'up', '\x1b[B': 'down', '\x1b[C': 'right', '\x1b[D': 'left' };
Object.assign(keys, { '\x1bOA': 'up', '\x1bOB': 'down', '\x1bOC': 'right', '\x1bOD': 'left' });
Object.assign(keys, { '\r': 'enter', '\x1b': 'escape' });

function paste(text) {
  if (state.page !== null) state.page += text;
  else if (state.request === null) state.draft += text;
}

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  let input = chunk;
  while (input !== '') {
    const pasted = PASTE.exec(input);
    const found = Object.keys(keys).find((each) => input.startsWith(each));
    if (pasted) paste(pasted[1]);
    else key(found ? keys[found] : input[0]);
    input = input.slice(pasted?.[0].length ?? found?.length ?? 1);
  }
  draw();
});

// ---- the server ----

const streams = new Set();
function publish(event) {
  for (const stream of streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
}

const list = (kind) => (state.request?.kind === kind ? [details(state.request)] : []);
const replyPath = /^\/(permission|question)\/(\w+)\/reply$/;

const send = (response, status, value) => response.writeHead(status).end(JSON.stringify(value));

async function onReply(request, response, id) {
  let body = '';
  for await (const part of request) body += part;
  const { reply, message, answers } = JSON.parse(body);
  if (state.request?.id !== id) return send(response, 404, { name: 'NotFoundError' });
  if (way === 'deaf') return note({ heard: body });
  if (way === 'other') answer('reject', 'a person');
  else answer(reply ?? answers[0][0], 'server', message === undefined ? {} : { message });
  send(response, 200, true);
}

function onGet(url) {
  if (url === '/session/status') return state.request ? { [SESSION]: { type: 'busy' } } : {};
  if (url === '/permission') return list('permission');
  return url === '/question' ? list('question') : undefined;
}

function onRequest(request, response) {
  const { method, url } = request;
  const [, , id] = replyPath.exec(url) ?? [];
  if (way === 'locked') response.writeHead(401).end();
  else if (method === 'POST' && id) void onReply(request, response, id);
  else if (url === '/event') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    streams.add(response);
    response.on('close', () => streams.delete(response));
    publish({ type: 'server.connected', properties: {} });
  } else {
    const found = onGet(url);
    send(response, found === undefined ? 404 : 200, found ?? {});
  }
}
if (serves === '--port') createServer(onRequest).listen(0, '127.0.0.1');

process.on('SIGTERM', () => process.exit(0));
process.on('SIGINT', () => {});
process.stdout.write(`\x1b[?2004h\x1b]2;${isKilo ? 'Kilo CLI' : 'OpenCode'}\x1b\\`);
draw();
