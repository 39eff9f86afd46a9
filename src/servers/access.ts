// The one way from any door to an operation: it exists, the caller may use it, the input fits; then
// it runs, with a deadline. Doors turn the answer into their own protocol and hold no rules.

import { z } from 'zod';
import type { Context } from '../operations/context.ts';
import { type Access, type Actor, accessLevels, type Operation } from '../operations/operation.ts';
import { findOperation } from '../operations/table.ts';
import { Fault } from '../platform/fault.ts';
import { type ProblemCode, problemOf } from '../schema/problem.ts';

/** An operation that takes longer is stuck; its caller is told so and may ask again. */
const DEADLINE_MS = 30_000;

export interface CallProblem {
  readonly rpcCode: number;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export type CallResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: CallProblem };

export interface OperationCall {
  readonly context: Context;
  readonly actor: Actor;
  readonly name: string;
  /** As it came in: nothing was checked yet. */
  readonly params: unknown;
  /** Told of our own bugs; the caller only learns that there was one. */
  readonly onDefect: (error: unknown, name: string) => void;
}

/** A problem of the table, with a message of its own. */
export function problem(code: ProblemCode, message: string, rpcCode?: number): CallProblem {
  const row = problemOf(code);
  return { rpcCode: rpcCode ?? row.rpcCode, code, message, hint: row.hint };
}

const refused = (found: CallProblem): CallResult => ({ ok: false, problem: found });

/** The operation and its checked input, or why there is none. */
export function admit(
  actor: Actor,
  name: string,
  params: unknown,
):
  | { readonly ok: true; readonly operation: Operation; readonly input: unknown }
  | { readonly ok: false; readonly problem: CallProblem } {
  const operation = findOperation(name);
  if (!operation) {
    const message = `no operation is called "${name.slice(0, 80)}"`;
    return { ok: false, problem: problem('E_INPUT_INVALID', message, -32601) };
  }
  if (!isPermitted(actor, operation)) {
    const needed = `${operation.name} needs ${operation.access} access`;
    const message = `${needed}; ${actor.name} has ${actor.access}`;
    return { ok: false, problem: problem('E_NOT_PERMITTED', message) };
  }
  const input = operation.input.safeParse(params ?? {});
  if (input.success) return { ok: true, operation, input: input.data };
  const reason = z.prettifyError(input.error).replaceAll(/\s+/g, ' ').slice(0, 500);
  const message = `${operation.name}: ${reason}`;
  return { ok: false, problem: problem('E_INPUT_INVALID', message) };
}

/** The check that all doors pass. */
export function isPermitted(actor: Actor, { access, actor: kind }: Operation): boolean {
  const level = (each: Access): number => accessLevels.indexOf(each);
  if (level(actor.access) < level(access)) return false;
  if (kind === 'user') return actor.name === 'user';
  if (kind === 'source') return actor.name === 'user' || actor.name.startsWith('source:');
  return true;
}

/** Calls an operation. Never rejects: what goes wrong is a problem. */
export async function callOperation(call: OperationCall): Promise<CallResult> {
  const { context, actor, name, params, onDefect } = call;
  const admitted = admit(actor, name, params);
  if (!admitted.ok) return admitted;
  try {
    const running = admitted.operation.run(context, admitted.input, actor);
    const outcome = await (running instanceof Promise ? withDeadline(running, name) : running);
    if (outcome.ok) return outcome;
    return refused(problem(outcome.refusal.code, outcome.refusal.message));
  } catch (error) {
    if (error instanceof Fault) return refused(problem(error.code, error.message));
    onDefect(error, name);
    return refused(problem('defect', `${name} failed inside the daemon; its log says more`));
  }
}

async function withDeadline<T>(work: Promise<T>, name: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Fault('timeout', { about: name })), DEADLINE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
