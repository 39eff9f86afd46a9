// `tmux-converter.v1`, as the clients of the original speak it, over the real web service and
// transcripts that are real files.

import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { LineRecords } from '../../src/agent-files/conversations/line-records.ts';
import { LocalFiles } from '../../src/agent-files/files/local-files.ts';
import { conversationParsers } from '../../src/agents/conversation-parsers.ts';
import { conversationAgents } from '../../src/schema/api/conversation.ts';
import { WebServer } from '../../src/servers/web/web-server.ts';
import { Inside } from '../api/fixture.ts';
import { eventually } from '../live/tmux-server.ts';
import { runtimeId, T0 } from '../scenario.ts';
import { WebPeer } from './web-lab.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Event extends Fields {
  readonly type: string;
  readonly content?: readonly Fields[];
}

const line = (number: number, block: object = { type: 'text', text: `answer ${number}` }): string =>
  `${JSON.stringify({
    type: 'assistant',
    uuid: `u${number}`,
    timestamp: new Date(T0 + number).toISOString(),
    message: { id: `m${number}`, role: 'assistant', content: [block] },
  })}\n`;

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => line(from + index)).join('');

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

/** Two agents; the first is called `work`, the other `work:%1`. */
class Lab {
  readonly inside = new Inside();
  readonly url: string;

  private constructor(url: string, inside: Inside) {
    this.url = url;
    this.inside = inside;
  }

