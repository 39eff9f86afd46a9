// The databases of opencode and Kilo as transcripts: rows that the real agents wrote, in a real
// database that a writer has open, and databases that are not what they should be.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { ConversationReader } from '../../src/agent-files/conversations/conversation-reader.ts';
import { LocalFiles } from '../../src/agent-files/files/local-files.ts';
import { SessionRecords } from '../../src/agent-files/session-bus/session-records.ts';
import { conversationParsers } from '../../src/agents/conversation-parsers.ts';
import { id, type SessionKey } from '../../src/schema/ids.ts';
import { makeFolder } from '../sources/fixture.ts';
import { AgentFilesStage, startProcess } from './agent-files-stage.ts';

/** As the agents make them, with what is read of them. */
const schema = `
  CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
  CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text);
  CREATE TABLE event (id integer PRIMARY KEY, aggregate_id text, seq integer, type text, data text);
  CREATE UNIQUE INDEX event_aggregate_seq_idx ON event (aggregate_id, seq);`;

type Row = Readonly<Record<string, string | number>> & { readonly table: string };

interface Part {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** A database that its agent has open. */
class Sessions {
  readonly path: string;
  readonly db: DatabaseSync;

  constructor(name = 'opencode.db') {
    this.path = join(makeFolder(), name);
    this.db = new DatabaseSync(this.path);
    this.db.exec(`PRAGMA journal_mode = WAL; ${schema}`);
    onTestFinished(() => {
      if (this.db.isOpen) this.db.close();
    });
  }

  put({ table, ...row }: Row): void {
    const names = Object.keys(row);
    const marks = names.map(() => '?').join(', ');
    this.db
      .prepare(`INSERT OR REPLACE INTO ${table} (${names.join(', ')}) VALUES (${marks})`)
      .run(...Object.values(row));
  }

  message(messageId: string, role: string, time: object, at: number): void {
    const data = JSON.stringify({ role, time });
    this.put({ table: 'message', id: messageId, session_id: SESSION, time_created: at, data });
  }

  /** A part as it is now, and the event that says so. */
  part(seq: number, messageId: string, part: Part): void {
    const row = { id: part.id, message_id: messageId, session_id: SESSION };
    this.put({ table: 'part', ...row, data: JSON.stringify(part) });
    const data = JSON.stringify({ part: { ...part, messageID: messageId } });
    const type = 'message.part.updated.1';
    this.put({ table: 'event', aggregate_id: SESSION, seq, type, data });
  }

