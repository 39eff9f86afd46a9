// Messages through agtmux to the members of a bundle on real tmux, beside pastes by tmux alone into
// the same panes in the same run: how many a second, and how long one takes to a member at rest.

import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { runChild } from '../../src/platform/process/launch.ts';
import { envelopeText, parseEnvelopes } from '../../src/relay/messages/envelope.ts';
import { TeamStorm } from '../../tests/messages/team-storm.ts';
import { monoMs, pause, until } from './clock.ts';
import { type Check, type Spread, spreadOf } from './figures.ts';
import { cpuBetween, cpuTimes, treeOf } from './usage.ts';

const LOOK_EVERY_MS = 2;
const ARRIVAL_MS = 600_000;
const CALL_MS = 60_000;

/** Long enough for the daemon to see that they work, as real agents do. */
const WORK_MS = 300;

export interface MessagesSize {
  readonly members: number;
  /** In each round. */
  readonly messages: number;
  readonly rounds: number;
  readonly samples: number;
}

export interface Throughput {
  readonly messages: number;
  readonly prompts: number;
  readonly ms: number;
}

export interface MessagesFigures {
  readonly raw: Throughput;
  readonly agtmux: Throughput;
  /** From the first call until all were accepted. */
  readonly acceptedMs: number;
  /** Processor time of the daemon and its clients. */
  readonly daemonMs: number;
  /** One at a time to a member at rest: until it has it, and until the receipt says so. */
  readonly rawArrival: Spread;
  readonly arrival: Spread;
  readonly delivered: Spread;
}

/** Both sides take turns, so that other work on the machine slows both. */
export async function measureMessages(size: MessagesSize): Promise<MessagesFigures> {
  await using storm = new TeamStorm(size.members, WORK_MS);
  await storm.begin();
  using arrivals = new Arrivals(storm.log);
  const bench: Bench = { storm, arrivals, ...size };
  const each = await measureEach(bench);
  await storm.kill();
  const rawArrival = await measureRawEach(bench);
  let raw: Throughput = { messages: 0, prompts: 0, ms: 0 };
  let agtmux = raw;
  let acceptedMs = 0;
  let daemonMs = 0;
  for (let round = 0; round < size.rounds; round += 1) {
    const first = round * size.messages;
    raw = sumOf(raw, await measureRaw(bench, first));
    await storm.start();
    await untilRest(storm);
    const all = await measureAll(bench, first);
    agtmux = sumOf(agtmux, all);
    acceptedMs += all.acceptedMs;
    daemonMs += all.daemonMs;
    await storm.kill();
  }
  return { ...each, rawArrival, raw, agtmux, acceptedMs, daemonMs };
}

interface Bench extends MessagesSize {
  readonly storm: TeamStorm;
  readonly arrivals: Arrivals;
}

const sumOf = (one: Throughput, other: Throughput): Throughput => ({
  messages: one.messages + other.messages,
  prompts: one.prompts + other.prompts,
  ms: one.ms + other.ms,
});

