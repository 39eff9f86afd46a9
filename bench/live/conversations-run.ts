// What reading a long conversation costs: the first page and the whole history of 20,000 events, by
// pages over the socket and as a stream over the web service, what a listing waits meanwhile, and
// the memory of the daemon after some whole histories and after many.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import type { DaemonClient } from '../../src/client/client.ts';
import { projectOf, writeSession } from './agent-files-fixture.ts';
import { monoMs, pause, until } from './clock.ts';
import { makeSession } from './fake-panes.ts';
import { type Check, type Spread, spreadOf } from './figures.ts';
import { startDaemon } from './live-daemon.ts';
import { Place } from './place.ts';
import { memoryOf } from './usage.ts';

const SESSION = 'session-long';
const PAGE = 500;
const WAIT_MS = 30_000;
/** Between two listings while a history is read. */
const ASK_MS = 5;

export interface ConversationsSize {
  readonly events: number;
  readonly firstPages: number;
  /** Whole histories before the first look at the memory, and between the two. */
  readonly warmUps: number;
  readonly histories: number;
}

export interface ConversationsFigures {
  readonly transcriptMb: number;
  readonly firstPage: Spread;
  /** Each a whole history. */
  readonly byPages: Spread;
  readonly byStream: Spread;
  readonly listing: Spread;
  /** Of the daemon without the pages of Node: at rest, after the first histories, after all. */
  readonly memoryMb: readonly [number, number, number];
}

const at = (index: number): string => new Date(1_800_000_000_000 + index * 1_000).toISOString();

/** A prompt, words, a call and its result, again and again: each line is one event. */
function lineOf(index: number): string {
  const id = `bench-${index}`;
  const call = `toolu_${index - (index % 4)}`;
  const input = { command: `grep -rn needle-${index} ${'src/'.repeat(200)}` };
  const output = `result of ${index}\n${'one line of what it has found\n'.repeat(50)}`;
  const words = `answer ${index}: ${'it is as it was before, '.repeat(20)}`;
  const message = [
    { role: 'user', content: `prompt ${index}: please go on with the next file` },
    { role: 'assistant', content: [{ type: 'text', text: words }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: call, name: 'Bash', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: output }] },
  ][index % 4];
  const type = message?.role ?? 'user';
  return `${JSON.stringify({ type, uuid: id, timestamp: at(index), message })}\n`;
}

export async function measureConversations(size: ConversationsSize): Promise<ConversationsFigures> {
  using place = new Place();
  const [pane] = makeSession(place, 'conversations', ['claude']);
  if (!pane) throw new Error('there is no agent');
  const text = Array.from({ length: size.events }, (_, index) => lineOf(index)).join('');
  writeFileSync(join(projectOf(place), `${SESSION}.jsonl`), text);
  writeSession(place, pane, SESSION, 'idle');
  await using daemon = await startDaemon(place);
  const client = await daemon.connect();
  const ref = await refOfTalk(client);
  const ownMb = (): number => memoryOf([daemon.pid], process.execPath).withoutProgramMb;
  const atRestMb = ownMb();
  const firstPage = await measureFirstPages(client, ref, size);
  const { url } = await client.call('open_web', { port: 0, no_auth: true });
  for (let count = 0; count < size.warmUps; count += 1) {
    await readWhole(client, ref, size.events);
    await streamWhole(url, size.events);
  }
  const afterSomeMb = ownMb();
  const listings = measureListings(await daemon.connect());
  const pagesMs: number[] = [];
  const streamMs: number[] = [];
  for (let count = 0; count < size.histories; count += 1) {
    pagesMs.push(await readWhole(client, ref, size.events));
    streamMs.push(await streamWhole(url, size.events));
  }
  const listing = await listings.end();
  client.close();
  return {
    transcriptMb: text.length / 1024 ** 2,
    firstPage,
    byPages: spreadOf(pagesMs),
    byStream: spreadOf(streamMs),
    listing,
    memoryMb: [atRestMb, afterSomeMb, ownMb()],
  };
}

async function refOfTalk(client: DaemonClient): Promise<string> {
  let ref = '';
  await until('the conversation is known', WAIT_MS, async () => {
    const { conversations } = await client.call('list_conversations', {});
    ref = conversations[0]?.pane_key ?? '';
    return ref !== '';
  });
  return ref;
}

async function measureFirstPages(client: DaemonClient, ref: string, size: ConversationsSize) {
  const tookMs: number[] = [];
  for (let count = 0; count < size.firstPages; count += 1) {
    const startedMs = monoMs();
    const { entries } = await client.call('read_conversation', { ref });
    tookMs.push(monoMs() - startedMs);
    if (entries.length !== 100) throw new Error(`${entries.length} entries in the first page`);
  }
  return spreadOf(tookMs);
}

/** How long it took. Throws where the history is not whole. */
async function readWhole(client: DaemonClient, ref: string, events: number): Promise<number> {
  const startedMs = monoMs();
  let count = 0;
  let after: string | undefined;
  for (;;) {
    const from = after === undefined ? { from_start: true } : { after };
    const page = await client.call('read_conversation', { ref, limit: PAGE, ...from });
    count += page.entries.length;
    after = page.after;
    if (!page.has_more) break;
  }
  if (count !== events) throw new Error(`${count} of ${events} entries by pages`);
  return monoMs() - startedMs;
}

/** As a client of `tmux-converter.v1` that has just come. */
async function streamWhole(url: string, events: number): Promise<number> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/converter/ws`);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let count = 0;
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the web service has hung up')));
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString('utf8'));
    if (message.type === 'conversation-snapshot-chunk') count += message.events.length;
    if (message.type === 'conversation-snapshot-end') resolve(count);
  });
  await new Promise((opened) => {
    socket.once('open', opened);
  });
  socket.send(JSON.stringify({ id: '1', type: 'hello', protocol: 'tmux-converter.v1' }));
  const startedMs = monoMs();
  socket.send(JSON.stringify({ id: '2', type: 'follow-agent', agent: 'conversations' }));
  const got = await promise;
  const tookMs = monoMs() - startedMs;
  socket.close();
  if (got !== events) throw new Error(`${got} of ${events} events by the stream`);
  return tookMs;
}

/** Lists panes again and again, until it is ended: whatever stalls the daemon is in it. */
function measureListings(client: DaemonClient): { readonly end: () => Promise<Spread> } {
  const tookMs: number[] = [];
  let isOver = false;
  const work = (async () => {
    while (!isOver) {
      const startedMs = monoMs();
      await client.call('list_panes', {});
      tookMs.push(monoMs() - startedMs);
      await pause(ASK_MS);
    }
  })();
  return {
    end: async () => {
      isOver = true;
      await work;
      client.close();
      return spreadOf(tookMs);
    },
  };
}

export function conversationsChecks(figures: ConversationsFigures): readonly Check[] {
  const { firstPage, byPages, byStream, memoryMb } = figures;
  const [, afterSomeMb, afterAllMb] = memoryMb;
  return [
    { name: 'first page', value: firstPage.p50Ms, limit: 100, unit: 'ms' },
    { name: 'whole history by pages', value: byPages.p50Ms, limit: 2_000, unit: 'ms' },
    { name: 'whole history by the stream', value: byStream.p50Ms, limit: 2_000, unit: 'ms' },
    { name: 'memory of more histories', value: afterAllMb - afterSomeMb, limit: 15, unit: 'MB' },
  ];
}
