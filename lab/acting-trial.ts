// What the trials of actions share: one agent in one pane, the way to a dialog of it, and an answer
// that names what was listed.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DaemonClient } from '../src/client/client.ts';
import type { ChooseInput, OpenRequestItem } from '../src/schema/api/acting.ts';
import { eventually } from '../tests/live/tmux-server.ts';
import type { Drive, Turn } from './drive.ts';
import type { EffectTimes } from './effect.ts';
import type { Reply, ToolKind } from './fake-model/reply.ts';

const STATE_MS = 30_000;
const SHOWN_MS = 2_000;
const LOOK_MS = 50;
export const done: Reply = { kind: 'text', text: 'Done.' };

export interface Trial {
  readonly drive: Drive;
  readonly client: DaemonClient;
  readonly ref: string;
  /** The agent has a server, which takes answers. */
  readonly isServed: boolean;
  readonly effects: EffectTimes;
}

/** What went wrong; null where nothing did. */
export type Check = (trial: Trial, index: number) => Promise<string | null>;

async function paneOf({ client, ref }: Trial) {
  const { panes } = await client.call('list_panes', {});
  return panes.find(({ identity }) => identity?.pane_id === ref);
}

export const untilState = (trial: Trial, ...states: readonly string[]): Promise<unknown> =>
  eventually(
    async () => states.includes((await paneOf(trial))?.state ?? ''),
    states.join(' or '),
    STATE_MS,
  );

const shortOf = ({ request_id, since, detail, pane }: OpenRequestItem) => ({
  ...{ request_id, since, detail },
  ...{ state: pane.state, reason: pane.reason_code, version: pane.state_version },
});

/** A dialog is drawn in parts: nobody answers one that does not say yet what it asks. */
async function shownRequests(client: DaemonClient, ref: string) {
  const endMs = Date.now() + SHOWN_MS;
  for (;;) {
    const { requests } = await client.call('list_requests', { ref });
    const isWhole = requests.every(({ kind, detail }) => kind !== 'approval' || detail?.command);
    if (isWhole || Date.now() > endMs) return requests;
    await pause(LOOK_MS);
  }
}

/** Answers the one request that is listed, as a person at the inbox does. */
export async function answerRequest(
  { client, ref, isServed, effects }: Trial,
  choice: ChooseInput['choice'],
): Promise<string | null> {
  const requests = await shownRequests(client, ref);
  const [request] = requests;
  if (!request) return 'no request is listed';
  const { pane, request_id } = request;
  const input = { ref, request_id, choice, if_version: pane.state_version };
  effects.begin();
  const report = await client.call('choose', input).catch(async (error: unknown) => {
    // What was listed, and what is listed now.
    const after = (await client.call('list_requests', { ref })).requests;
    const [was, is] = [requests, after].map((listed) => JSON.stringify(listed.map(shortOf)));
    throw new Error(`${error}\nlisted: ${was}\nnow:    ${is}`, { cause: error });
  });
  const isRight = report.result === 'delivered' && (!isServed || isByServer(report.detail));
  return isRight ? null : `${report.result}: ${report.detail}`;
}

const isByServer = (detail: string | null): boolean => detail?.endsWith('by its server') ?? false;

export const builtFile = ({ drive }: Trial): string =>
  join(drive.stage.place.work, 'build', 'out.txt');

/** A tool call of the model that brings up a dialog. */
export async function openTool(
  trial: Trial,
  tool: ToolKind,
  args: Readonly<Record<string, unknown>>,
  state: 'waiting_approval' | 'waiting_input',
): Promise<Turn> {
  const { drive, client, ref } = trial;
  const turn = drive.script({ kind: 'tool', tool, args }, done);
  await untilState(trial, 'idle', 'completed');
  // The first prompt of a session may take longer than its proof: here the dialog is what counts.
  const { result, detail } = await client.call('send', { ref, text: turn.prompt });
  await untilState(trial, state).catch(async (cause: unknown) => {
    const ledger = JSON.stringify(await client.call('explain', { ref }));
    throw new Error(`no dialog after a prompt that was ${result}: ${detail}\n${ledger}`, { cause });
  });
  return turn;
}

/** The command that is asked about removes a file: whether it ran can be seen. */
export function openApproval(trial: Trial): Promise<Turn> {
  mkdirSync(dirname(builtFile(trial)), { recursive: true });
  writeFileSync(builtFile(trial), 'built\n');
  const command = `${trial.drive.recipe.commands.asks}; rm -rf build`;
  return openTool(trial, 'shell', { command }, 'waiting_approval');
}
