// References: unambiguous names of a runtime or a pane. `runtime:<id>` or
// `pane:<target>[+<server>]/<session>/<window>/<pane>`, each part percent-encoded; tmux's own `%3`
// may stand as it is. Shorter names, and references that mean no or several panes, are left to
// view/resolve-ref.ts.

import { id, type RuntimeId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { PaneFacts, PaneLocation } from '../../schema/pane.ts';
import type { PaneRecord, World } from '../world.ts';

export const REF_LENGTH_MAX = 8_192;

export type Reference =
  | { readonly kind: 'runtime'; readonly runtimeId: RuntimeId }
  | {
      readonly kind: 'pane';
      readonly target: string;
      /** The path or the name of its socket. Null: any server of the target. */
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
  const [session, window] = rest.map(decodePart);
  const pane = decodePane(rest[2] ?? '');
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

type PaneReference = Extract<Reference, { kind: 'pane' }>;

/** The live panes that a reference names; more than one where it leaves something open. */
export function panesAtReference(world: World, reference: PaneReference): readonly PaneRecord[] {
  return [...world.panes.values()].filter((pane) => isNamed(world, pane, reference));
}

function isNamed(
  world: World,
  { facts, goneAtMs, targetId }: PaneRecord,
  reference: PaneReference,
): boolean {
  if (!facts || goneAtMs !== null) return false;
  const isTarget =
    targetId === reference.target || world.targets.get(targetId)?.name === reference.target;
  if (!isTarget) return false;
  if (reference.server !== null && !isServer(facts, reference.server)) return false;
  return facts.locations.some((location) => isAt(location, facts.paneId, reference));
}

/** Whether a pane is on this server: by its path or, as tables print it, the name of its socket. */
export const isServer = ({ server }: PaneFacts, name: string): boolean =>
  server === name || socketName(server) === name;

export const socketName = (server: string): string => server.slice(server.lastIndexOf('/') + 1);

/** Whether a pane is shown at this location under these names. */
export function isAt(
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

/** An encoded pane, or tmux's `%3` as it is: that never decodes to an index or to such an id. */
function decodePane(part: string): string | null {
  const decoded = decodePart(part);
  const isPane = decoded !== null && /^%?\d+$/.test(decoded);
  return !isPane && /^%\d+$/.test(part) ? part : decoded;
}
