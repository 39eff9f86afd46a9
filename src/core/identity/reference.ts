// References: unambiguous names of a runtime or a pane. `runtime:<id>` or
// `pane:<target>[+<server>]/<session>/<window>/<pane>`, each part percent-encoded. Resolving fails
// closed: nothing, or more than one thing, is a refusal.

import { id, type RuntimeId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { PaneLocation } from '../../schema/pane.ts';
import { liveRuntime, type PaneRecord, type World } from '../world.ts';

const REF_LENGTH_MAX = 8_192;

export type Reference =
  | { readonly kind: 'runtime'; readonly runtimeId: RuntimeId }
  | {
      readonly kind: 'pane';
      readonly target: string;
      /** Null: any server of the target. */
      readonly server: string | null;
      /** A name, or tmux's `$3`. */
      readonly session: string;
      /** An index, tmux's `@3`, or a name. */
      readonly window: string;
      /** An index, or tmux's `%3`. */
      readonly pane: string;
    };

/** Reads a reference. Anything that is not exactly one of the two forms is refused. */
export function parseReference(text: string): Outcome<Reference> {
  const invalid = refuse('E_REF_INVALID', `"${text.slice(0, 80)}" is not a reference`);
  if (text.length > REF_LENGTH_MAX) return invalid;
  if (text.startsWith('runtime:')) {
    const runtimeId = text.slice('runtime:'.length);
    return /^[A-Za-z0-9_-]{1,128}$/.test(runtimeId)
      ? ok({ kind: 'runtime', runtimeId: id<RuntimeId>(runtimeId) })
      : invalid;
  }
  if (!text.startsWith('pane:')) return invalid;
  const [place, ...rest] = text.slice('pane:'.length).split('/');
  if (place === undefined || rest.length !== 3) return invalid;
  const [target, server, ...tooMany] = place.split('+').map(decodePart);
  const [session, window, pane] = rest.map(decodePart);
  if (!target || !session || !window || !pane || tooMany.length > 0) return invalid;
  if (server === null || server === '') return invalid;
  return ok({ kind: 'pane', target, server: server ?? null, session, window, pane });
}

/** The text of a reference; parsing it gives the same reference back. */
export function formatReference(reference: Reference): string {
  if (reference.kind === 'runtime') return `runtime:${reference.runtimeId}`;
  const { target, server, session, window, pane } = reference;
  const place = encodePart(target) + (server === null ? '' : `+${encodePart(server)}`);
  return `pane:${[place, ...[session, window, pane].map(encodePart)].join('/')}`;
}

export function resolveReference(world: World, reference: Reference): Outcome<PaneRecord> {
  if (reference.kind === 'runtime') return resolveRuntime(world, reference.runtimeId);
  const found = [...world.panes.values()].filter((pane) => isNamed(world, pane, reference));
  const text = formatReference(reference);
  const [pane, ...others] = found;
  if (!pane) return refuse('E_REF_NOT_FOUND', `no pane is at ${text}`);
  if (others.length > 0) return refuse('E_REF_AMBIGUOUS', `${found.length} panes are at ${text}`);
  return ok(pane);
}

function resolveRuntime(world: World, runtimeId: RuntimeId): Outcome<PaneRecord> {
  const runtime = liveRuntime(world, runtimeId);
  const pane = runtime && world.panes.get(runtime.paneKey);
  if (pane) return ok(pane);
  return world.runtimes.has(runtimeId)
    ? refuse('E_RUNTIME_STALE', `runtime ${runtimeId} has ended`)
    : refuse('E_REF_NOT_FOUND', `runtime ${runtimeId} does not exist`);
}

function isNamed(
  world: World,
  { facts, goneAtMs, targetId }: PaneRecord,
  reference: Extract<Reference, { kind: 'pane' }>,
): boolean {
  if (!facts || goneAtMs !== null) return false;
  const isTarget =
    targetId === reference.target || world.targets.get(targetId)?.name === reference.target;
  if (!isTarget) return false;
  if (reference.server !== null && facts.server !== reference.server) return false;
  return facts.locations.some((location) => isAt(location, facts.paneId, reference));
}

function isAt(
  location: PaneLocation,
  paneId: string,
  { session, window, pane }: { session: string; window: string; pane: string },
): boolean {
  const isSession = session === location.sessionName || session === location.sessionId;
  const isWindow =
    window === location.windowId ||
    window === String(location.windowIndex) ||
    window === location.windowName;
  return isSession && isWindow && (pane === paneId || pane === String(location.paneIndex));
}

/** Lone surrogates cannot be encoded; tmux cannot hold them either. */
const encodePart = (part: string): string => encodeURIComponent(part.toWellFormed());

function decodePart(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
