// A stand-in for Claude Code in tests of resume: keeps a session file as the real one does, and
// writes its arguments and its folder into a log in its home. TERM ends it.

import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { pid } = process;
const home = join(process.env.HOME, '.claude');
const args = process.argv.slice(2);
const at = args.indexOf('--resume');
const sessionId = (at < 0 ? process.env.SESSION : args[at + 1]) ?? randomUUID();
const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
const file = join(home, 'sessions', `${pid}.json`);

mkdirSync(join(home, 'sessions'), { recursive: true });
const cwd = process.cwd();
const times = { startedAt: Date.now(), updatedAt: Date.now(), statusUpdatedAt: Date.now() };
const facts = { pid, sessionId, cwd, procStart, kind: 'interactive', status: 'idle', ...times };
writeFileSync(file, JSON.stringify({ ...facts, version: '2.1.325', name: 'proj' }));
appendFileSync(join(home, 'starts'), `${JSON.stringify({ args, cwd })}\n`);
process.on('SIGTERM', () => {
  rmSync(file);
  process.exit(0);
});
process.stdout.write('\x1b]2;✳ Claude Code\x1b\\❯ \n');
setInterval(() => {}, 60_000);
