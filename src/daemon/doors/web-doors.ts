// The web services of the daemon: those that commands have opened, and the one that config.toml
// keeps open. Their code is loaded with the first of them.

import { realpathSync } from 'node:fs';
import type { OpenWeb, WebPort } from '../../operations/ports/ports.ts';
import { type Config, configSchema } from '../../schema/config.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { OpenWebInput } from '../../schema/web/open-web.ts';
import type { OperationHost } from '../../servers/session.ts';
import { isLoopback } from '../../servers/web/gate/web-gate.ts';
import {
  newSecret,
  SecretHash,
  type TokenHolder,
  WebTokens,
} from '../../servers/web/gate/web-tokens.ts';
import type { WebServer } from '../../servers/web/web-server.ts';

/** Where a port of the configuration is taken, it is tried again this often. */
const RETRY_MS = 5_000;

export interface WebDoorsOptions {
  /** Asked when a service opens. */
  readonly host: () => OperationHost;
  readonly tokensFile: string;
  readonly nowMs: () => number;
  readonly config: () => Config['web'];
  readonly log: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

/** What the configuration asks for, as a caller would. */
const inputOf = ({ host, port, workDir, allowedOrigins, noAuth }: Config['web']): OpenWebInput => ({
  ...{ host, port, work_dir: workDir, allowed_origins: allowedOrigins, no_auth: noAuth },
});

export class WebDoors implements WebPort, AsyncDisposable {
  readonly #options: WebDoorsOptions;
  readonly #tokens: WebTokens;
  readonly #servers = new Set<WebServer>();
  /** What the configuration keeps open, with the values that it was opened with. */
  #kept: OpenWeb | null = null;
  #keptAs = JSON.stringify(configSchema.parse({}).web);
  #following: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: WebDoorsOptions) {
    this.#options = options;
    this.#tokens = new WebTokens(options.tokensFile, options.nowMs);
    this.#tokens.onEnded((tokenId) => {
      for (const server of this.#servers) server.dropToken(tokenId);
    });
  }

  tokens = () => this.#tokens.all;
  createToken: WebPort['createToken'] = (name, scope) => this.#tokens.create(name, scope);
  rotateToken: WebPort['rotateToken'] = (tokenId) => this.#tokens.rotate(tokenId);
  revokeToken: WebPort['revokeToken'] = (tokenId) => this.#tokens.revoke(tokenId);

  get clientCount(): number {
    return [...this.#servers].reduce((sum, { clientCount }) => sum + clientCount, 0);
  }

  /** Opens a service with a token: the caller's, or one that is made for it. */
  async open(input: OpenWebInput): Promise<Outcome<OpenWeb>> {
    const { auth_token: given, no_auth: isOpen } = input;
    if (isOpen && given !== undefined) {
      return refuse('E_INPUT_INVALID', 'a token and no_auth exclude each other');
    }
    if (isOpen && !isLoopback(input.host)) return refuseOpen(input.host);
    const made = isOpen || given !== undefined ? null : newSecret();
    const secret = given ?? made;
    return this.#open(input, { secret: secret === null ? null : new SecretHash(secret), made });
  }

  /** Opens, closes or reopens what the configuration asks for. */
  follow(): Promise<void> {
    this.#following = this.#following.then(() => this.#follow());
    return this.#following;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    if (this.#retry) clearTimeout(this.#retry);
    await this.#following;
    await Promise.all([...this.#servers].map((server) => this.#close(server)));
  }

  async #follow(): Promise<void> {
    const config = this.#options.config();
    const wanted = JSON.stringify(config);
    if (this.#isClosed || wanted === this.#keptAs) return;
    if (this.#retry) clearTimeout(this.#retry);
    this.#retry = null;
    await this.#kept?.[Symbol.asyncDispose]();
    this.#kept = null;
    this.#keptAs = wanted;
    if (!config.enabled) return;
    const outcome = await this.#openKept(inputOf(config));
    if (outcome.ok) {
      this.#kept = outcome.value;
      this.#options.log({ url: outcome.value.opened.url }, 'the web service listens');
      return;
    }
    this.#options.log({ problem: outcome.refusal.message }, 'the web service is not open');
    if (outcome.refusal.code !== 'E_WEB_PORT') return;
    this.#keptAs = '';
    this.#retry = setTimeout(() => void this.follow(), RETRY_MS).unref();
  }

  /** Only the stored tokens let people in there. */
  async #openKept(input: OpenWebInput): Promise<Outcome<OpenWeb>> {
    const isOpen = input.no_auth;
    if (isOpen && !isLoopback(input.host)) return refuseOpen(input.host);
    if (!isOpen && !isLoopback(input.host) && this.#tokens.all.length === 0) {
      const detail = `there is no token yet, so it does not listen on ${input.host}`;
      return refuse('E_INPUT_INVALID', `${detail}; run agtmux web token create NAME`);
    }
    return this.#open(input, { secret: null, made: null });
  }

  async #open(
    input: OpenWebInput,
    { secret, made }: { readonly secret: SecretHash | null; readonly made: string | null },
  ): Promise<Outcome<OpenWeb>> {
    const { WebServer: Loaded } = await import('../../servers/web/web-server.ts');
    if (this.#isClosed) return refuse('E_WEB_PORT', 'the daemon ends');
    const holderOf = (text: string): TokenHolder | null =>
      secret?.matches(text) ? { id: 'own', scope: 'control' } : this.#tokens.holderOf(text);
    const { log, host } = this.#options;
    const server = new Loaded({
      host: host(),
      bind: { host: input.host, port: input.port },
      allowedOrigins: input.allowed_origins,
      workDir: canonicalFolder(input.work_dir),
      debugServeDir: input.debug_serve_dir ?? null,
      access: input.no_auth ? 'open' : holderOf,
      onDebugLine: (line) => log({ line }, 'a page under development'),
    });
    this.#servers.add(server);
    try {
      const url = await server.listen();
      const close = () => this.#close(server);
      return ok({ opened: { url, token: made }, [Symbol.asyncDispose]: close });
    } catch (error) {
      await this.#close(server);
      const detail = error instanceof Error ? error.message : String(error);
      return refuse('E_WEB_PORT', `${input.host} port ${input.port}: ${detail}`);
    }
  }

  async #close(server: WebServer): Promise<void> {
    if (this.#servers.delete(server)) await server[Symbol.asyncDispose]();
  }
}

const refuseOpen = (host: string) =>
  refuse('E_INPUT_INVALID', `without a token it listens on this machine alone, not on ${host}`);

/** As tmux names the folder of a pane: without links. */
function canonicalFolder(folder: string): string {
  if (folder === '') return '';
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
