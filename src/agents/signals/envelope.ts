// How events of hooks, plugins and extensions reach a normaliser: the agent's own payload, bare or
// in an envelope of our emitter, which adds the event's name (some agents put it only on the
// command line of the hook) and the environment that binds it to a pane.

import type { BindHint } from '../../schema/evidence.ts';
import { type Fields, fieldsAt, readFields, textAt } from './fields.ts';
import { senderPids } from './lineage.ts';

/** What the emitter drops into the spool: `{ event, payload, env }`. */
export interface Envelope {
  /** The hook's name on the command line, or null for a bare payload. */
  readonly event: string | null;
  readonly fields: Fields;
  readonly env: Fields;
}

const noEnv: Fields = {};

/** The envelope of a raw signal, or why it cannot be read. */
export function openEnvelope(raw: unknown): Envelope | string {
  const outer = readFields(raw);
  if (typeof outer === 'string') return outer;
  const event = textAt(outer, 'event');
  if (event === undefined || !Object.hasOwn(outer, 'payload')) {
    return { event: null, fields: outer, env: noEnv };
  }
  const fields = readFields(outer['payload']);
  if (typeof fields === 'string') return `${fields} in the payload of ${event.slice(0, 80)}`;
  return { event, fields, env: fieldsAt(outer, 'env') ?? noEnv };
}

/** Only for hooks that run in the pane's own process: a shared daemon has another environment. */
export function bindByPane({ env }: Envelope): Partial<Omit<BindHint, 'targetId'>> | undefined {
  const paneId = textAt(env, 'TMUX_PANE');
  const server = textAt(env, 'TMUX')?.split(',')[0];
  const pid = Number(textAt(env, 'CLAUDE_PID'));
  const isPane = paneId !== undefined && /^%\d{1,9}$/.test(paneId);
  const isPid = Number.isSafeInteger(pid) && pid > 0;
  const byProcess = bindByProcess({ env });
  if (!isPane && !isPid && !byProcess) return undefined;
  return {
    ...(isPane ? { paneId } : {}),
    ...(isPane && server ? { server: server.slice(0, 500) } : {}),
    ...(isPid ? { pid } : {}),
    ...byProcess,
  };
}

/** For agents that run hooks themselves or by a shared daemon, which has no pane of its own. */
export function bindByProcess({ env }: Pick<Envelope, 'env'>): Pick<BindHint, 'pids'> | undefined {
  const pids = senderPids(textAt(env, 'AGTMUX_LINEAGE'));
  return pids === undefined ? undefined : { pids: [...pids] };
}
