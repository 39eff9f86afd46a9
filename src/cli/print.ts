// How a command gives its answer: one line of JSON, or what is drawn of it for a person.

import { safeJson } from '../render/safe-text.ts';
import type { View } from '../render/view.ts';
import { type Call, isSet } from './command.ts';
import { viewOfCall } from './view-of-call.ts';

/** Prints a value as one line of JSON. */
export function printJson(call: Call, value: unknown): void {
  call.io.writeOut(`${safeJson(value)}\n`);
}

/** Prints what the daemon told, as JSON where asked for; ages count to when it was told. */
export function printAnswer(
  call: Call,
  told: { readonly generated_at: string },
  draw: (view: View) => string,
): void {
  if (isSet(call.flags, 'json')) printJson(call, told);
  else call.io.writeOut(draw(viewOfCall(call, Date.parse(told.generated_at))));
}
