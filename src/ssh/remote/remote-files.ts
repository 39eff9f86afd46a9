// The files of agents on a host, and what its system tells of their processes, read by the probe
// for agent-files/. Nothing is written there. Each throws an SshFault where the host does not
// answer: then nothing is known, which differs from an absent file.

import type { ProbeClient, ProbeCommand } from '../probe/probe.ts';
import {
  type RemoteFacts,
  type RemoteWatches,
  readStatLine,
  remoteWatches,
} from './remote-watches.ts';

const DEADLINE_MS = 5_000;
/** On a slow link the heartbeats wait behind it. */
const READ_BYTES_MAX = 262_144;
const NAMES_MAX = 5_000;
const OPEN_FILES_MAX = 1_024;
const PATH_LENGTH_MAX = 4_096;
/** Requests at once: heartbeats and process looks need room too. */
const REQUESTS_MAX = 8;

export interface RemoteFilesOptions {
  readonly probe: ProbeClient;
  /** The user's home there; `/` while it is not known. */
  readonly home: () => string;
  readonly isConnected: () => boolean;
}

export class RemoteFiles implements Disposable {
  readonly #options: RemoteFilesOptions;
  readonly #watches: RemoteWatches;
  #requestCount = 0;
  /** Requests that wait for room, in order. */
  readonly #waiting: (() => void)[] = [];

  constructor(options: RemoteFilesOptions) {
    this.#options = options;
    this.#watches = remoteWatches(options);
  }

  get home(): string {
    return this.#options.home();
  }

  /** A watched file is polled already: its last facts are returned without a request. */
  async facts(path: string): Promise<RemoteFacts | null> {
    const seen = this.#watches.factsOf(path);
    if (seen !== undefined) return seen;
    const answer = await this.#ask('agtmux_file_facts', [path]);
    return answer === null ? null : readStatLine(answer.trim());
  }

  async read(
    path: string,
    { offset, bytesMax }: { readonly offset: number; readonly bytesMax: number },
  ): Promise<Uint8Array | null> {
    const most = Math.max(0, Math.min(Math.floor(bytesMax), READ_BYTES_MAX));
    const first = Math.max(0, Math.floor(offset)) + 1;
    const body = await this.#askFor(
      'agtmux_file_read',
      [path, String(first), String(most)],
      'bytes',
    );
    return body === null ? null : Buffer.from(body, 'latin1').subarray(0, most);
  }

  async list(folder: string): Promise<readonly string[] | null> {
    const body = await this.#askFor('agtmux_folder_list', [folder, String(NAMES_MAX)], 'names');
    return body === null ? null : linesOf(body).slice(0, NAMES_MAX);
  }

  /** Newlines in a value come as U+0001. */
  async environment(
    pid: number,
    names: readonly string[],
  ): Promise<Readonly<Record<string, string>> | null> {
    const wanted = names.filter((name) => /^[A-Z_][A-Z0-9_]*$/.test(name));
    if (wanted.length === 0) return {};
    const words = [String(pid), ...wanted];
    const body = await this.#askFor('agtmux_environment', words, 'variables');
    if (body === null) return null;
    const pairs = linesOf(body).map((line) => [
      line.slice(0, line.indexOf('=')),
      line.slice(line.indexOf('=') + 1),
    ]);
    const isWanted = ([name = '', value = '']: readonly string[]): boolean =>
      wanted.includes(name) && value.length <= PATH_LENGTH_MAX;
    return Object.fromEntries(pairs.filter(isWanted));
  }

  /** Read off `ls -l`: a descriptor's own name is a number, so the first arrow is the link's. */
  async openFiles(pid: number): Promise<readonly string[] | null> {
    const words = [String(pid), String(OPEN_FILES_MAX)];
    const body = await this.#askFor('agtmux_open_files', words, 'files');
    if (body === null) return null;
    return linesOf(body).flatMap((line) => {
      const path = / \d+ -> (\/.*)$/.exec(line)?.[1];
      return path === undefined ? [] : [path];
    });
  }

  /** Ports of another machine cannot be reached without opening a way to them. */
  async listeningPorts(_pid: number): Promise<readonly number[] | null> {
    return null;
  }

  watch(path: string, onChange: () => void): Disposable {
    return this.#watches.add(path, onChange);
  }

  [Symbol.dispose](): void {
    this.#watches[Symbol.dispose]();
  }

  /** The text after a first line that is `word`, or null. */
  async #askFor(
    command: ProbeCommand,
    words: readonly string[],
    word: string,
  ): Promise<string | null> {
    const answer = await this.#ask(command, words);
    return answer?.startsWith(`${word}\n`) ? answer.slice(word.length + 1) : null;
  }

  async #ask(command: ProbeCommand, words: readonly string[]): Promise<string | null> {
    const isFit = words.every((word) => !word.includes('\0') && word.length <= PATH_LENGTH_MAX);
    if (!isFit) return null;
    if (this.#requestCount < REQUESTS_MAX) this.#requestCount += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await this.#options.probe.ask({ command, words, deadlineMs: DEADLINE_MS });
    } finally {
      // The next request takes over the room, or it becomes free.
      const next = this.#waiting.shift();
      if (next === undefined) this.#requestCount -= 1;
      else next();
    }
  }
}

const linesOf = (body: string): readonly string[] =>
  Buffer.from(body, 'latin1').toString('utf8').split('\n').filter(Boolean);
