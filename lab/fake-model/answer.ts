// Plays one reply into one HTTP response, in the dialect of the request. Every wait ends when its
// gate opens, when the agent goes away, when the server closes, or at the longest hold.

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pickTool } from './pick-tool.ts';
import type { Dialect, Hold, ModelAnswer, ModelRequest, Reply, StreamWriter } from './reply.ts';

const holdMsMax = 10 * 60_000;
const chunkMsDefault = 300;
// Short and never the same: agents look for models that repeat themselves.
const filler = (count: number): string => ` Part ${count} of it follows here.`;

export type Playback = {
  readonly dialect: Dialect;
  readonly request: ModelRequest;
  readonly response: ServerResponse;
  readonly reply: Reply;
  readonly signal: AbortSignal;
  readonly onFirstByte?: () => void;
};

/** Plays the reply to its end; returns why it could not be given as the script has it. */
export const playReply = async (play: Playback): Promise<string | undefined> => {
  const { reply, response } = play;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const signal = AbortSignal.any([play.signal, gone.signal]);
  if (reply.kind === 'error') {
    await quietHold(reply, signal);
    play.onFirstByte?.();
    const message = reply.message ?? defaultMessage(reply.status);
    const body = reply.body ?? play.dialect.failure(reply.status, message);
    const retry = reply.retryAfterS === undefined ? {} : { 'retry-after': `${reply.retryAfterS}` };
    sendJson(response, reply.status, body, { ...retry, ...reply.headers });
    return undefined;
  }
  const { whole, problem } = buildAnswer(play.request, reply);
  if (play.request.stream) await stream(play, whole, signal);
  else {
    await quietHold(reply, signal);
    play.onFirstByte?.();
    if (reply.kind === 'cut') response.destroy();
    else sendJson(response, 200, play.dialect.whole(play.request, whole));
  }
  return problem;
};

/** Sends a whole JSON answer. */
export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

const defaultMessage = (status: number): string =>
  ({
    400: 'The request is not valid.',
    401: 'The API key is not valid.',
    429: 'Too many requests. Please try again later.',
  })[status] ?? 'Internal server error';

let callCount = 0;

const buildAnswer = (
  request: ModelRequest,
  reply: Exclude<Reply, { kind: 'error' }>,
): { whole: ModelAnswer; problem?: string } => {
  if (reply.kind === 'thinking') return { whole: { thinking: reply.thinking, text: reply.text } };
  if (reply.kind !== 'tool') return { whole: { text: reply.text } };
  callCount += 1;
  const call = pickTool(request.tools, {
    tool: reply.tool,
    args: typeof reply.args === 'function' ? reply.args(request) : reply.args,
    id: `lab_${callCount}`,
  });
  if (call === undefined) {
    const offered = request.tools.map((tool) => tool.name).join(' ');
    const problem = `no tool of kind ${reply.tool} among: ${offered}`;
    return { whole: { text: problem }, problem };
  }
  return { whole: { ...(reply.text === undefined ? {} : { text: reply.text }), call } };
};

const stream = async (play: Playback, whole: ModelAnswer, signal: AbortSignal): Promise<void> => {
  const { response, reply } = play;
  const writer = play.dialect.stream(play.request);
  if (reply.quiet === true) await quietHold(reply, signal);
  if (response.destroyed) return;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(writer.begin());
  play.onFirstByte?.();
  const chunkMs = reply.chunkMs ?? (reply.until === undefined ? 0 : chunkMsDefault);
  const pace = { signal, chunkMs, write: (text: string) => response.write(text) };
  if (whole.thinking !== undefined) {
    await trickle(whole.thinking, (text) => writer.thinking(text), pace);
    if (reply.quiet !== true) await hold(reply, (text) => writer.thinking(text), pace);
  }
  if (whole.text !== undefined) await trickle(whole.text, (text) => writer.text(text), pace);
  if (whole.thinking === undefined && reply.quiet !== true) {
    await hold(reply, (text) => writer.text(text), pace);
  }
  if (response.destroyed) return;
  if (reply.kind === 'cut') {
    // What was written must be out before the break; a line that starts with `:` says nothing.
    response.write(':\n\n', () => response.destroy());
    return;
  }
  if (whole.call !== undefined) response.write(writer.call(whole.call));
  response.end(writer.end());
};

type Pace = {
  readonly signal: AbortSignal;
  readonly chunkMs: number;
  readonly write: (text: string) => void;
};

type Encode = (text: string) => ReturnType<StreamWriter['text']>;

// A few words at a time, as models write.
const trickle = async (text: string, encode: Encode, pace: Pace): Promise<void> => {
  if (pace.chunkMs === 0) {
    pace.write(encode(text));
    return;
  }
  for (const piece of text.match(/(?:\S+\s*){1,4}/g) ?? []) {
    if (pace.signal.aborted) return;
    pace.write(encode(piece));
    await pause(pace.chunkMs, pace.signal);
  }
};

const hold = async (reply: Hold, encode: Encode, pace: Pace): Promise<void> => {
  if (reply.until === undefined) return;
  const endMs = performance.now() + holdMsMax;
  for (let count = 1; !reply.until.isOpen && !pace.signal.aborted; count += 1) {
    if (performance.now() > endMs) return;
    pace.write(encode(`${filler(count)}${count % 6 === 0 ? '\n\n' : ''}`));
    await Promise.race([reply.until.opened, pause(pace.chunkMs, pace.signal)]);
  }
};

const quietHold = async (reply: Hold, signal: AbortSignal): Promise<void> => {
  if (reply.until === undefined || reply.until.isOpen) return;
  const timer = new AbortController();
  await Promise.race([
    reply.until.opened,
    pause(holdMsMax, AbortSignal.any([signal, timer.signal])),
  ]);
  timer.abort();
};

// A pause that ends early, and without a throw, when nobody listens any more.
const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    // The agent went away or the server closes; the caller looks at the signal.
  }
};