  static async open(pendingMs?: number): Promise<Lab> {
    const inside = new Inside();
    const server = new WebServer({
      host: inside.host,
      bind: { host: '127.0.0.1', port: 0 },
      ...{ allowedOrigins: [], workDir: '', debugServeDir: null, access: 'open' },
      sessions: { pair: () => null, end: () => {} },
      onDebugLine: () => {},
      ...(pendingMs === undefined ? {} : { pendingMs }),
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    return new Lab(await server.listen(), inside);
  }

  /** The agent has this conversation now. */
  announce(session: string, text: string, index = 0): string {
    const path = join(this.inside.folder, `${session}.jsonl`);
    writeFileSync(path, text);
    const records = new LineRecords(new LocalFiles(), path);
    const child = (id: string) =>
      new LineRecords(new LocalFiles(), join(this.inside.folder, `${id}.jsonl`));
    const transcript = { agent: 'claude', sessionId: session, records, child };
    this.inside.transcripts.announce(runtimeId(index), transcript);
    return path;
  }

  async raw(path = '/ws'): Promise<WebPeer> {
    const peer = new WebPeer(new WebSocket(`${this.url.replace('http', 'ws')}${path}`));
    onTestFinished(() => peer.socket.terminate());
    await peer.opened;
    return peer;
  }

  async peer(): Promise<WebPeer> {
    const peer = await this.raw();
    const hello = await peer.call('hello', { protocol: 'tmux-converter.v1' });
    expect(hello).toMatchObject({ ok: true, protocol: 'tmux-converter.v1' });
    return peer;
  }
}

/** What came for a subscription: markers by their names, events by their numbers. */
function storyOf({ messages }: WebPeer, subscription = 'sub-1'): readonly (string | number)[] {
  return messages
    .filter(({ subscriptionId }) => subscriptionId === subscription)
    .flatMap((message) => {
      const { type, events, event, reason } = message;
      if (type === 'conversation-snapshot-chunk') return (events as Event[]).map(numberOf);
      if (type === 'conversation-event') return [numberOf(event as Event)];
      if (type === 'follow-agent') return [];
      return [`${type}${reason === undefined ? '' : ` ${reason}`}`];
    });
}

function numberOf({ type, content }: Event): string | number {
  const text = content?.[0]?.['text'];
  return typeof text === 'string' && text.startsWith('answer ') ? Number(text.slice(7)) : type;
}

const until = (peer: WebPeer, story: readonly (string | number)[], subscription?: string) =>
  eventually(
    () => JSON.stringify(storyOf(peer, subscription)) === JSON.stringify(story),
    'the story',
  ).catch(() => expect(storyOf(peer, subscription)).toEqual(story));

const SNAPSHOT = 'conversation-snapshot';
const END = 'conversation-snapshot-end';

it('every agent whose transcripts are read is one that supports conversations', () => {
  // That format is our own record of a member without a pane, of whatever agent.
  const formats = Object.keys(conversationParsers).filter((format) => format !== 'acp');
  expect([...conversationAgents].sort()).toEqual(formats.sort());
});

describe('the handshake', () => {
  it('comes first, once, and in this version', async () => {
    const lab = await Lab.open();
    const peer = await lab.raw('/converter/ws');
    const early = await peer.call('list-agents');
    expect(early).toMatchObject({ type: 'error', error: 'handshake required: send hello first' });
    expect(await peer.call('hello', { protocol: 'tmux-converter.v9' })).toMatchObject({
      ...{ type: 'hello', ok: false, error: 'unsupported protocol version' },
    });
    const hello = await peer.call('hello', { protocol: 'tmux-converter.v1' });
    expect(hello).toMatchObject({ type: 'hello', ok: true, serverVersion: '0.1.0' });
    expect(await peer.call('hello')).toMatchObject({ type: 'error', error: 'already handshaked' });
    expect(await peer.call('nonsense')).toMatchObject({
      ...{ type: 'error', error: 'unknown message type', unknownType: 'nonsense' },
    });
  });

  it('a client of terminals has none, and keeps its own errors', async () => {
    const lab = await Lab.open();
    const peer = await lab.raw();
    expect(await peer.call('follow-agent', { agent: 'work' })).toMatchObject({
      ...{ ok: false, error: 'unknown message type: follow-agent' },
    });
  });

  it('of binary frames only files are taken', async () => {
    const lab = await Lab.open();
    const peer = await lab.peer();
    peer.sendFrame(0x02, 'work', 'x');
    await peer.error('unsupported binary message type: 0x02');
  });
});

describe('lists', () => {
  it('agents have their conversation, and are filtered by name and folder', async () => {
    const lab = await Lab.open();
    lab.announce('one', line(0));
    const peer = await lab.peer();
    const { agents } = await peer.call('list-agents', { includePathFilter: '^/home/' });
    const workDir = '/home/someone/project';
    const agent = { runtime: 'claude', workDir, attached: false };
    expect(agents).toEqual([
      { ...agent, name: 'work', conversationId: 'claude:work:one' },
      { ...agent, name: 'work:%1' },
    ]);
    const none = await peer.call('subscribe-agents', { excludePathFilter: 'project$' });
    expect(none).toMatchObject({ ok: true, agents: [], totalAgents: 2 });
    const broken = await peer.call('list-agents', { includePathFilter: '(' });
    expect(broken).toMatchObject({ ok: false });
    expect((await peer.call('list-conversations'))['conversations']).toEqual([
      { conversationId: 'claude:work:one', agentName: 'work', runtime: 'claude' },
    ]);
  });
});

describe('a followed agent', () => {
  it('20,000 events reach the first client, whole and in order, and then what comes', async () => {
    const lab = await Lab.open();
    const path = lab.announce('one', lines(0, 20_000));
    const peer = await lab.peer();
    const reply = await peer.call('follow-agent', { agent: 'work' });
    expect(reply).toMatchObject({
      ...{ ok: true, subscriptionId: 'sub-1', conversationSupported: true },
      conversationId: 'claude:work:one',
    });
    await peer.event(END);
    const chunks = peer.messages.filter(({ type }) => type === 'conversation-snapshot-chunk');
    for (const { events } of chunks) expect((events as Event[]).length).toBeLessThanOrEqual(500);
    expect(chunks.at(-1)?.['progress']).toEqual({ loaded: 20_000, total: 20_000 });
    appendFileSync(path, lines(20_000, 20_060));
    await until(peer, [SNAPSHOT, ...range(0, 20_000), END, ...range(20_000, 20_060)]);
    const events = peer.messages.flatMap((each) => (each['events'] ?? []) as Event[]);
    const seqs = events.map(({ seq }) => Number(seq));
    expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(20_000);
  });

  it('a client that does not read for a while loses nothing', async () => {
    const lab = await Lab.open();
    lab.announce('one', lines(0, 20_000));
    const peer = await lab.peer();
    await peer.call('follow-agent', { agent: 'work' });
    peer.socket.pause();
    // Another client is served meanwhile.
    const other = await lab.peer();
    await other.call('follow-agent', { agent: 'work' });
    await other.event(END);
    peer.socket.resume();
    await until(peer, [SNAPSHOT, ...range(0, 20_000), END]);
  });

  it('one without a conversation is sent it when it begins', async () => {
    const lab = await Lab.open();
    const peer = await lab.peer();
    const reply = await peer.call('follow-agent', { agent: 'work' });
    expect(reply).not.toHaveProperty('conversationId');
    lab.announce('one', lines(0, 2));
    await until(peer, [SNAPSHOT, 0, 1, END]);
  });

  it('a switch is told before its snapshot', async () => {
    const lab = await Lab.open();
    lab.announce('one', lines(0, 2));
    const peer = await lab.peer();
    await peer.call('follow-agent', { agent: 'work' });
    await peer.event(END);
    lab.announce('two', lines(5, 7));
    const switched = [...['conversation-switched', `${SNAPSHOT} switch`, 5, 6, END]];
    await until(peer, [SNAPSHOT, 0, 1, END, ...switched]);
    expect(await peer.event('conversation-switched')).toMatchObject({
      ...{ from: 'claude:work:one', to: 'claude:work:two', agent: { name: 'work' } },
    });
  });

  it('a transcript that was cut is a gap and a new snapshot', async () => {
    const lab = await Lab.open();
    const path = lab.announce('one', lines(0, 9));
    const peer = await lab.peer();
    await peer.call('follow-agent', { agent: 'work' });
    await peer.event(END);
    truncateSync(path, line(0).length * 2);
    const story = [SNAPSHOT, ...range(0, 9), END];
    await until(peer, [...story, 'stream-gap truncated', `${SNAPSHOT} gap`, 0, 1, END]);
    expect(await peer.event('stream-gap')).toMatchObject({ conversationId: 'claude:work:one' });
  });

  it('is replaced by the next follow, and ended by an unsubscribe', async () => {
    const lab = await Lab.open();
    const path = lab.announce('one', line(0));
    const peer = await lab.peer();
    await peer.call('follow-agent', { agent: 'work' });
    const again = await peer.call('follow-agent', { agent: 'work' });
    expect(again['subscriptionId']).toBe('sub-2');
    await until(peer, [SNAPSHOT, 0, END], 'sub-2');
    appendFileSync(path, line(1));
    await until(peer, [SNAPSHOT, 0, END, 1], 'sub-2');
    expect(storyOf(peer, 'sub-1')).not.toContain(1);
    expect(await peer.call('unsubscribe-agent', { agent: 'work' })).toMatchObject({ ok: true });
    const other = await peer.call('follow-agent', { agent: 'work' });
    await peer.call('unsubscribe', { subscriptionId: other['subscriptionId'] });
    await peer.call('follow-agent', { agent: 'work' });
    await until(peer, [SNAPSHOT, 0, 1, END], 'sub-4');
    appendFileSync(path, line(2));
    await until(peer, [SNAPSHOT, 0, 1, END, 2], 'sub-4');
    expect(storyOf(peer, 'sub-2')).not.toContain(2);
    expect(storyOf(peer, 'sub-3')).not.toContain(2);
  });

  it('ends with its agent', async () => {
    const lab = await Lab.open();
    lab.announce('one', line(0));
    const peer = await lab.peer();
    await peer.call('follow-agent', { agent: 'work' });
    await peer.event(END);
    const { nowMs } = lab.inside;
    const ended = { reason: 'process_gone', exitCode: null, crashed: false } as const;
    lab.inside.tell({ type: 'runtime.ended', atMs: nowMs, runtimeId: runtimeId(0), ...ended });
    await until(peer, [SNAPSHOT, 0, END, 'conversation-ended the agent has ended']);
  });

  it('an unknown one is refused', async () => {
    const lab = await Lab.open();
    const peer = await lab.peer();
    expect(await peer.call('follow-agent')).toMatchObject({ error: 'agent required' });
    expect(await peer.call('follow-agent', { agent: 'nobody' })).toMatchObject({
      error: 'agent not found',
    });
  });
});

describe('a conversation by its id', () => {
  it('is sent, its first marker being the reply', async () => {
    const lab = await Lab.open();
    lab.announce('one', lines(0, 2), 1);
    const peer = await lab.peer();
    const conversationId = 'claude:work:%1:one';
    const reply = await peer.call('subscribe-conversation', { conversationId });
    expect(reply).toMatchObject({ type: SNAPSHOT, subscriptionId: 'sub-1', conversationId });
    await until(peer, [SNAPSHOT, 0, 1, END]);
  });

  it('goes on at a cursor, of an event or of the end of a snapshot', async () => {
    const lab = await Lab.open();
    const path = lab.announce('one', lines(0, 3));
    const conversationId = 'claude:work:one';
    const first = await lab.peer();
    await first.call('subscribe-conversation', { conversationId });
    const { cursor: atEnd } = await first.event(END);
    appendFileSync(path, lines(3, 5));
    await until(first, [SNAPSHOT, 0, 1, 2, END, 3, 4]);
    const { cursor } = await first.event('conversation-event');
    expect(JSON.parse(String(cursor))).toMatchObject({ c: conversationId });
    first.socket.terminate();
    const next = await lab.peer();
    await next.call('resume-conversation', { conversationId, cursor: atEnd });
    await until(next, ['conversation-resumed', 3, 4]);
    await next.call('follow-agent', { agent: 'work', cursor });
    await until(next, ['conversation-resumed', 4], 'sub-2');
  });

  it('a cursor that fits no more, or is none, is a gap and then everything', async () => {
    const lab = await Lab.open();
    const path = lab.announce('one', lines(0, 3));
    const conversationId = 'claude:work:one';
    const first = await lab.peer();
    await first.call('subscribe-conversation', { conversationId });
    const { cursor } = await first.event(END);
    writeFileSync(path, lines(50, 60));
    const next = await lab.peer();
    const reply = await next.call('resume-conversation', { conversationId, cursor });
    expect(reply).toMatchObject({ type: 'stream-gap', reason: 'replaced' });
    const rest = [`${SNAPSHOT} gap`, ...range(50, 60), END];
    await until(next, ['stream-gap replaced', ...rest]);
    await next.call('resume-conversation', { conversationId, cursor: '{"c":1}' });
    await until(next, ['stream-gap replaced', ...rest], 'sub-2');
  });

  it('one that is not there yet has a while to begin', async () => {
    const lab = await Lab.open(1_000);
    lab.announce('one', line(0));
    const peer = await lab.peer();
    const wanted = { conversationId: 'claude:work:other' };
    const reply = peer.call('subscribe-conversation', wanted);
    expect(await peer.call('subscribe-conversation', wanted)).toMatchObject({
      error: 'already pending subscription for this conversation',
    });
    expect(await reply).toMatchObject({ error: 'conversation not found within timeout' });
    lab.announce('more', lines(7, 9), 1);
    const nobody = { conversationId: 'claude:nobody:one' };
    expect(await peer.call('subscribe-conversation', nobody)).toMatchObject({
      error: 'conversation not found',
    });
    expect(await peer.call('subscribe-conversation')).toMatchObject({
      error: 'conversationId required',
    });
  });
});

describe('events', () => {
  const talk = [
    { type: 'thinking', thinking: 'hm' },
    { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
  ];

  it('have the fields of the protocol', async () => {
    const lab = await Lab.open();
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true };
    const user = { type: 'user', uuid: 'x', message: { role: 'user', content: [result] } };
    lab.announce(
      'one',
      `${talk.map((each, at) => line(at, each)).join('')}${JSON.stringify(user)}\n`,
    );
    const peer = await lab.peer();
    await peer.call('follow-agent', { agent: 'work' });
    await peer.event(END);
    const events = peer.messages.flatMap((each) => (each['events'] ?? []) as Event[]);
    const place = { agentName: 'work', runtime: 'claude', conversationId: 'claude:work:one' };
    expect(events).toMatchObject([
      { ...place, type: 'thinking', content: [{ type: 'thinking', text: 'hm' }] },
      {
        ...{ ...place, type: 'tool_use', role: 'assistant' },
        timestamp: new Date(T0 + 1).toISOString(),
        content: [{ type: 'tool_use', toolName: 'Bash', toolId: 't1', input: { command: 'ls' } }],
      },
      {
        ...{ ...place, type: 'tool_result' },
        timestamp: new Date(T0 + 1).toISOString(),
        content: [{ type: 'tool_result', toolId: 't1', output: 'no', isError: true }],
      },
    ]);
  });

  it('are filtered as the client wants, and differently from then on', async () => {
    const lab = await Lab.open();
    const path = lab.announce('one', talk.map((each, at) => line(at, each)).join(''));
    const peer = await lab.peer();
    await peer.call('follow-agent', { agent: 'work', filter: { excludeThinking: true } });
    await until(peer, [SNAPSHOT, 'tool_use', END]);
    const filter = { types: ['thinking'], excludeThinking: true };
    expect(await peer.call('update-filter', { subscriptionId: 'sub-1', filter })).toMatchObject({
      ok: true,
    });
    appendFileSync(path, talk.map((each, at) => line(at + 5, each)).join(''));
    await until(peer, [SNAPSHOT, 'tool_use', END, 'thinking']);
    expect(await peer.call('update-filter', { subscriptionId: 'x' })).toMatchObject({
      error: 'subscription not found',
    });
  });
});
