// The command line of our entries, and how one is recognised: it begins with the path of the
// emitter. It must never change, because Codex then asks its user to trust it again.

import { shellQuote } from '../platform/text/shell-quote.ts';

/** Quotes only where sh needs it: people read these lines in their own files. */
const quoteIfNeeded = (word: string): string =>
  /^[A-Za-z0-9_./:=@%+-]+$/.test(word) ? word : shellQuote(word);

export interface EmitterCall {
  readonly source: string;
  readonly agent: string;
  /** Set where the payload lacks the name of the event. */
  readonly event?: string | undefined;
  /** One process runs the hooks of many panes: the pane of its environment means nothing. */
  readonly isShared?: boolean;
}

export function callWords(emitter: string, call: EmitterCall): string[] {
  const { source, agent, event, isShared = false } = call;
  const named = event === undefined ? [] : ['--event', event];
  const shared = isShared ? ['--shared', 'yes'] : [];
  return [emitter, '--source', source, '--agent', agent, ...shared, ...named];
}

export const callLine = (emitter: string, call: EmitterCall): string =>
  callWords(emitter, call).map(quoteIfNeeded).join(' ');

/** Whether a command is ours, of any version and path. A user's wrapper around it is not. */
export function isOurCommand(command: string): boolean {
  const match = /^(.*?)\bagtmux-emit(['"]?)(?:\s|$)/s.exec(command.trim());
  const [, folder = '', quote = ''] = match ?? [];
  if (match === null || !/^['"]?\//.test(folder)) return false;
  return quote === '' ? !/[\s;|&]/.test(folder) : folder.startsWith(quote);
}
