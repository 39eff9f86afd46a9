// What the page knows of all panes: messages of the stream in, the next fleet out. Objects of panes
// that did not change stay the same, so that their rows are not drawn again. Pure.

import type { PaneItem, SummaryItem } from '../../schema/api/panes.ts';
import type { OutageItem } from '../../schema/api/targets.ts';
import { countNeeds, sumOfNeeds } from '../../text/need.ts';
import type { PushMessage } from '../../web-client/web-client.ts';

export interface Fleet {
  readonly panes: ReadonlyMap<string, PaneItem>;
  readonly summary: SummaryItem | null;
  readonly outages: readonly OutageItem[];
  /** When the service said so; null before it said anything. */
  readonly asOf: string | null;
}

export const emptyFleet: Fleet = { panes: new Map(), summary: null, outages: [], asOf: null };

export function applyPush(fleet: Fleet, { type, data }: PushMessage): Fleet {
  const asOf = data.generated_at;
  switch (type) {
    case 'snapshot': {
      const panes = new Map(data.panes.map((pane) => [pane.pane_key, keep(fleet, pane)]));
      return { panes, summary: data.summary, outages: data.outages, asOf };
    }
    case 'state_changed': {
      const panes = new Map(fleet.panes);
      for (const pane of data.panes) panes.set(pane.pane_key, pane);
      for (const key of data.removed) panes.delete(key);
      return { ...fleet, panes, asOf };
    }
    case 'summary_changed':
      return { ...fleet, summary: data.summary, outages: data.outages, asOf };
    case 'attention_changed': {
      const panes = new Map(fleet.panes);
      for (const { pane_key, attention } of data.panes) {
        const pane = panes.get(pane_key);
        if (pane) panes.set(pane_key, { ...pane, attention });
      }
      return { ...fleet, panes, asOf };
    }
    default:
      // A newer service may send more.
      return fleet;
  }
}

/** The pane as it is known already, where a snapshot brings nothing new of it. */
function keep({ panes }: Fleet, pane: PaneItem): PaneItem {
  const known = panes.get(pane.pane_key);
  return known?.row_seq === pane.row_seq && known.runtime_id === pane.runtime_id ? known : pane;
}

/** How many need a person: the same rule as on every other surface. */
export const needCount = ({ panes }: Fleet): number => sumOfNeeds(countNeeds(panes.values()));

/** The pane that a reference of a link means; the name of a pane may be another's by now. */
export function paneOf({ panes }: Fleet, ref: string): PaneItem | null {
  const all = [...panes.values()];
  const fits = (test: (pane: PaneItem) => boolean): PaneItem | undefined => all.find(test);
  const runtime = ref.startsWith('runtime:') ? ref.slice('runtime:'.length) : null;
  return (
    (runtime === null ? undefined : fits(({ runtime_id }) => runtime_id === runtime)) ??
    fits((pane) => pane.ref === ref) ??
    panes.get(ref) ??
    null
  );
}

const SAVED_PANES_MAX = 500;

/** The fleet as text, for the next visit without a connection. */
export function saveFleet({ panes, summary, outages, asOf }: Fleet): string {
  return JSON.stringify({
    panes: [...panes.values()].slice(0, SAVED_PANES_MAX),
    summary,
    outages,
    asOf,
  });
}

/** Null for a text of another version, or none. */
export function readFleet(text: string | null): Fleet | null {
  try {
    const saved = JSON.parse(text ?? 'null') as
      | (Omit<Fleet, 'panes'> & { panes: PaneItem[] })
      | null;
    if (saved === null || typeof saved.asOf !== 'string') return null;
    const panes = new Map(saved.panes.map((pane) => [pane.pane_key, pane]));
    // Whatever is wrong with it shows up here and not later.
    countNeeds(panes.values());
    return { panes, summary: saved.summary, outages: saved.outages ?? [], asOf: saved.asOf };
  } catch {
    return null;
  }
}
