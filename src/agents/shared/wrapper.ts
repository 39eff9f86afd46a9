// `agtmux run`: a program started, or ended with a status. The process tree says that it lives;
// what it does in between the wrapper cannot see, so it claims nothing and reports only its name.

import type { Normaliser } from '../adapter.ts';
import { bindByPane, openEnvelope } from '../signals/envelope.ts';
import { countAt, textAt } from '../signals/fields.ts';
import {
  buildSignal,
  ignoredSignal,
  reportActivity,
  sessionEnded,
  unknownSignal,
} from '../signals/signal-content.ts';

/** Takes `{ event: 'start' | 'exit', payload: { pid, name?, code?, signal? }, env }`. */
export const wrapperEvents: Normaliser = (raw, context) => {
  const envelope = openEnvelope(raw);
  if (typeof envelope === 'string') return unknownSignal(envelope);
  const { event, fields } = envelope;
  const pid = countAt(fields, 'pid');
  if (pid === undefined || !Number.isSafeInteger(pid) || pid < 1) return unknownSignal('no pid');
  const { paneId, server } = bindByPane(envelope) ?? {};
  if (!paneId || !server) return ignoredSignal('it does not run in tmux');
  // The emitter runs beside the program, not under it, so its ancestors do not count here.
  const bind = { paneId, server, pid };
  if (event === 'exit') return buildSignal(event, sessionEnded, context, { bind });
  if (event !== 'start') return unknownSignal(`the event ${String(event).slice(0, 80)}`);
  const title = textAt(fields, 'name');
  return buildSignal(event, title === undefined ? {} : reportActivity({ title }), context, {
    bind,
  });
};
