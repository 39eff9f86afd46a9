// Two real agents exchange messages through our MCP tools, and no person takes part: each sends ten
// within one turn while the other does the same, then they question and answer ten times.

import { randomBytes } from 'node:crypto';
import type { DaemonClient } from '../src/client/client.ts';
import { proveIdentity } from '../src/client/prove-identity.ts';
import { eventually } from '../tests/live/tmux-server.ts';
import { done, type Trial, untilState } from './acting-trial.ts';
import type { ModelRequest, Reply } from './fake-model/reply.ts';
import type { ScriptHandle } from './fake-model/script.ts';
import { ensureInstalled } from './install.ts';
import { searchesOf } from './mcp-hosts.ts';
import { mcpRecipe, openHost, partyOf } from './mcp-stage.ts';
import { Stage } from './stage.ts';

const ALL_MS = 300_000;
const LISTED_MAX = 200;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

interface Peer {
  readonly trial: Trial;
  readonly party: string;
  readonly name: string;
}

const send = (to: string, message: string): Reply => ({
  ...{ kind: 'tool', tool: 'mcp:agtmux/send_message' },
  args: { to: [to], message },
});

/** Replies to the message that this prompt is. */
const reply = (message: string): Reply => ({
  ...{ kind: 'tool', tool: 'mcp:agtmux/reply' },
  args: (request) => ({ message_id: lastMessageId(request), message }),
});

const lastMessageId = ({ userTexts }: ModelRequest): string =>
  [...userTexts.join('\n').matchAll(/^Message-Id: ([0-9a-f]+)$/gm)].at(-1)?.[1] ?? '';

/** The bodies of all envelopes in what the user's side says, in their order. */
function bodiesIn(texts: readonly string[]): readonly string[] {
  const envelope = /^--agtmux-([0-9a-f]{24})\n[\s\S]*?\n\n([\s\S]*?)\n--agtmux-\1--$/gm;
  return [...texts.join('\n').matchAll(envelope)].map(([, , body = '']) => body);
}

const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index + 1);

/** What the agent was given last, with all that came before it. */
const lastTexts = (handles: readonly ScriptHandle[]): readonly string[] =>
  handles
    .flatMap(({ requests }) => requests)
    .toSorted((a, b) => a.requestAtMs - b.requestAtMs)
    .at(-1)?.userTexts ?? [];

function compare(
  name: string,
  got: readonly string[],
  wanted: readonly string[],
): readonly string[] {
  const isRight =
    got.length === wanted.length && got.every((each, index) => each === wanted[index]);
  return isRight
    ? []
    : [`${name} got ${JSON.stringify(got)} in place of ${JSON.stringify(wanted)}`];
}

/** Both send at once, each its messages in one turn. */
async function burst(peers: readonly [Peer, Peer], count: number): Promise<readonly string[]> {
  const model = peers[0].trial.drive.stage.model;
  const sides = peers.map((peer, index) => {
    const other = peers[1 - index] ?? peer;
    const token = `burst-${randomBytes(3).toString('hex')}`;
    const messages = numbers(count).map((number) => `${token} number ${number}`);
    // What the other says to them: nothing.
    const got = model.script(token, [done]);
    const start = peer.trial.drive.script(
      ...searchesOf(peer.name),
      ...messages.map((message) => send(other.party, message)),
      done,
    );
    return { peer, other, messages, got, start };
  });
  await Promise.all(
    sides.map(({ peer, start }) =>
      peer.trial.client.call('send', { ref: peer.trial.ref, text: start.prompt }),
    ),
  );
  await Promise.all(
    sides.map(({ peer, start }) =>
      start.at(count + searchesOf(peer.name).length, 'finishedAtMs', ALL_MS),
    ),
  );
  await eventually(
    () => sides.every(({ got, messages }) => bodiesIn(lastTexts([got])).length >= messages.length),
    'all messages have come',
    ALL_MS,
  );
  return sides.flatMap(({ other, got, messages }) =>
    compare(other.name, bodiesIn(lastTexts([got])), messages),
  );
}

