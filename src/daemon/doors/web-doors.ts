// The web services of the daemon: those that commands have opened, and the one that config.toml
// keeps open. Their code is loaded with the first of them.

import { realpathSync } from 'node:fs';
import { homedir, networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import type { OpenWeb, WebPort } from '../../operations/ports/web-port.ts';
import { packageVersion } from '../../platform/version.ts';
import { type Config, configSchema } from '../../schema/config.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { NewWebToken, OpenWebInput, Pairing } from '../../schema/web/open-web.ts';
import type { OperationHost } from '../../servers/session.ts';
import type { TlsFiles } from '../../servers/web/gate/tls-files.ts';
import { isLoopback } from '../../servers/web/gate/web-gate.ts';
import {
  newSecret,
  SecretHash,
  type TokenHolder,
  WebTokens,
} from '../../servers/web/gate/web-tokens.ts';
import { PairingCodes } from '../../servers/web/pairing/pairing-codes.ts';
import { linkBase, pairingLink } from '../../servers/web/pairing/pairing-link.ts';
import type { WebServer } from '../../servers/web/web-server.ts';

/** The holder where a command has its own token, and where none is needed. */
const OWN_TOKEN = 'own';
const OPEN_TOKEN = 'open';
/** Where a port of the configuration is taken, it is tried again this often. */
const RETRY_MS = 5_000;

export interface WebDoorsOptions {
  /** Asked when a service opens. */
  readonly host: () => OperationHost;
  readonly tokensFile: string;
  readonly nowMs: () => number;
  readonly config: () => Config['web'];
  readonly log: (fields: Readonly<Record<string, unknown>>, message: string) => void;
  /** It is refused from now on, or has another secret. */
  readonly onTokenEnded?: (tokenId: string) => void;
}

interface OpenAddress {
  readonly base: string;
  /** Whether browsers are let in by links; else everybody is. */
  readonly isPaired: boolean;
}

/** What the configuration asks for, as a caller would. */
const inputOf = ({ host, port, workDir, noAuth, ...rest }: Config['web']): OpenWebInput => ({
  ...{ host, port, work_dir: workDir, allowed_origins: rest.allowedOrigins, no_auth: noAuth },
  public_url: rest.publicUrl,
  tls_cert: fileOf(rest.tlsCert),
  tls_key: fileOf(rest.tlsKey),
});

const fileOf = (path: string): string =>
  path === '' ? '' : resolve(path.replace(/^~(?=\/)/, homedir()));

export class WebDoors implements WebPort, AsyncDisposable {
  readonly #options: WebDoorsOptions;
  readonly #tokens: WebTokens;
  readonly #codes: PairingCodes;
  /** What is open, with the address that links into it begin with; null until it listens. */
  readonly #servers = new Map<WebServer, OpenAddress | null>();
  /** Those with a token of their own. */
  readonly #own = new Set<WebServer>();
  /** What the configuration keeps open, with the values that it was opened with. */
  #kept: OpenWeb | null = null;
  #keptAs = JSON.stringify(configSchema.parse({}).web);
  #following: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: WebDoorsOptions) {
    this.#options = options;
    this.#tokens = new WebTokens(options.tokensFile, options.nowMs);
    this.#codes = new PairingCodes(options.nowMs);
    this.#tokens.onEnded((tokenId) => {
      for (const server of this.#servers.keys()) server.dropToken(tokenId);
      options.onTokenEnded?.(tokenId);
    });
  }

  /** Whether it lets somebody in; that of a command does as long as its service is open. */
  isTokenCurrent(tokenId: string): boolean {
    if (tokenId === OPEN_TOKEN) return true;
    if (tokenId === OWN_TOKEN) return this.#own.size > 0;
    return this.#tokens.all.some(({ id }) => id === tokenId);
  }

  tokens = () => this.#tokens.all;
  createToken: WebPort['createToken'] = (name, scope) => this.#tokens.create(name, scope);
  rotateToken: WebPort['rotateToken'] = (tokenId) => this.#tokens.rotate(tokenId);
  revokeToken: WebPort['revokeToken'] = (tokenId) => this.#tokens.revoke(tokenId);

  pair: WebPort['pair'] = (offer) => {
    const open = [...this.#servers.values()].findLast((each) => each?.isPaired);
    return open
      ? ok(this.#pairing(open.base, offer))
      : refuse('E_WEB_CLOSED', 'no web service is open');
  };

  /** What links to the service begin with that was opened last. */
  get linkBase(): string | null {
    return [...this.#servers.values()].findLast((each) => each !== null)?.base ?? null;
  }

  #pairing(base: string, offer: Parameters<WebPort['pair']>[0]): Pairing {
    const { code, expiresAtMs } = this.#codes.create(offer);
    const expiresAt = new Date(expiresAtMs).toISOString();
    return { link: pairingLink(base, code), scope: offer.scope, expires_at: expiresAt };
  }

  /** Lets a browser in that hands in a code; its token is its cookie. */
  #admitBrowser(code: string, browser: string): Outcome<NewWebToken> | null {
    const offer = this.#codes.take(code);
    return offer && this.#tokens.create(offer.name ?? browser, offer.scope, 'browser');
  }

  get clientCount(): number {
    return [...this.#servers.keys()].reduce((sum, { clientCount }) => sum + clientCount, 0);
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
    await Promise.all([...this.#servers.keys()].map((server) => this.#close(server)));
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
    const publicUrl = URL.parse(input.public_url);
    if (publicUrl === null && input.public_url !== '') {
      return refuse('E_INPUT_INVALID', `${input.public_url} is not the address of a host`);
    }
    const { WebServer: Loaded } = await import('../../servers/web/web-server.ts');
    const tls = await this.#openTls(input);
    if (tls !== null && 'ok' in tls) return tls;
    if (this.#isClosed) return refuse('E_WEB_PORT', 'the daemon ends');
    const holderOf = (text: string): TokenHolder | null =>
      secret?.matches(text) ? { id: OWN_TOKEN, scope: 'control' } : this.#tokens.holderOf(text);
    const { log, host } = this.#options;
    const server = new Loaded({
      host: host(),
      bind: { host: input.host, port: input.port },
      allowedOrigins: input.allowed_origins,
      workDir: canonicalFolder(input.work_dir),
      debugServeDir: input.debug_serve_dir ?? null,
      ...{ publicUrl, tls },
      access: input.no_auth ? 'open' : holderOf,
      sessions: {
        pair: (code, browser) => this.#admitBrowser(code, browser),
        end: (tokenId) => this.#tokens.endBrowser(tokenId),
      },
      onUse: (tokenId) => this.#tokens.markUsed(tokenId),
      onDebugLine: (line) => log({ line }, 'a page under development'),
      loadMcp: async () => {
        const { openHttpMcp } = await import('../../mcp/serve-http.ts');
        const onError = (error: Error) => log({ error: error.message }, 'an MCP request');
        return openHttpMcp({ version: packageVersion(), onError });
      },
    });
    this.#servers.set(server, null);
    if (secret !== null) this.#own.add(server);
    try {
      const url = await server.listen();
      const base = linkBase({ url, publicUrl, interfaces: networkInterfaces() });
      this.#servers.set(server, { base, isPaired: !input.no_auth });
      const close = () => this.#close(server);
      const offer = { scope: 'control', name: null } as const;
      const pairing = input.no_auth ? null : this.#pairing(base, offer);
      return ok({ opened: { url, token: made, pairing }, [Symbol.asyncDispose]: close });
    } catch (error) {
      await this.#close(server);
      const detail = error instanceof Error ? error.message : String(error);
      return refuse('E_WEB_PORT', `${input.host} port ${input.port}: ${detail}`);
    }
  }

  /** Null: without TLS. A refusal where the files do not fit. */
  async #openTls(input: OpenWebInput): Promise<TlsFiles | Refused | null> {
    const { tls_cert: certFile, tls_key: keyFile } = input;
    if (certFile === '' && keyFile === '') return null;
    if (certFile === '' || keyFile === '') {
      return refuse('E_INPUT_INVALID', 'a certificate and its key are two files: name both');
    }
    const { TlsFiles: Loaded } = await import('../../servers/web/gate/tls-files.ts');
    const log = (message: string) => this.#options.log({ certFile }, message);
    try {
      return new Loaded({ certFile, keyFile, log });
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      return refuse('E_INPUT_INVALID', `no TLS with ${certFile} and ${keyFile}: ${detail}`);
    }
  }

  async #close(server: WebServer): Promise<void> {
    if (this.#own.delete(server)) this.#options.onTokenEnded?.(OWN_TOKEN);
    if (this.#servers.delete(server)) await server[Symbol.asyncDispose]();
  }
}

type Refused = ReturnType<typeof refuse>;

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