/** The numbers of the messages that have reached their agents, as they come. */
class Arrivals implements Disposable {
  readonly #file: number;
  #offset = 0;
  #rest = '';
  #numbers = new Set<number>();
  #promptCount = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
  }

  get promptCount(): number {
    return this.#promptCount;
  }

  clear(): void {
    this.#read();
    this.#numbers = new Set();
    this.#promptCount = 0;
  }

  async until(name: string, isOver: (numbers: ReadonlySet<number>) => boolean): Promise<void> {
    const deadlineMs = monoMs() + ARRIVAL_MS;
    for (;;) {
      this.#read();
      if (isOver(this.#numbers)) return;
      if (monoMs() > deadlineMs) throw new Error(`not in time: ${name}`);
      await pause(LOOK_EVERY_MS);
    }
  }

  #read(): void {
    const chunk = Buffer.alloc(1_048_576);
    const size = readSync(this.#file, chunk, 0, chunk.length, this.#offset);
    this.#offset += size;
    const lines = (this.#rest + chunk.toString('utf8', 0, size)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      this.#promptCount += 1;
      const { submitted } = JSON.parse(line) as { submitted: string };
      for (const { body } of parseEnvelopes(submitted) ?? []) {
        this.#numbers.add(Number(body.replace('message ', '')));
      }
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** What agtmux would type, so that both sides paste as much. */
const rawText = (number: number, party: string): string =>
  envelopeText({
    ...{ messageId: randomBytes(6).toString('hex'), boundary: randomBytes(12).toString('hex') },
    ...{ sentAtMs: Date.now(), from: { id: 'operator:bench', name: 'bench' }, isFromPerson: true },
    ...{ to: [{ id: `member:${party}`, name: party }], cc: [], subject: null, attachments: [] },
    ...{ threadId: '', replyTo: null, replyWith: "agtmux msg reply 0123456789ab 'TEXT'" },
    body: `message ${number}`,
  });

/** One process of tmux: a buffer, a paste, Enter. It looks at nothing. */
async function pasteRaw(storm: TeamStorm, number: number): Promise<void> {
  const buffer = `bench-${number}`;
  const target = `=${storm.memberOf(number)}:`;
  const { code, stderr } = await runChild({
    command: 'tmux',
    args: [
      ...['-S', storm.socket, 'set-buffer', '-b', buffer, '--'],
      ...[rawText(number, storm.partyOf(number)), ';'],
      ...['paste-buffer', '-p', '-r', '-d', '-b', buffer, '-t', target, ';'],
      ...['send-keys', '-t', target, 'Enter'],
    ],
    env: { ...storm.lab.live.env },
    timeoutMs: CALL_MS,
    stdoutBytesMax: 1_000,
  });
  if (code !== 0) throw new Error(`tmux: ${stderr}`);
}

async function measureRawEach({ storm, arrivals, samples }: Bench): Promise<Spread> {
  const tookMs: number[] = [];
  for (let number = 0; number < samples; number += 1) {
    arrivals.clear();
    const startedMs = monoMs();
    await pasteRaw(storm, number);
    await arrivals.until(`raw paste ${number}`, (numbers) => numbers.has(number));
    tookMs.push(monoMs() - startedMs);
  }
  return spreadOf(tookMs);
}

/** One message at a time, each to the member that has rested the longest. */
async function measureEach({ storm, arrivals, samples }: Bench) {
  const arrivalMs: number[] = [];
  const deliveredMs: number[] = [];
  for (let number = 0; number < samples; number += 1) {
    await untilRest(storm);
    arrivals.clear();
    const startedMs = monoMs();
    const input = { to: [storm.partyOf(number)], message: `message ${number}`, wait_ms: CALL_MS };
    const sent = storm.client.call('send_message', input, { timeoutMs: CALL_MS });
    await arrivals.until(`message ${number}`, (numbers) => numbers.has(number));
    arrivalMs.push(monoMs() - startedMs);
    const { status } = await sent;
    if (status !== 'success') throw new Error(`message ${number}: ${status}`);
    deliveredMs.push(monoMs() - startedMs);
  }
  return { arrival: spreadOf(arrivalMs), delivered: spreadOf(deliveredMs) };
}

/** Each member has its messages one after the other; members do not wait for each other. */
const forEachMember = async (
  { storm, members, messages }: Bench,
  first: number,
  work: (number: number) => Promise<void>,
): Promise<void> => {
  const ofMember = async (_: string, member: number): Promise<void> => {
    for (let at = member; at < messages; at += members) await work(first + at);
  };
  await Promise.all(storm.members.map(ofMember));
};

async function measureRaw(bench: Bench, first: number): Promise<Throughput> {
  const { storm, arrivals, messages } = bench;
  arrivals.clear();
  const startedMs = monoMs();
  await forEachMember(bench, first, (number) => pasteRaw(storm, number));
  await arrivals.until('all raw pastes', (numbers) => numbers.size === messages);
  return { messages, prompts: arrivals.promptCount, ms: monoMs() - startedMs };
}

async function measureAll(bench: Bench, first: number) {
  const { storm, arrivals, messages } = bench;
  arrivals.clear();
  const { pid } = await storm.client.call('daemon_info', {});
  const before = cpuTimes(treeOf(pid));
  const startedMs = monoMs();
  await forEachMember(bench, first, (number) => storm.send(number));
  const acceptedMs = monoMs() - startedMs;
  await arrivals.until('all messages', (numbers) => numbers.size === messages);
  const ms = monoMs() - startedMs;
  const daemonMs = cpuBetween(before, cpuTimes(treeOf(pid)));
  await storm.untilSettled(ARRIVAL_MS);
  const fates = [...(await storm.fates()).values()].map(({ status }) => status);
  if (fates.some((status) => status !== 'delivered')) throw new Error('not all were delivered');
  return { messages, prompts: arrivals.promptCount, ms, acceptedMs, daemonMs };
}

async function untilRest(storm: TeamStorm): Promise<void> {
  await until('all members rest', ARRIVAL_MS, () => storm.rests());
}

export const perSecond = ({ messages, ms }: Throughput): number => (messages / ms) * 1_000;

/** With few members a raw paste is ahead: it waits for nobody's rest. */
const rawAheadMax = (members: number): number => (members < 50 ? 5 : 2);

export function messagesChecks(figures: MessagesFigures, members: number): readonly Check[] {
  const { delivered, raw, agtmux } = figures;
  const ahead = perSecond(raw) / perSecond(agtmux);
  const name = 'raw pastes a second over messages a second';
  return [
    { name: 'at rest until its receipt, p50', value: delivered.p50Ms, limit: 500, unit: 'ms' },
    { name, value: ahead, limit: rawAheadMax(members), unit: 'x' },
  ];
}
