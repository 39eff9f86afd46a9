// From what a person or a program typed to the one pane that it means. Every operation that takes a
// reference resolves it here. Canonical references are identity/reference.ts; the shorter forms are
// what tables print: `[target[+server]/]session:window.pane`, `session:window`, `session`, `%3`, an
// agent, an alias, the id of a runtime. Whatever may mean two panes is refused. Pure.

import { id, type PaneKey, type RuntimeId } from '../../schema/ids.ts';
import { type Outcome, ok, type RefCandidate, refuse } from '../../schema/outcome.ts';
import { panesAtReference, parseReference, REF_LENGTH_MAX } from '../identity/reference.ts';
import { liveRuntime, type PaneRecord, type World } from '../world.ts';
import { candidatesOf, nearestName, panesMeantBy } from './pane-names.ts';
import { titleOf } from './title.ts';

/** Acting takes exact names only; reading also takes the unique start of a title. */
export type RefUse = 'act' | 'read';

/** A shorter start of a runtime id or a title would match by chance. */
const PREFIX_LENGTH_MIN = 3;

/** The one pane that a text means. Only the key of a pane may also be that of a gone one. */
export function resolveRef(world: World, name: string, use: RefUse): Outcome<PaneRecord> {
  const byKey = world.panes.get(id<PaneKey>(name));
  if (byKey) return ok(byKey);
  if (name.trim() === '' || name.length > REF_LENGTH_MAX) {
    return refuse('E_REF_INVALID', `"${cut(name)}" is not a reference`);
  }
  const reference = parseReference(name);
  if (reference.ok) {
    const { value } = reference;
    if (value.kind === 'runtime') return resolveRuntime(world, name, value.runtimeId);
    return onlyOne(world, name, panesAtReference(world, value));
  }
  const exact = panesMeantBy(world, name);
  const found = exact.length > 0 || use === 'act' ? exact : panesStartingWith(world, name);
  // A session may be called "pane": only what is no name either is a broken reference.
  if (found.length === 0 && /^(runtime|pane):/.test(name)) return reference;
  return onlyOne(world, name, found);
}

function resolveRuntime(world: World, name: string, runtimeId: RuntimeId): Outcome<PaneRecord> {
  const runtime = liveRuntime(world, runtimeId);
  const pane = runtime && world.panes.get(runtime.paneKey);
  if (pane) return ok(pane);
  if (!world.runtimes.has(runtimeId)) return notFound(world, name);
  return refuse('E_RUNTIME_STALE', `runtime ${runtimeId} has ended`);
}

function onlyOne(world: World, name: string, found: readonly PaneRecord[]): Outcome<PaneRecord> {
  const [pane, ...others] = found;
  if (!pane) return notFound(world, name);
  return others.length === 0 ? ok(pane) : ambiguous(world, name, found);
}

function panesStartingWith(world: World, text: string): readonly PaneRecord[] {
  if (text.length < PREFIX_LENGTH_MIN) return [];
  const start = text.toLowerCase();
  return [...world.panes.values()].filter((pane) => {
    if (pane.goneAtMs !== null) return false;
    const names = [pane.alias, titleOf(world, pane).title, pane.row.runtimeId];
    return names.some((name) => name?.toLowerCase().startsWith(start));
  });
}

function ambiguous(world: World, name: string, panes: readonly PaneRecord[]): Outcome<never> {
  const candidates = candidatesOf(world, panes);
  const more = panes.length - candidates.length;
  const hint =
    more > 0 ? `Type one of these; agtmux list prints the other ${more}.` : 'Type one of these.';
  const message = `"${cut(name)}" means any of ${panes.length} panes`;
  return refuse('E_REF_AMBIGUOUS', message, { hint, candidates });
}

function notFound(world: World, name: string): Outcome<never> {
  const what = `no pane is called "${cut(name)}"`;
  const candidates = siblingsOf(world, name);
  if (candidates.length > 0) {
    const hint = 'That session has these panes.';
    return refuse('E_REF_NOT_FOUND', what, { hint, candidates });
  }
  const near = nearestName(world, name);
  if (near === undefined) return refuse('E_REF_NOT_FOUND', what);
  const hint = `Did you mean ${near}? agtmux list prints every pane.`;
  return refuse('E_REF_NOT_FOUND', what, { hint });
}

/** The panes of the session in `session:window.pane`, where only the rest of it is wrong. */
function siblingsOf(world: World, name: string): readonly RefCandidate[] {
  const colon = name.indexOf(':');
  return colon < 1 ? [] : candidatesOf(world, panesMeantBy(world, name.slice(0, colon)));
}

const cut = (text: string): string => text.slice(0, 80);
