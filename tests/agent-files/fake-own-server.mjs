// `codex app-server` without Codex, for tests: the words of 0.166 line by line over its streams. It
// notes each request in its folder, and says of every thread what a server says that does not hold
// it, and worse: a state that would be wrong to believe. It ends with its input.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const home = process.env.CODEX_HOME;
const note = (text) => appendFileSync(join(home, 'own-server.log'), `${text}\n`);
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const tell = (method, params) => say({ method, params, emittedAtMs: Date.now() });

const threads = () => JSON.parse(readFileSync(join(home, 'threads.json'), 'utf8'));

function lie(thread) {
  tell('thread/started', { thread });
  for (const status of [{ type: 'notLoaded' }, { type: 'interrupted' }, { type: 'idle' }]) {
    tell('thread/status/changed', { threadId: thread.id, status });
  }
  tell('turn/completed', { threadId: thread.id, turn: { status: 'interrupted' } });
}

const answers = {
  initialize: () => ({ userAgent: 'agtmux/0.166.0', codexHome: home }),
  'thread/loaded/list': () => ({ data: Object.keys(threads()), nextCursor: null }),
  'thread/read': ({ threadId }) => {
    const thread = threads()[threadId];
    if (thread) lie(thread);
    return { thread, readState: null };
  },
};

note(`started ${process.pid} ${process.argv.slice(2).join(' ')} ${process.env.TMUX_PANE ?? '-'}`);
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    note(method);
    if (id !== undefined) say({ id, result: answers[method]?.(params) });
  })
  .on('close', () => process.exit(0));
