// OSC 7501, "program status": `state=blocked:app=codex:kind=permission:msg=<base64>`. Codex 0.166
// sends it always, Claude Code only to a terminal that answers its question. It separates done,
// error and idle, which no other signal of a pane does. Codex also sends `working` while a
// background terminal runs: a later title or hook that ends the turn ends it.

import type { Normaliser } from '../adapter.ts';
import { textOfBase64 } from '../signals/base64.ts';
import { everyState, rest, work } from '../signals/coverage.ts';
import {
  buildSignal,
  claim,
  ignoredSignal,
  type SignalContent,
  sessionEnded,
  unknownSignal,
} from '../signals/signal-content.ts';

const LENGTH_MAX = 4_000;

/** Takes the text between `ESC ]` and its end, with or without the number. */
export const osc7501: Normaliser = (raw, context) => {
  if (typeof raw !== 'string') return unknownSignal('no text');
  if (raw.length > LENGTH_MAX) return unknownSignal('longer than an OSC may be');
  const text = raw.replace(/^7501;/, '');
  if (text === '?') return ignoredSignal('a question to the terminal');
  const fields = new Map(text.split(':').map(pair));
  const state = fields.get('state');
  if (state === undefined) return unknownSignal('no state');
  const content = contentOf(state, fields.get('kind'), fields.get('msg'));
  if (content === null) return unknownSignal(`state ${state.slice(0, 80)}`);
  return buildSignal(`osc7501:${state}`, content, context);
};

function pair(part: string): [string, string] {
  const at = part.indexOf('=');
  return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
}

function contentOf(state: string, kind: string | undefined, msg = ''): SignalContent | null {
  switch (state) {
    case 'working':
      return claim('running', { covers: everyState });
    case 'blocked':
      return blocked(kind, textOfBase64(msg));
    case 'done':
      return claim('completed');
    case 'error':
      return claim('error', { reason: 'api_error' });
    case 'idle':
      return claim('at_rest', { covers: rest });
    case 'clear':
      return sessionEnded;
    default:
      return null;
  }
}

function blocked(kind: string | undefined, text: string | undefined): SignalContent {
  const words = text === undefined ? {} : { text };
  switch (kind) {
    case 'permission':
      return claim('waiting_approval', {
        covers: [...work, 'waiting_input'],
        request: { kind: 'approval', ...words },
      });
    case 'auth':
      return claim('error', { reason: 'auth_required' });
    case 'question':
      return claim('waiting_input', {
        covers: [...work, 'waiting_approval'],
        request: { kind: 'question', ...words },
      });
    default:
      return claim('waiting_input', { covers: work });
  }
}
