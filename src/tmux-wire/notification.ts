// Notifications of tmux 3.2 to 3.8 in control mode, one line each. A line that is none of them is
// `unrecognised`: newer versions add some, and a title with a newline in it may forge one.

import { unescapeOctal } from './bytes.ts';

/** One line outside a reply. Ids are tmux's own: `%pane`, `@window`, `$session`. */
export type Notification =
  | { readonly kind: 'output'; readonly paneId: string; readonly bytes: string }
  | { readonly kind: 'pause' | 'continue' | 'pane-mode-changed'; readonly paneId: string }
  | { readonly kind: 'window-add' | 'window-close'; readonly windowId: string }
  | { readonly kind: 'window-renamed'; readonly windowId: string; readonly name: string }
  | { readonly kind: 'window-pane-changed'; readonly windowId: string; readonly paneId: string }
  | { readonly kind: 'layout-change'; readonly windowId: string; readonly layout: string }
  | { readonly kind: 'sessions-changed' }
  | {
      readonly kind: 'session-changed' | 'session-renamed';
      readonly sessionId: string;
      readonly name: string;
    }
  | {
      readonly kind: 'session-window-changed';
      readonly sessionId: string;
      readonly windowId: string;
    }
  | { readonly kind: 'client-session-changed' | 'client-detached'; readonly client: string }
  | { readonly kind: 'subscription-changed'; readonly name: string; readonly value: string }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'paste-buffer-changed' | 'paste-buffer-deleted'; readonly name: string }
  | { readonly kind: 'config-error'; readonly text: string }
  | { readonly kind: 'exit'; readonly reason: string }
  | { readonly kind: 'unrecognised'; readonly line: string };

type Reader = (rest: string) => Notification | null;

const isPane = (word: string): boolean => /^%\d+$/.test(word);
const isWindow = (word: string): boolean => /^@\d+$/.test(word);
const isSession = (word: string): boolean => /^\$\d+$/.test(word);

/** The first word and the rest after one blank; the rest may be empty. */
function split(text: string): [string, string] {
  const blank = text.indexOf(' ');
  return blank === -1 ? [text, ''] : [text.slice(0, blank), text.slice(blank + 1)];
}

const ofPane =
  (kind: 'pause' | 'continue' | 'pane-mode-changed'): Reader =>
  (rest) =>
    isPane(rest) ? { kind, paneId: rest } : null;

const ofWindow =
  (kind: 'window-add' | 'window-close'): Reader =>
  (rest) => {
    const [windowId] = split(rest);
    return isWindow(windowId) ? { kind, windowId } : null;
  };

const ofSession =
  (kind: 'session-changed' | 'session-renamed'): Reader =>
  (rest) => {
    const [sessionId, name] = split(rest);
    return isSession(sessionId) ? { kind, sessionId, name } : null;
  };

const ofClient =
  (kind: 'client-session-changed' | 'client-detached'): Reader =>
  (rest) => ({ kind, client: split(rest)[0] });

const ofBuffer =
  (kind: 'paste-buffer-changed' | 'paste-buffer-deleted'): Reader =>
  (rest) => ({ kind, name: rest });

const output: Reader = (rest) => {
  const [paneId, escaped] = split(rest);
  return isPane(paneId) ? { kind: 'output', paneId, bytes: unescapeOctal(escaped) } : null;
};

/** `%extended-output %1 1234 ... : bytes`, sent under flow control in the place of `%output`. */
const extendedOutput: Reader = (rest) => {
  const [paneId, more] = split(rest);
  const colon = more.indexOf(' : ');
  if (!isPane(paneId) || colon === -1) return null;
  return { kind: 'output', paneId, bytes: unescapeOctal(more.slice(colon + 3)) };
};

/** `%subscription-changed name $1 @1 0 %1 : value`; of a whole server some places are `-`. */
const subscriptionChanged: Reader = (rest) => {
  const [name, more] = split(rest);
  const colon = more.indexOf(' : ');
  return colon === -1 ? null : { kind: 'subscription-changed', name, value: more.slice(colon + 3) };
};

const readers: Readonly<Record<string, Reader>> = {
  '%output': output,
  '%extended-output': extendedOutput,
  '%pause': ofPane('pause'),
  '%continue': ofPane('continue'),
  '%pane-mode-changed': ofPane('pane-mode-changed'),
  '%window-add': ofWindow('window-add'),
  '%unlinked-window-add': ofWindow('window-add'),
  '%window-close': ofWindow('window-close'),
  '%unlinked-window-close': ofWindow('window-close'),
  '%window-renamed': windowNamed,
  '%unlinked-window-renamed': windowNamed,
  '%window-pane-changed': (rest) => {
    const [windowId, paneId] = split(rest);
    const fits = isWindow(windowId) && isPane(paneId);
    return fits ? { kind: 'window-pane-changed', windowId, paneId } : null;
  },
  '%layout-change': (rest) => {
    const [windowId, layout] = split(rest);
    return isWindow(windowId) ? { kind: 'layout-change', windowId, layout } : null;
  },
  '%sessions-changed': () => ({ kind: 'sessions-changed' }),
  '%session-changed': ofSession('session-changed'),
  // The manual page leaves the id out; tmux does not.
  '%session-renamed': ofSession('session-renamed'),
  '%session-window-changed': (rest) => {
    const [sessionId, windowId] = split(rest);
    const fits = isSession(sessionId) && isWindow(windowId);
    return fits ? { kind: 'session-window-changed', sessionId, windowId } : null;
  },
  '%client-session-changed': ofClient('client-session-changed'),
  '%client-detached': ofClient('client-detached'),
  '%subscription-changed': subscriptionChanged,
  '%message': (rest) => ({ kind: 'message', text: rest }),
  '%paste-buffer-changed': ofBuffer('paste-buffer-changed'),
  '%paste-buffer-deleted': ofBuffer('paste-buffer-deleted'),
  '%config-error': (rest) => ({ kind: 'config-error', text: rest }),
  '%exit': (rest) => ({ kind: 'exit', reason: rest }),
};

function windowNamed(rest: string): Notification | null {
  const [windowId, name] = split(rest);
  return isWindow(windowId) ? { kind: 'window-renamed', windowId, name } : null;
}

/** Reads one line outside a reply. Never throws. */
export function readNotification(line: string): Notification {
  const [word, rest] = split(line);
  const reader = Object.hasOwn(readers, word) ? readers[word] : undefined;
  return reader?.(rest) ?? { kind: 'unrecognised', line };
}