/** One asks, the other replies, and the reply brings the next question. */
async function dialogue(
  [one, other]: readonly [Peer, Peer],
  count: number,
): Promise<readonly string[]> {
  const model = one.trial.drive.stage.model;
  const token = `talk-${randomBytes(3).toString('hex')}`;
  const question = (number: number): string => `${token}-q${number}- question`;
  const answer = (number: number): string => `${token}-a${number}- answer`;
  const asked = numbers(count).map((number) =>
    model.script(`${token}-q${number}-`, [reply(answer(number)), done]),
  );
  const answered = numbers(count).map((number) =>
    model.script(
      `${token}-a${number}-`,
      number === count ? [done] : [send(other.party, question(number + 1)), done],
    ),
  );
  const start = one.trial.drive.script(send(other.party, question(1)), done);
  await untilState(one.trial, 'idle', 'completed');
  await one.trial.client.call('send', { ref: one.trial.ref, text: start.prompt });
  await answered.at(-1)?.reached(0, 'finishedAtMs', ALL_MS);
  const ofTalk = (handles: readonly ScriptHandle[]): readonly string[] =>
    bodiesIn(lastTexts(handles)).filter((body) => body.startsWith(token));
  return [
    ...compare(other.name, ofTalk(asked), numbers(count).map(question)),
    ...compare(one.name, ofTalk(answered), numbers(count).map(answer)),
    ...[...asked, ...answered.slice(0, -1)].flatMap(({ token: each, requests }) =>
      requests.length === 2 ? [] : [`${each}: ${requests.length} requests`],
    ),
  ];
}

/** What the daemon says of them all, once nothing is under way. */
async function receipts(client: DaemonClient, count: number): Promise<readonly string[]> {
  const stated = async (): Promise<readonly string[]> => {
    const { messages } = await client.call('list_inbox', { box: 'all', limit: LISTED_MAX });
    return messages.flatMap(({ receipts: all }) => all.map(({ status }) => status));
  };
  const isOpen = (status: string): boolean => status === 'queued' || status === 'delivering';
  const statuses = await eventually(
    async () => {
      const all = await stated();
      return all.some(isOpen) ? null : all;
    },
    'every message has its receipt',
    ALL_MS,
  );
  const wrong = statuses.filter((status) => !['delivered', 'read', 'replied'].includes(status));
  return [
    ...(statuses.length === count ? [] : [`${statuses.length} messages in place of ${count}`]),
    ...wrong.map((status) => `a message is ${status}`),
  ];
}

export async function tryExchange(
  names: readonly [string, string],
  count: number,
): Promise<readonly string[]> {
  let runFolder = '';
  const recipes = names.map((name) => mcpRecipe(name, () => runFolder));
  const [first, second] = recipes as [(typeof recipes)[0], (typeof recipes)[0]];
  const install = await ensureInstalled(first);
  await using stage = await Stage.open({ recipe: first, install, mode: 'without hooks' });
  runFolder = stage.live.env['XDG_RUNTIME_DIR'] ?? '';
  const client = await stage.live.client(ALL_MS);
  await proveIdentity(client);
  const beside = stage.alongside(second, await ensureInstalled(second));
  const trials = [await openHost(stage, client), await openHost(beside, client)];
  const peers = await Promise.all(
    trials.map(async (trial) => ({
      ...{ trial, party: await partyOf(trial), name: trial.drive.recipe.name },
    })),
  );
  const both = peers as unknown as readonly [Peer, Peer];
  try {
    const problems = [...(await burst(both, count)), ...(await dialogue(both, count))];
    return [...problems, ...(await receipts(client, count * 4))];
  } catch (error) {
    for (const { trial, name } of peers) say(`${name}:\n${await trial.drive.pane.screen()}`);
    throw error;
  }
}
