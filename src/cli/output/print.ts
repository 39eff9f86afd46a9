// Prints what a command answers: one line of JSON, or text drawn for a person.

import type { DaemonClient } from '../../client/client.ts';
import { safeJson, safeText } from '../../render/safe-text.ts';
import type { View } from '../../render/view.ts';
import { callView } from '../call-view.ts';
import { type Call, isSet } from '../command.ts';
import { socketPathOf, withDaemon } from '../daemon-link.ts';
import { EXIT_NOT_RUNNING } from '../exit-codes.ts';

/** One object as a line, with the fields that every JSON output begins with. */
export function jsonLine(value: object): string {
  const envelope = { schema_version: 1, generated_at: new Date().toISOString() };
  return `${safeJson({ ...envelope, ...value })}\n`;
}

export const printJson = (call: Call, value: object): void => call.io.writeOut(jsonLine(value));

/** Prints a value as JSON with --json, else the text. Returns the exit code of success. */
export function printed(call: Call, value: object, text: string): 0 {
  call.io.writeOut(isSet(call.flags, 'json') ? jsonLine(value) : text);
  return 0;
}

/** Prints a reply: as JSON with --json, else drawn. Ages count to when it was generated. */
export function printReply<Reply extends { readonly generated_at: string }>(
  call: Call,
  reply: Reply,
  draw: (view: View, reply: Reply) => string,
): void {
  if (isSet(call.flags, 'json')) printJson(call, reply);
  else call.io.writeOut(draw(callView(call, Date.parse(reply.generated_at)), reply));
}

/** Asks the daemon, prints its reply and returns the exit code of a command that is done. */
export async function printReplyTo<Reply extends { readonly generated_at: string }>(
  call: Call,
  ask: (client: DaemonClient) => Promise<Reply>,
  draw: (view: View, reply: Reply) => string,
): Promise<number> {
  printReply(call, await withDaemon(call, ask), draw);
  return 0;
}

/** Prints that no daemon runs: an answer of the status commands, not an error. */
export function printNoDaemon(call: Call): number {
  const socket = socketPathOf(call);
  printed(call, { running: false, socket }, `No daemon answers at ${safeText(socket)}.\n`);
  return EXIT_NOT_RUNNING;
}
