// One HTTP server on loopback that answers as four vendors' models do, by a script. It knows no
// agent: a prompt carries a token, the token's script says what each request of that conversation
// gets. The lab's driver makes it, scripts it and reads the times of its requests.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { playReply, sendJson } from './answer.ts';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { openAiChat } from './openai-chat.ts';
import { openAiResponses } from './openai-responses.ts';
import type { Dialect, ModelRequest, Reply } from './reply.ts';
import { type RequestRecord, ScriptHandle, scriptOf } from './script.ts';

// A conversation with all its tools is some hundred kilobytes; more than this is a fault.
const bodyBytesMax = 32 * 1024 * 1024;
// How many requests are kept, so that those beside the conversation can be looked up.
const REQUEST_NOTES_MAX = 2000;

const dialects: readonly (readonly [RegExp, Dialect])[] = [
  [/\/messages$/, anthropic],
  [/\/responses$/, openAiResponses],
  [/\/chat\/completions$/, openAiChat],
  [/:(?:streamGenerateContent|generateContent)$/, gemini],
];

/** One request of an agent, scripted or not. */
export type RequestNote = { readonly atMs: number; readonly line: string; readonly token?: string };

const MESSAGE_LENGTH_MAX = 8_000;

export class FakeModel {
  readonly requestNotes: RequestNote[] = [];
  readonly #scripts = new Map<string, ScriptHandle>();
  readonly #listeners = new Set<(record: RequestRecord) => void>();
  readonly #closing = new AbortController();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<FakeModel> {
    const server = createServer();
    const model = new FakeModel(server);
    server.on('request', (request, response) => {
      model.#serve(request, response).catch(() => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return model;
  }

  /** Without a slash at its end; agents of OpenAI's kind want `/v1` behind it. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Every request of every script, oldest first. */
  get requests(): readonly RequestRecord[] {
    return [...this.#scripts.values()]
      .flatMap((handle) => handle.requests)
      .sort((one, other) => one.requestAtMs - other.requestAtMs);
  }

  /** Gives the token a script; one that it had before is forgotten. */
  script(token: string, replies: readonly Reply[]): ScriptHandle {
    const handle = new ScriptHandle(token, replies);
    this.#scripts.set(token, handle);
    return handle;
  }

  /** Told at each moment of a scripted request. The returned function ends it. */
  onMoment(listener: (record: RequestRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends open streams, also held ones, and waits until the port is free. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://lab').pathname;
    const body = await readJson(request);
    const dialect =
      request.method === 'POST' ? dialects.find(([pattern]) => pattern.test(path))?.[1] : undefined;
    if (body === undefined || dialect === undefined) {
      this.#note(request, undefined);
      sendExtra(response, path, body === undefined);
      return;
    }
    const requestNotes = dialect.read(body, path);
    const found = scriptOf(this.#scripts, requestNotes);
    const handle = found !== undefined && isOfTurn(requestNotes, found) ? found : undefined;
    this.#note(request, handle?.token);
    if (handle === undefined) {
      await playReply({
        dialect,
        request: requestNotes,
        response,
        reply: sideReply(requestNotes),
        signal: this.#closing.signal,
      });
      return;
    }
    await this.#play(dialect, requestNotes, { handle, end: endOf(body) }, response);
  }

  async #play(
    dialect: Dialect,
    requestNotes: ModelRequest,
    { handle, end }: { readonly handle: ScriptHandle; readonly end: string },
    response: ServerResponse,
  ): Promise<void> {
    const record = handle.next(dialect.name, requestNotes, Date.now());
    record.lastMessage = end;
    const tell = () => {
      handle.changed();
      for (const listener of this.#listeners) listener(record);
    };
    tell();
    response.once('close', () => {
      if (record.finishedAtMs !== undefined) return;
      record.abortedAtMs = Date.now();
      tell();
    });
    response.once('finish', () => {
      record.finishedAtMs = Date.now();
      tell();
    });
    const problem = await playReply({
      dialect,
      request: requestNotes,
      response,
      reply: record.reply,
      signal: this.#closing.signal,
      onFirstByte: () => {
        record.firstByteAtMs = Date.now();
        tell();
      },
    });
    if (problem !== undefined) record.problem = problem;
  }

  #note(request: IncomingMessage, token: string | undefined): void {
    if (this.requestNotes.length >= REQUEST_NOTES_MAX) this.requestNotes.shift();
    const line = `${request.method} ${request.url}`;
    this.requestNotes.push({ atMs: Date.now(), line, ...(token === undefined ? {} : { token }) });
  }
}

// The last message as JSON: a prompt, or the result of a tool. What Claude Code adds as the system
// behind it, such as reminders, is neither.
const endOf = (body: unknown): string => {
  const fields = (body ?? {}) as Record<string, unknown>;
  const list = [fields['messages'], fields['input'], fields['contents']].find(Array.isArray);
  const own = list?.findLast((each) => (each as { role?: unknown } | null)?.role !== 'system');
  return JSON.stringify(own ?? null).slice(-MESSAGE_LENGTH_MAX);
};

// Makers of titles and summaries quote the prompt, token and all, but offer no tools, or one where
// the turn has many.
const isOfTurn = ({ tools }: ModelRequest, { requests: [first] }: ScriptHandle): boolean =>
  tools.length > 1 || (tools.length === 1 && (first?.toolNames.length ?? 1) === 1);

// Titles, summaries and quota checks: short, harmless, and JSON where JSON is wanted.
const sideReply = (request: ModelRequest): Reply => {
  const asksForTitle = request.userTexts.some((text) => /json/i.test(text));
  const text = request.wantsJson || asksForTitle ? '{"title":"Lab"}' : 'Lab';
  return { kind: 'text', text };
};

const readJson = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > bodyBytesMax) return undefined;
    chunks.push(chunk as Buffer);
  }
  if (size === 0) return {};
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
};

// The small questions beside the conversation.
const sendExtra = (response: ServerResponse, path: string, isBroken: boolean): void => {
  const [status, body] = isBroken ? ([400, notJson] as const) : extraFor(path);
  sendJson(response, status, body);
};

const notJson = { error: { message: 'The body is no JSON.', type: 'invalid_request_error' } };

const extraFor = (path: string): readonly [status: number, body: unknown] => {
  if (/(?:\/count_tokens|:countTokens)$/.test(path)) {
    return [200, { input_tokens: 1200, totalTokens: 1200 }];
  }
  if (/\/models$/.test(path)) {
    return [200, { object: 'list', data: [{ id: 'lab', object: 'model' }] }];
  }
  if (path === '/') return [200, {}];
  return [404, { error: { message: 'There is nothing here.', type: 'not_found_error' } }];
};
