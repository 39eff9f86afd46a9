// The one check of every call, over any transport: the operation exists, the actor may use
// it, and the input fits. It decides by the data of actor and operation alone.

import type { Actor, Operation } from '../operations/ports/operation.ts';
import { findOperation } from '../operations/table.ts';
import type { RefCandidate, Refusal } from '../schema/outcome.ts';
import { type ProblemCode, problemOf } from '../schema/problem.ts';
import { describeInput } from './input-problem.ts';

export interface CallProblem {
  readonly rpcCode: number;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly candidates?: readonly RefCandidate[];
  readonly rule?: string;
}

export type CallRefusal = { readonly ok: false; readonly problem: CallProblem };
export type CallResult = { readonly ok: true; readonly value: unknown } | CallRefusal;
export type Admission =
  | { readonly ok: true; readonly operation: Operation; readonly input: unknown }
  | CallRefusal;

/** A problem of the table, with a message of its own. */
export function problem(code: ProblemCode, message: string, rpcCode?: number): CallProblem {
  const row = problemOf(code);
  return { rpcCode: rpcCode ?? row.rpcCode, code, message, hint: row.hint };
}

/** The refusal of an operation, with its own hint where it has one. */
export const refusalOf = ({ code, message, ...help }: Refusal): CallRefusal => ({
  ok: false,
  problem: { ...problem(code, message), ...help },
});

export const refusal = (code: ProblemCode, message: string, rpcCode?: number): CallRefusal => ({
  ok: false,
  problem: problem(code, message, rpcCode),
});

/** The operation and its checked input, or a refusal. `params` are unchecked. */
export function admit(actor: Actor, name: string, params: unknown): Admission {
  const operation = findOperation(name);
  if (!operation) {
    return refusal('E_INPUT_INVALID', `no operation is called "${name.slice(0, 80)}"`, -32601);
  }
  if (!isPermitted(actor, operation)) {
    const { scope, actors } = operation;
    const needed = `${operation.name} needs ${scope} access of a ${actors.join(' or a ')}`;
    const held = `${actor.kind} ${actor.id} has ${actor.scopes.join(', ')}`;
    return refusal('E_NOT_PERMITTED', `${needed}; ${held}`);
  }
  const input = operation.input.safeParse(params ?? {}, { reportInput: true });
  if (input.success) return { ok: true, operation, input: input.data };
  return refusal('E_INPUT_INVALID', `${operation.name}: ${describeInput(input.error)}`);
}

/** Whether the actor's kind and scopes allow the operation. */
export function isPermitted(actor: Actor, operation: Operation): boolean {
  return actor.scopes.includes(operation.scope) && operation.actors.includes(actor.kind);
}
