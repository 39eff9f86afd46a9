// What the audit trail keeps of an order, and by what a repeated `request_ref` is compared: of a
// text its start, without secrets, its length and its hash.

import { createHash } from 'node:crypto';
import { redactText } from '../../core/redact.ts';
import type { ActionOrder } from '../ports/ports.ts';

/** A start that can be recognised. */
const TEXT_MAX = 400;

/** As JSON, without what names the call and not the action. */
export function storedInput({ input }: ActionOrder): string {
  const { request_ref: _reference, caller_pid: _caller, ...rest } = input;
  if ('choice' in rest) {
    const { choice } = rest;
    return JSON.stringify('text' in choice ? { ...rest, choice: withoutText(choice) } : rest);
  }
  return JSON.stringify('text' in rest ? withoutText(rest) : rest);
}

const withoutText = <T extends { readonly text: string }>(of: T) => ({
  ...of,
  text: redactText(of.text, TEXT_MAX),
  length: of.text.length,
  sha256: createHash('sha256').update(of.text).digest('hex'),
});
