// Normalising by table: the [[events]] of a rule file turned into normalisers, so that a user's own
// agent needs no code. Agents whose payloads need more have normalisers of their own.

import type { EventFile } from '../schema/agent-file.ts';
import type { NormaliseContext, Normaliser, NormaliserResult, NormaliserTable } from './adapter.ts';
import { bindByPane, type Envelope, openEnvelope } from './signals/envelope.ts';
import { idAt, valueAt } from './signals/fields.ts';
import {
  buildSignal,
  claim,
  ignoredSignal,
  type SignalContent,
  unknownSignal,
} from './signals/signal-content.ts';

/** One normaliser for each source that the events name. */
export function compileEventMap(events: readonly EventFile[]): NormaliserTable {
  const sources = new Set(events.map((event) => event.source));
  return Object.fromEntries(
    [...sources].map((source) => [
      source,
      compileSource(events.filter((event) => event.source === source)),
    ]),
  );
}

function compileSource(events: readonly EventFile[]): Normaliser {
  return (raw, context): NormaliserResult => {
    const envelope = openEnvelope(raw);
    if (typeof envelope === 'string') return unknownSignal(envelope);
    const { fields } = envelope;
    const event = events.find((each) => nameIn(envelope, each) === each.equals);
    if (event === undefined) return unknownSignal('no entry of the event map fits');
    if (event.ignore) return ignoredSignal(`${event.equals} is ignored by the map`);
    return buildSignal(event.equals, contentOf(event, context), context, {
      sessionKey: event.session === undefined ? undefined : idAt(fields, event.session),
      bind: bindByPane(envelope),
    });
  };
}

/** The payload's own name, or the one that the hook's command line gave. */
const nameIn = ({ event, fields }: Envelope, { field }: EventFile): unknown =>
  valueAt(fields, field) ?? event;

function contentOf(
  { says, reason, ended }: EventFile,
  { source }: NormaliseContext,
): SignalContent {
  const content = says === undefined ? {} : claim(says, { covers: source.covers, reason });
  return ended ? { ...content, ended } : content;
}
