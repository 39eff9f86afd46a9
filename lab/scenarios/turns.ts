// The parts that scenarios are made of: a turn that streams, a tool that asks, a refusal, Esc. Each
// begins with an agent at its prompt and ends there.

import { join } from 'node:path';
import type { Approval, Truth } from '../agent.ts';
import { type Drive, streaming } from '../drive.ts';
import type { Reply } from '../fake-model/reply.ts';

/** An agent that was interrupted lets its request go by then. */
const LEFT_MS = 5_000;

const said = (text: string): Reply => ({ kind: 'text', text });

/** Some agents make a file only where there is none. */
const newName = (path: string): string => path.replace(/(?=\.\w+$)/, `-${Date.now()}`);

/** The call that brings up a dialog of a kind. */
export function asking(drive: Drive, kind: Approval): Reply {
  const { work } = drive.stage.place;
  const { url } = drive.stage.model;
  const { editPath = '../outside.txt' } = drive.launch;
  const calls = {
    shell: { tool: 'shell', args: { command: drive.launch.commands.asks } },
    edit: { tool: 'write', args: { path: join(work, newName(editPath)), content: 'four\n' } },
    fetch: { tool: 'fetch', args: { url, prompt: `Read ${url} for me.` } },
    plan: { tool: 'plan', args: { plan: '1. Look.\n2. Change it.\n' } },
  } as const;
  return { kind: 'tool', ...calls[kind] };
}

export async function streamedTurn(drive: Drive): Promise<void> {
  const { gate, reply } = streaming();
  const turn = drive.script(reply);
  await drive.hold('streaming', 'running', await drive.submit(turn));
  gate.open();
  await drive.hold('streamed turn ends', 'completed', await turn.at(0, 'finishedAtMs'));
}

/** A tool that needs no answer, seen at its work. */
export async function quietTool(drive: Drive): Promise<void> {
  const command = drive.launch.commands.quiet;
  const turn = drive.script({ kind: 'tool', tool: 'shell', args: { command } }, said('Done.'));
  drive.brief('prompt', 'running', await drive.submit(turn));
  await drive.hold('tool runs', 'running', await turn.at(0, 'finishedAtMs'));
  await drive.hold('tool turn ends', 'completed', await turn.at(1, 'finishedAtMs'));
}

/** Brings up a dialog and holds it. Returns the turn, whose second request follows an answer. */
async function askedTurn(drive: Drive, kind: Approval, ...after: readonly Reply[]) {
  const turn = drive.script(asking(drive, kind), ...after);
  await drive.press(drive.launch.keys.prepare?.[kind] ?? []);
  drive.brief('prompt', 'running', await drive.submit(turn));
  await drive.hold(`${kind} dialog`, 'waiting_approval', await turn.at(0, 'finishedAtMs'));
  await drive.seen('approval');
  return turn;
}

export async function approvedTurn(drive: Drive, kind: Approval): Promise<void> {
  const { gate, reply } = streaming();
  const turn = await askedTurn(drive, kind, reply);
  const { approve, approveKind = {} } = drive.launch.keys;
  const atMs = await drive.press(approveKind[kind] ?? approve);
  await drive.hold(`${kind} approved`, 'running', atMs);
  gate.open();
  await drive.hold(`${kind} turn ends`, 'completed', await turn.at(1, 'finishedAtMs'));
}

/** Some agents stop at a refusal; others tell the model and go on. */
async function refused(
  drive: Drive,
  kind: Approval,
  how: { readonly step: string; readonly keys: readonly string[]; readonly after: Truth },
): Promise<void> {
  const { gate, reply } = streaming();
  const turn = await askedTurn(drive, kind, reply);
  await drive.hold(`${kind} ${how.step}`, how.after, await drive.press(how.keys));
  if (how.after !== 'running') return;
  gate.open();
  await drive.hold(`${how.step} turn ends`, 'completed', await turn.at(1, 'finishedAtMs'));
}

export function deniedTurn(drive: Drive, kind: Approval): Promise<void> {
  const { keys, afterDeny: after } = drive.launch;
  return refused(drive, kind, { step: 'denied', keys: keys.deny, after });
}

export function dismissedTurn(drive: Drive, kind: Approval): Promise<void> {
  const { keys, afterDismiss: after } = drive.launch;
  return refused(drive, kind, { step: 'dialog left by Esc', keys: keys.dismiss, after });
}

const question: Reply = {
  kind: 'tool',
  tool: 'question',
  args: {
    question: 'Which way is it?',
    header: 'Way',
    options: ['The short one', 'The long one'],
  },
};

export async function answeredQuestion(drive: Drive): Promise<void> {
  const { gate, reply } = streaming();
  const turn = drive.script(question, reply);
  drive.brief('prompt', 'running', await drive.submit(turn));
  await drive.hold('question', 'waiting_input', await turn.at(0, 'finishedAtMs'));
  await drive.seen('question');
  await drive.hold('question answered', 'running', await drive.press(drive.launch.keys.answer));
  gate.open();
  await drive.hold('question turn ends', 'completed', await turn.at(1, 'finishedAtMs'));
}

export async function dismissedQuestion(drive: Drive): Promise<void> {
  const turn = drive.script(question, said('Then not.'));
  drive.brief('prompt', 'running', await drive.submit(turn));
  await drive.hold('question', 'waiting_input', await turn.at(0, 'finishedAtMs'));
  await drive.seen('question');
  const { keys, afterDismiss, afterQuestionLeft = afterDismiss } = drive.launch;
  await drive.hold('question left by Esc', afterQuestionLeft, await drive.press(keys.dismiss));
}

export async function interruptedStream(drive: Drive): Promise<void> {
  const { reply } = streaming();
  const turn = drive.script(reply);
  await drive.hold('streaming', 'running', await drive.submit(turn));
  const atMs = await drive.press(drive.launch.keys.interrupt);
  // Else the key went by the agent, and what follows is not the truth.
  await turn.at(0, 'abortedAtMs', LEFT_MS);
  await drive.hold('stream left by Esc', 'idle/interrupted', atMs);
}

export async function interruptedTool(drive: Drive): Promise<void> {
  const args = { command: drive.launch.commands.quiet };
  const turn = drive.script({ kind: 'tool', tool: 'shell', args }, said('Done.'));
  drive.brief('prompt', 'running', await drive.submit(turn));
  await drive.hold('tool runs', 'running', await turn.at(0, 'finishedAtMs'), 3_000);
  const atMs = await drive.press(drive.launch.keys.interrupt);
  await drive.hold('tool left by Esc', 'idle/interrupted', atMs);
}
