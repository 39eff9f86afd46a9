// One open request of a live opencode or Kilo, and the reply to it through the agent's own server:
// found by the process, known by its id, and proved by the event that tells of the reply.

import { type Fields, idAt, isFields, readFields, textAt } from '../../agents/signals/fields.ts';
import { settledWithin } from '../../platform/until-aborted.ts';
import type { MachineFiles } from '../files/machine-files.ts';
import { BusEvents, getJson, postJson } from './http.ts';
import { busPortOf } from './port.ts';

/** After that the caller does without the server. */
const FIND_MS = 3_000;
const REPLY_MS = 5_000;

/** What the server takes as a reply. */
export type BusReply =
  | { readonly reply: 'once' | 'always' | 'reject'; readonly message?: string }
  | { readonly answers: readonly (readonly string[])[] };

/** otherwise: somebody else answered it in that moment. over: it was not open any more. */
export type BusReplyOutcome = 'answered' | 'otherwise' | 'over' | 'unproved';

export class BusRequest implements Disposable {
  readonly #port: number;
  readonly #requestId: string;
  readonly #connected = Promise.withResolvers<boolean>();
  readonly #replied = Promise.withResolvers<Fields | null>();
  readonly #events: BusEvents;
  kind: 'permission' | 'question' = 'permission';
  fields: Fields = {};

  private constructor(port: number, requestId: string) {
    this.#port = port;
    this.#requestId = requestId;
    this.#events = new BusEvents({
      port,
      onEvent: (data) => this.#onEvent(data),
      onEnd: () => {
        this.#connected.resolve(false);
        this.#replied.resolve(null);
      },
    });
  }

  /** Null where the process has no server that lists it. Nothing is sent by then. */
  static async find(
    files: MachineFiles,
    pid: number,
    requestId: string,
  ): Promise<BusRequest | null> {
    if (!/^\w{1,100}$/.test(requestId)) return null;
    const search: { found: BusRequest | null; isLate: boolean } = { found: null, isLate: false };
    const work = BusRequest.#search(files, pid, requestId).then((found) => {
      if (search.isLate) found?.[Symbol.dispose]();
      else search.found = found;
    });
    await settledWithin([work], FIND_MS);
    search.isLate = true;
    return search.found;
  }

  static async #search(files: MachineFiles, pid: number, requestId: string) {
    const found = await busPortOf(files, pid);
    if (found.kind !== 'port') return null;
    const request = new BusRequest(found.port, requestId);
    if (await request.#read()) return request;
    request[Symbol.dispose]();
    return null;
  }

  /** Sends it once, and waits for its event. */
  async reply(body: BusReply): Promise<BusReplyOutcome> {
    const path = `/${this.kind}/${this.#requestId}/reply`;
    let isOver = false;
    const sent = postJson(this.#port, path, body).then((answer) => {
      // The server has found no such request: it did nothing.
      isOver = answer.kind === 'unknown' && answer.status === 404;
      if (isOver) this.#replied.resolve(null);
    });
    await settledWithin([Promise.all([sent, this.#replied.promise])], REPLY_MS);
    this.#replied.resolve(null);
    const event = await this.#replied.promise;
    if (event !== null) return isReplyOf(event, body) ? 'answered' : 'otherwise';
    return isOver ? 'over' : 'unproved';
  }

  [Symbol.dispose](): void {
    this.#events[Symbol.dispose]();
    this.#connected.resolve(false);
    this.#replied.resolve(null);
  }

  /** Whether it is open; from the first event on nothing about it is missed. */
  async #read(): Promise<boolean> {
    if (!(await this.#connected.promise)) return false;
    for (const kind of ['permission', 'question'] as const) {
      const answer = await getJson(this.#port, `/${kind}`);
      const list = answer.kind === 'json' && Array.isArray(answer.value) ? answer.value : [];
      const fields = list.filter(isFields).find((each) => idAt(each, 'id') === this.#requestId);
      if (fields === undefined) continue;
      Object.assign(this, { kind, fields });
      return true;
    }
    return false;
  }

  #onEvent(data: string): void {
    this.#connected.resolve(true);
    // Most events are words of the model.
    if (!data.includes(this.#requestId)) return;
    const event = readFields(data);
    if (typeof event === 'string') return;
    const isEnd = /^(?:permission|question)\.(?:replied|rejected)$/.test(
      textAt(event, 'type') ?? '',
    );
    const isOfIt = idAt(event, 'properties.requestID') === this.#requestId;
    if (isEnd && isOfIt) this.#replied.resolve(event);
  }
}

function isReplyOf(event: Fields, body: BusReply): boolean {
  const properties = isFields(event['properties']) ? event['properties'] : {};
  return 'reply' in body
    ? properties['reply'] === body.reply
    : JSON.stringify(properties['answers']) === JSON.stringify(body.answers);
}
