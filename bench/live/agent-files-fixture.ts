// Files as Claude Code writes them: transcripts of many old sessions, one transcript of hundreds of
// megabytes, and the session files of running fake agents.

import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { FakePane } from './fake-panes.ts';
import type { Place } from './place.ts';

const MB = 1024 * 1024;
const FILES_EACH_FOLDER = 100;

const configOf = ({ env }: Place): string => join(env['HOME'] ?? '', '.claude');

/** The folder of sessions whose working directory is the place itself. */
export function projectOf(place: Place): string {
  const folder = join(configOf(place), 'projects', place.folder.replace(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** A line of a turn that goes on: a tool's call of about a kilobyte. */
export function toolLine(index: number): string {
  const input = { command: 'x'.repeat(900) };
  const content = [{ type: 'tool_use', id: `toolu_${index}`, name: 'Bash', input }];
  return `${JSON.stringify({
    type: 'assistant',
    isSidechain: false,
    uuid: `bench-${index}`,
    timestamp: new Date().toISOString(),
    message: { content, stop_reason: 'tool_use' },
  })}\n`;
}

const OLD = '-old-project-';

/** Transcripts of sessions that are over, a hundred to a folder, each of some lines. */
export function makeOldTranscripts(place: Place, count: number): void {
  const text = Array.from({ length: 8 }, (_, index) => toolLine(index)).join('');
  for (let made = 0; made < count; made += 1) {
    const name = `${OLD}${Math.floor(made / FILES_EACH_FOLDER)}`;
    const folder = join(configOf(place), 'projects', name);
    if (made % FILES_EACH_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `old-${made}.jsonl`), text);
  }
}

export function removeOldTranscripts(place: Place): void {
  const projects = join(configOf(place), 'projects');
  for (const name of readdirSync(projects).filter((each) => each.startsWith(OLD))) {
    rmSync(join(projects, name), { recursive: true });
  }
}

/** One turn without an end, so that the reader scans back as far as its limit allows. */
export function makeLargeTranscript(path: string, megabytes: number): void {
  const lines = Array.from({ length: 1_000 }, (_, index) => toolLine(index)).join('');
  const file = openSync(path, 'w');
  for (let written = 0; written < megabytes * MB; written += lines.length) writeSync(file, lines);
  closeSync(file);
}

export function growTranscript(path: string, first: number, lines: number): void {
  const text = Array.from({ length: lines }, (_, index) => toolLine(first + index)).join('');
  appendFileSync(path, text);
}

/** The session file of a fake, as the agent that it plays writes it. */
export function writeSession(
  place: Place,
  pane: FakePane,
  sessionId: string,
  status: string,
): void {
  const stat = readFileSync(`/proc/${pane.pid}/stat`, 'latin1');
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const folder = join(configOf(place), 'sessions');
  mkdirSync(folder, { recursive: true });
  const atMs = Date.now();
  const session = {
    pid: pane.pid,
    sessionId,
    cwd: place.folder,
    startedAt: atMs,
    procStart,
    version: '2.1.325',
    status,
    statusUpdatedAt: atMs,
  };
  writeFileSync(join(folder, `${pane.pid}.json`), JSON.stringify(session));
}