  reader(session = SESSION, agent = 'opencode'): ConversationReader {
    const parse = conversationParsers[agent];
    if (!parse) throw new Error(agent);
    return new ConversationReader(
      new SessionRecords(new LocalFiles(), this.path, session),
      parse,
      session,
    );
  }
}

const SESSION = 'ses_0000000000000001';

const kindsOf = async (reader: ConversationReader): Promise<readonly string[]> =>
  (await reader.next(500, reader.start)).entries.map(({ draft }) =>
    'text' in draft && draft.text !== '' ? `${draft.kind} ${draft.text}` : draft.kind,
  );

describe.each(['opencode', 'kilo'])('a talk with %s', (agent) => {
  const file = join(root, 'tests/fixtures/conversations', `${agent}.jsonl`);
  const rows = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
  const session = String(rows.find(({ table }) => table === 'event')?.['aggregate_id']);

  it('has everything once and in order, from the start and from the end', async () => {
    const sessions = new Sessions(`${agent}.db`);
    for (const row of rows) sessions.put(row);
    const reader = sessions.reader(session, agent);
    const { entries } = await reader.next(500, reader.start);
    const story = entries.flatMap(({ draft }) => {
      if (draft.kind === 'tool_result') return [draft.status];
      if (draft.kind === 'text') return draft.text.startsWith('I look') ? [] : ['text'];
      return ['prompt', 'tool_call', 'interruption', 'compaction'].includes(draft.kind)
        ? [draft.kind]
        : [];
    });
    expect(story).toEqual([
      ...['prompt', 'text', 'prompt', 'text', 'tool_call', 'ok', 'text'],
      ...['prompt', 'text', 'tool_call', 'denied', 'prompt', 'interruption'],
      ...['prompt', 'text', 'tool_call', 'ok', 'text', 'compaction', 'prompt', 'text'],
    ]);
    expect(entries.filter(({ draft }) => draft.kind === 'unknown')).toEqual([]);
    expect((await reader.last(500)).entries).toEqual(entries);
    const seqs = [];
    for (let page = await reader.last(3); ; ) {
      seqs.unshift(...page.entries.map(({ seq }) => seq));
      if (page.before === null) break;
      expect(await reader.check(page.before)).toBeNull();
      page = await reader.last(3, page.before);
    }
    expect(seqs).toEqual(entries.map(({ seq }) => seq));
  });
});

describe('the database of a session', () => {
  it('words that are not whole hold back what follows them', async () => {
    const sessions = new Sessions();
    sessions.message('msg_1', 'user', {}, 1);
    sessions.part(0, 'msg_1', { id: 'prt_1', type: 'text', text: 'go' });
    sessions.message('msg_2', 'assistant', {}, 2);
    const begun = { id: 'prt_2', type: 'text', text: '', time: { start: 1 } };
    sessions.part(1, 'msg_2', begun);
    const call = { id: 'prt_3', type: 'tool', tool: 'bash', callID: 'c' };
    sessions.part(2, 'msg_2', { ...call, state: { status: 'running', input: { a: 1 } } });
    const reader = sessions.reader();
    expect(await kindsOf(reader)).toEqual(['prompt go']);
    expect(await reader.records.end()).toBe(1);
    const words = { id: 'prt_2', type: 'text', text: 'I run it', time: { start: 1, end: 2 } };
    sessions.part(3, 'msg_2', words);
    expect(await kindsOf(reader)).toEqual(['prompt go', 'text I run it', 'tool_call']);
    expect(await reader.records.end()).toBe(4);
  });

  it('words that a killed agent left do not hold back the next prompt', async () => {
    const sessions = new Sessions();
    sessions.message('msg_1', 'assistant', {}, 1);
    sessions.part(0, 'msg_1', { id: 'prt_1', type: 'text', text: '', time: { start: 1 } });
    const reader = sessions.reader();
    expect(await kindsOf(reader)).toEqual([]);
    sessions.message('msg_2', 'user', {}, 2);
    sessions.part(1, 'msg_2', { id: 'prt_2', type: 'text', text: 'again' });
    expect(await kindsOf(reader)).toEqual(['prompt again']);
  });

  it('a cursor at a message that was taken back does not fit any more', async () => {
    const sessions = new Sessions();
    sessions.message('msg_1', 'user', {}, 1);
    sessions.part(0, 'msg_1', { id: 'prt_1', type: 'text', text: 'one' });
    sessions.message('msg_2', 'user', {}, 2);
    sessions.part(1, 'msg_2', { id: 'prt_2', type: 'text', text: 'two' });
    const reader = sessions.reader();
    const { after } = await reader.last(1);
    expect(await reader.check(after)).toBeNull();
    sessions.db.exec("DELETE FROM message WHERE id = 'msg_2'");
    expect(await reader.check(after)).toBe('replaced');
    expect(await kindsOf(reader)).toEqual(['prompt one']);
    sessions.db.exec('DELETE FROM event');
    expect(await reader.check(after)).toBe('unreadable');
  });

  it('broken and huge rows are gaps in their places', async () => {
    const sessions = new Sessions();
    const type = 'message.part.updated.1';
    const put = (seq: number, data: string) =>
      sessions.put({ table: 'event', aggregate_id: SESSION, seq, type, data });
    sessions.message('msg_1', 'user', {}, 1);
    put(0, '{"part":');
    put(1, `"${'x'.repeat(8_000_001)}"`);
    sessions.part(2, 'msg_1', { id: 'prt_1', type: 'text', text: 'one' });
    expect(await kindsOf(sessions.reader())).toEqual(['gap', 'gap', 'prompt one']);
  });

  it('nothing is left beside a database that nobody has open', async () => {
    const sessions = new Sessions();
    sessions.message('msg_1', 'user', {}, 1);
    sessions.part(0, 'msg_1', { id: 'prt_1', type: 'text', text: 'one' });
    sessions.db.close();
    const folder = join(sessions.path, '..');
    const before = readdirSync(folder);
    expect(existsSync(`${sessions.path}-wal`)).toBe(false);
    expect(await kindsOf(sessions.reader())).toEqual(['prompt one']);
    expect(readdirSync(folder)).toEqual(before);
  });

  it.each([
    ['text', ''],
    [
      'a view that never ends',
      `DROP TABLE event; CREATE VIEW event AS WITH RECURSIVE n(i) AS
       (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS seq, '' AS data, '' AS type,
       '${SESSION}' AS aggregate_id FROM n`,
    ],
    ['a computed column', "ALTER TABLE part ADD COLUMN more text GENERATED ALWAYS AS ('x')"],
    ['other tables', 'DROP TABLE message'],
  ])('in the place of the database is %s: it is not read', async (_what, sql) => {
    const sessions = new Sessions();
    if (sql === '') {
      sessions.db.close();
      writeFileSync(sessions.path, 'no database\n'.repeat(1_000));
    } else sessions.db.exec(sql);
    const reader = sessions.reader();
    expect(await kindsOf(reader)).toEqual([]);
    expect(await reader.check({ ...reader.start, seq: 5 })).toBe('unreadable');
  });
});

it('the session of a pane is announced from the database that its process holds open', async () => {
  const stage = new AgentFilesStage('opencode');
  const sessions = new Sessions();
  sessions.message('msg_1', 'user', {}, 1);
  sessions.part(0, 'msg_1', { id: 'prt_1', type: 'text', text: 'one' });
  const hold = 'require("fs").openSync(process.argv[1]); setInterval(() => {}, 1e6)';
  const { pid } = startProcess(process.execPath, '-e', hold, sessions.path);
  const sessionKey = id<SessionKey>(SESSION);
  stage.live('%1', pid, { sessionKey });
  const transcript = await stage.until(() => stage.transcripts[0], 'the transcript');
  expect(transcript).toMatchObject({ agent: 'opencode', sessionId: SESSION });
  expect(await transcript.records.end()).toBe(1);
  const words = () => stage.evidence('%1', 'opencode-session').map(({ activity }) => activity);
  await stage.until(() => words().length > 0, 'the last prompt');
  expect(words()).toEqual([{ prompt: 'one' }]);
  sessions.message('msg_2', 'assistant', {}, 2);
  const text = { id: 'prt_2', type: 'text', text: 'half', time: { start: 1 } };
  sessions.part(1, 'msg_2', text);
  sessions.part(2, 'msg_2', { ...text, text: 'all of it', time: { start: 1, end: 2 } });
  await stage.until(() => words().length > 1, 'the last message');
  sessions.message('msg_3', 'user', {}, 3);
  sessions.part(3, 'msg_3', { id: 'prt_3', type: 'text', text: 'two' });
  await stage.until(() => words().length > 2, 'the next prompt');
  expect(words().slice(1)).toEqual([{ message: 'all of it' }, { prompt: 'two' }]);
  expect(transcript.child('../../etc/passwd')).toBeNull();
  expect(await transcript.child('ses_0000000000000009')?.end()).toBeNull();
});
