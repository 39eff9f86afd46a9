// The parts that scenarios are made of: a turn that streams, a tool that asks, a refusal, Esc. Each
// begins with an agent at its prompt and ends there.

import { join } from 'node:path';
import type { Approval, Truth } from '../agent.ts';
import { type Drive, streaming } from '../drive.ts';
import type { Reply } from '../fake-model/reply.ts';

/** An agent that was interrupted lets its request go by then. */
const LEFT_MS = 5_000;

const textReply = (text: string): Reply => ({ kind: 'text', text });

/** Some agents make a file only where there is none. */
const newName = (path: string): string => path.replace(/(?=\.\w+$)/, `-${Date.now()}`);

/** The call that brings up a dialog of a kind. */
export function dialogCall(drive: Drive, kind: Approval): Reply {
  const { work } = drive.stage.place;
  const { url } = drive.stage.model;
  const { editPath = '../outside.txt' } = drive.recipe;
  const calls = {
    shell: { tool: 'shell', args: { command: drive.recipe.commands.asks } },
    edit: { tool: 'write', args: { path: join(work, newName(editPath)), content: 'four\n' } },
    fetch: { tool: 'fetch', args: { url, prompt: `Read ${url} for me.` } },
    plan: { tool: 'plan', args: { plan: '1. Look.\n2. Change it.\n' } },
  } as const;
  return { kind: 'tool', ...calls[kind] };
}

export async function streamTurn(drive: Drive): Promise<void> {
  const { gate, reply } = streaming();
  const turn = drive.script(reply);
  await drive.hold('streaming', 'running', await drive.submit(turn));
  gate.open();
  await drive.hold('streamed turn ends', 'completed', await turn.at(0, 'finishedAtMs'));
}

/** A tool that runs without an approval. */
export async function runQuietTool(drive: Drive): Promise<void> {
  const command = drive.recipe.commands.quiet;
  const turn = drive.script({ kind: 'tool', tool: 'shell', args: { command } }, textReply('Done.'));
  drive.brief('prompt', 'running', await drive.submit(turn));
  await drive.hold('tool runs', 'running', await turn.at(0, 'finishedAtMs'));
  await drive.hold('tool turn ends', 'completed', await turn.at(1, 'finishedAtMs'));
}

/** Brings up a dialog and holds it. Returns the turn, whose second request follows an answer. */
async function openDialog(drive: Drive, kind: Approval, ...after: readonly Reply[]) {
  const turn = drive.script(dialogCall(drive, kind), ...after);
  const { prepare = {}, isPrepared = {} } = drive.recipe.keys;
  const isReady = isPrepared[kind]?.test(await drive.pane.screen()) ?? false;
  await drive.press(isReady ? [] : (prepare[kind] ?? []));
  drive.brief('prompt', 'running', await drive.submit(turn));
  await drive.hold(`${kind} dialog`, 'waiting_approval', await turn.at(0, 'finishedAtMs'));
  await drive.expectDialog('approval');
  return turn;
}

export async function approveTurn(drive: Drive, kind: Approval): Promise<void> {
  const { gate, reply } = streaming();
  const turn = await openDialog(drive, kind, reply);
  const { approve, approveKind = {} } = drive.recipe.keys;
  const atMs = await drive.press(approveKind[kind] ?? approve);
  await drive.hold(`${kind} approved`, 'running', atMs);
  gate.open();
  await drive.hold(`${kind} turn ends`, 'completed', await turn.at(1, 'finishedAtMs'));
}

/** Some agents stop at a refusal; others tell the model and go on. */
async function refuseDialog(
  drive: Drive,
  kind: Approval,
  how: { readonly step: string; readonly keys: readonly string[]; readonly after: Truth },
): Promise<void> {
  const { gate, reply } = streaming();
  const turn = await openDialog(drive, kind, reply);
  await drive.hold(`${kind} ${how.step}`, how.after, await drive.press(how.keys));
  if (how.after !== 'running') return;
  gate.open();
  await drive.hold(`${how.step} turn ends`, 'completed', await turn.at(1, 'finishedAtMs'));
}

export function denyTurn(drive: Drive, kind: Approval): Promise<void> {
  const { keys, afterDeny: after } = drive.recipe;
  return refuseDialog(drive, kind, { step: 'denied', keys: keys.deny, after });
}

export function dismissDialog(drive: Drive, kind: Approval): Promise<void> {
  const { keys, afterDismiss: after } = drive.recipe;
  return refuseDialog(drive, kind, { step: 'dialog left by Esc', keys: keys.dismiss, after });
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

export async function answerQuestion(drive: Drive): Promise<void> {
  const { gate, reply } = streaming();
  const turn = drive.script(question, reply);
  drive.brief('prompt', 'running', await drive.submit(turn));
  await drive.hold('question', 'waiting_input', await turn.at(0, 'finishedAtMs'));
  await drive.expectDialog('question');
  await drive.hold('question answered', 'running', await drive.press(drive.recipe.keys.answer));
  gate.open();
  await drive.hold('question turn ends', 'completed', await turn.at(1, 'finishedAtMs'));
}

export async function dismissQuestion(drive: Drive): Promise<void> {
  const turn = drive.script(question, textReply('Then not.'));
  drive.brief('prompt', 'running', await drive.submit(turn));
  await drive.hold('question', 'waiting_input', await turn.at(0, 'finishedAtMs'));
  await drive.expectDialog('question');
  const { keys, afterDismiss, afterQuestionLeft = afterDismiss } = drive.recipe;
  await drive.hold('question left by Esc', afterQuestionLeft, await drive.press(keys.dismiss));
}

export async function interruptStream(drive: Drive): Promise<void> {
  const { reply } = streaming();
  const turn = drive.script(reply);
  await drive.hold('streaming', 'running', await drive.submit(turn));
  const atMs = await drive.press(drive.recipe.keys.interrupt);
  // Else the key went by the agent, and what follows is not the truth.
  await turn.at(0, 'abortedAtMs', LEFT_MS);
  await drive.hold('stream left by Esc', 'idle/interrupted', atMs);
}

export async function interruptTool(drive: Drive): Promise<void> {
  const args = { command: drive.recipe.commands.quiet };
  const turn = drive.script({ kind: 'tool', tool: 'shell', args }, textReply('Done.'));
  drive.brief('prompt', 'running', await drive.submit(turn));
  await drive.hold('tool runs', 'running', await turn.at(0, 'finishedAtMs'), 3_000);
  const atMs = await drive.press(drive.recipe.keys.interrupt);
  await drive.hold('tool left by Esc', 'idle/interrupted', atMs);
}
