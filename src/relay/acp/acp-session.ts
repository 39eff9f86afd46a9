// From a fresh process to a session: initialize, log in where that was asked for, then the session
// of before or a new one. All of it within the time of a start; loading has more, because the agent
// tells all that happened again.

import { packageVersion } from '../../platform/version.ts';
import { type AcpObject, isObject } from './acp-frames.ts';
import {
  ACP_AUTH_REQUIRED,
  ACP_NO_REPLY,
  AcpError,
  type AcpLink,
  acpErrorText,
} from './acp-link.ts';

const PROTOCOL = 1;
const LOAD_MS = 60_000;
const METHODS_MAX = 16;

export interface SessionWish {
  readonly cwd: string;
  readonly mcpServers: readonly AcpObject[];
  readonly authMethod: string | null;
  readonly startMs: number;
  /** Null: a new one. */
  readonly sessionId: string | null;
}

export interface OpenedSession {
  readonly sessionId: string;
  readonly isNew: boolean;
  /** What people should know: the session of before could not be opened again. */
  readonly note: string | null;
}

/** Rejects with an AcpError; with the methods to log in where that is what is missing. */
export async function openSession(link: AcpLink, wish: SessionWish): Promise<OpenedSession> {
  const endsAtMs = performance.now() + wish.startMs;
  const leftMs = (): number => Math.max(1, endsAtMs - performance.now());
  const hello = await link.request('initialize', helloParams(), leftMs());
  const { protocolVersion, authMethods } = hello;
  if (protocolVersion !== PROTOCOL) {
    const message = `it speaks version ${String(protocolVersion).slice(0, 20)} of the protocol`;
    throw new AcpError(ACP_NO_REPLY, message, null);
  }
  try {
    if (wish.authMethod !== null) {
      await link.request('authenticate', { methodId: wish.authMethod }, leftMs());
    }
    return await begin(link, { hello, wish, leftMs });
  } catch (error) {
    if (!(error instanceof AcpError) || error.code !== ACP_AUTH_REQUIRED) throw error;
    throw new AcpError(error.code, error.message, { methods: methodNames(authMethods) });
  }
}

async function begin(
  link: AcpLink,
  {
    hello,
    wish,
    leftMs,
  }: { readonly hello: AcpObject; readonly wish: SessionWish; readonly leftMs: () => number },
): Promise<OpenedSession> {
  const { sessionId, cwd, mcpServers } = wish;
  const params = { cwd, mcpServers };
  const method = sessionId === null ? null : reopening(hello);
  let note: string | null = null;
  if (sessionId !== null && method === null) note = 'it cannot go on with a session of before';
  if (sessionId !== null && method !== null) {
    try {
      await link.request(method, { ...params, sessionId }, LOAD_MS);
      return { sessionId, isNew: false, note: null };
    } catch (error) {
      const isLasting = !(error instanceof AcpError) || error.code === ACP_AUTH_REQUIRED;
      if (isLasting || error.code === ACP_NO_REPLY) throw error;
      note = `its session could not be opened again: ${acpErrorText(error).slice(0, 200)}`;
    }
  }
  // Reading a session that is gone may have taken all of the time.
  const created = await link.request('session/new', params, Math.max(leftMs(), wish.startMs / 2));
  const id = created['sessionId'];
  if (typeof id !== 'string' || id === '' || id.length > 512) {
    throw new AcpError(ACP_NO_REPLY, 'it named no session', null);
  }
  return { sessionId: id, isNew: true, note };
}

const helloParams = (): AcpObject => ({
  protocolVersion: PROTOCOL,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: { name: 'agtmux', title: 'agtmux', version: packageVersion() },
});

/** Loading shows what happened before; resuming does not. */
function reopening({ agentCapabilities }: AcpObject): 'session/load' | 'session/resume' | null {
  if (!isObject(agentCapabilities)) return null;
  if (agentCapabilities['loadSession'] === true) return 'session/load';
  const own = agentCapabilities['sessionCapabilities'];
  return isObject(own) && isObject(own['resume']) ? 'session/resume' : null;
}

function methodNames(value: unknown): string {
  const methods = Array.isArray(value) ? value.slice(0, METHODS_MAX).filter(isObject) : [];
  return methods
    .map(({ id }) => (typeof id === 'string' ? id.slice(0, 64) : ''))
    .filter((id) => id !== '')
    .join(', ');
}
