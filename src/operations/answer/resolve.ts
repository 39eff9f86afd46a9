// From what a person typed to one pane, or to an agent. Canonical references are core's; the
// shorter forms are here: exact ones for every use, ambiguous ones only for reading.

import { parseReference, resolveReference } from '../../core/identity/reference.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import { id, type PaneKey } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { AdaptersPort } from '../ports/ports.ts';

/** A shorter start of a runtime id would match by chance. */
const PREFIX_LENGTH_MIN = 4;

/** A canonical reference, a key of a pane, or tmux's own `%12` where only one server has it. */
export function resolveExact(world: World, text: string): Outcome<PaneRecord> {
  const byKey = world.panes.get(id<PaneKey>(text));
  if (byKey) return ok(byKey);
  if (/^%\d+$/.test(text)) {
    return onlyOne(
      text,
      [...world.panes.values()].filter(
        ({ facts, goneAtMs }) => goneAtMs === null && facts?.paneId === text,
      ),
    );
  }
  const reference = parseReference(text);
  return reference.ok ? resolveReference(world, reference.value) : reference;
}

/** Also the unique start of a runtime id, or a session with one agent. Never for acting. */
export function resolveForReading(world: World, text: string): Outcome<PaneRecord> {
  const exact = resolveExact(world, text);
  if (exact.ok || exact.refusal.code !== 'E_REF_INVALID' || /^(runtime|pane):/.test(text)) {
    return exact;
  }
  const found = [...world.panes.values()].filter(
    (pane) => pane.goneAtMs === null && (isPrefix(pane, text) || isInSession(pane, text)),
  );
  if (found.length > 0) return onlyOne(text, found);
  return refuse(
    'E_REF_NOT_FOUND',
    `no pane, runtime or session with an agent is called "${cut(text)}"`,
  );
}

/** Why an agent cannot be named; null when it is one that is known. */
export function refuseUnknownAgent(adapters: AdaptersPort, agent: string): Outcome<never> | null {
  const isKnown = adapters.list().adapters.some((each) => each.agent === agent);
  return isKnown ? null : refuse('E_AGENT_UNKNOWN', `no agent is called "${cut(agent)}"`);
}

function onlyOne(text: string, found: readonly PaneRecord[]): Outcome<PaneRecord> {
  const [pane, ...others] = found;
  if (!pane) return refuse('E_REF_NOT_FOUND', `no pane is called "${cut(text)}"`);
  if (others.length === 0) return ok(pane);
  return refuse('E_REF_AMBIGUOUS', `"${cut(text)}" may be any of ${found.length} panes`);
}

const isPrefix = ({ row }: PaneRecord, text: string): boolean =>
  text.length >= PREFIX_LENGTH_MIN && row.runtimeId !== null && row.runtimeId.startsWith(text);

const isInSession = ({ row, facts }: PaneRecord, text: string): boolean =>
  row.presence === 'managed' &&
  (facts?.locations.some(({ sessionName }) => sessionName === text) ?? false);

const cut = (text: string): string => text.slice(0, 80);
