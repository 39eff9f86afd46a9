// One order on one pane, handed to the flow that types it, with what the world knows of the agent.

import { type ActionResult, refused } from '../../acting/action-result.ts';
import { cleanText } from '../../acting/clean-text.ts';
import { interruptTurn } from '../../acting/interrupt-turn.ts';
import { PaneControl } from '../../acting/pane-control.ts';
import { pasteText } from '../../acting/paste-text.ts';
import { pressKeys } from '../../acting/press-keys.ts';
import { boxCheck, sendWhenQuiet } from '../../acting/quiet-prompt.ts';
import { refuseUndescribed } from '../../acting/readiness.ts';
import { type SendRequest, sendText } from '../../acting/send-text.ts';
import { comparable } from '../../acting/typed-text.ts';
import { LocalFiles } from '../../agent-files/files/local-files.ts';
import { adapterOf, type Registry } from '../../agents/registry.ts';
import { requestMeant } from '../../core/guard.ts';
import { liveRuntime, type PaneRecord, type World } from '../../core/world.ts';
import type { ActionOrder } from '../../operations/ports/ports.ts';
import type { ChooseInput, SendInput } from '../../schema/api/acting.ts';
import type { PaneFacts, PaneRow } from '../../schema/pane.ts';
import type { HostProcesses } from '../../tmux/host.ts';
import type { TmuxLink } from '../../tmux/link.ts';
import { LOCAL } from '../daemon-core.ts';
import type { Loop } from '../engine/loop.ts';
import type { ActionScene } from './action-runner.ts';
import { isAgentAlive, withWholeRefresh } from './agent-processes.ts';
import { answerByServer } from './answer-by-server.ts';
import { type AnswerRequest, answerDialog } from './answer-dialog.ts';
import { killAgent } from './kill-agent.ts';
import { listedFacts } from './listed-facts.ts';

/** Sources cut a long prompt. */
const PROMPT_LENGTH_COMPARED = 40;

export interface ActOnPaneParts {
  readonly nowMs: () => number;
  readonly world: () => World;
  readonly registry: () => Registry;
  readonly linkAt: (facts: PaneFacts) => Pick<TmuxLink, 'run'> | null;
  readonly commandTimeoutMs: () => number;
  readonly loop: Pick<Loop, 'submit'>;
  readonly processesAt: (facts: PaneFacts) => HostProcesses | null;
}

const processesOf = ({ world, processesAt }: ActOnPaneParts, facts: PaneFacts) =>
  withWholeRefresh(processesAt(facts), world, facts.targetId);

export async function actOnPane(parts: ActOnPaneParts, scene: ActionScene): Promise<ActionResult> {
  const { pane, order, commit } = scene;
  const { row } = pane;
  const link = pane.facts && parts.linkAt(pane.facts);
  if (!pane.facts || !link) {
    return refused('E_REF_NOT_FOUND', 'the agent has no pane that is watched');
  }
  const control = new PaneControl({
    link,
    paneId: pane.facts.paneId,
    commandTimeoutMs: parts.commandTimeoutMs(),
  });
  const facts = await listedFacts(parts, control, pane.paneKey, pane.facts);
  const isForced = 'force' in order.input && order.input.force;
  if (row.runtimeId === null && !isForced && !hasPromptMatch(order)) {
    return refused('E_NO_AGENT', 'no agent is in the pane');
  }
  const known = adapterOf(parts.registry(), row.agent ?? 'generic');
  // A signal, and what is forced, need no rules of the agent.
  const isKnown = known !== undefined || isForced || order.kind === 'kill';
  const adapter = known ?? adapterOf(parts.registry(), 'generic');
  if (!adapter || !isKnown) return refuseUndescribed(row.agent ?? 'it');
  const agent = {
    panePid: facts.birth.pid,
    command: facts.command,
    isAlive: () => isAgentAlive(parts.world(), row.runtimeId, parts.processesAt(facts)),
    refresh: async () => processesOf(parts, facts)?.refresh?.([]),
  };
  const common = { adapter, agent, commit };
  const rowNow = (): PaneRow => parts.world().panes.get(pane.paneKey)?.row ?? row;
  switch (order.kind) {
    case 'send': {
      const prompt = promptOf(order.input, row, rowNow, parts.nowMs());
      const { sparesDialogs } = order;
      const place = { isOpaque: facts.opaque, sparesDialogs };
      return typePrompt(control, order, { ...common, ...prompt, ...place });
    }
    case 'press':
      return pressKeys(control, {
        ...common,
        ...{ keys: order.input.keys, isForced, isOpaque: facts.opaque },
      });
    case 'paste': {
      const { text } = cleanText(order.input.text);
      return pasteText(control, { ...common, text, isOpaque: facts.opaque });
    }
    case 'choose':
      return answer(parts, control, { ...common, pane, order, rowNow });
    case 'interrupt':
      return interruptTurn(control, { ...common, isRunning: () => rowNow().state === 'running' });
    case 'kill':
      return killAgent({
        ...{ facts, link, control, commit, adapter, signal: order.input.signal },
        ...{ commandTimeoutMs: parts.commandTimeoutMs(), processes: processesOf(parts, facts) },
        runtime: liveRuntime(parts.world(), pane.runtimeId),
        ...{ loop: parts.loop, nowMs: parts.nowMs },
      });
  }
}

interface AnswerScene {
  readonly pane: PaneRecord;
  readonly order: Extract<ActionOrder, { kind: 'choose' }>;
  readonly rowNow: () => PaneRow;
}

async function answer(
  parts: ActOnPaneParts,
  control: PaneControl,
  scene: AnswerScene & Pick<AnswerRequest, 'adapter' | 'agent' | 'commit'>,
): Promise<ActionResult> {
  const { pane, order, rowNow, commit, adapter, agent } = scene;
  const over = refused('E_NO_DIALOG', 'the request is not open any more');
  const expected = expectedDialog(pane.row, order.input);
  if (expected === undefined) return over;
  let isOver = false;
  let hasBegun = false;
  const about = {
    ...{ adapter, agent, expected, choice: order.input.choice, command: order.shownCommand },
    // A person may have answered it meanwhile: what the screen shows then is the next one. After
    // our own answer it is over too, and what follows that, such as a reason, belongs to it.
    commit: () => {
      isOver = !hasBegun && expectedDialog(rowNow(), order.input) === undefined;
      hasBegun ||= !isOver && commit();
      return hasBegun;
    },
  };
  const server = serverOf(parts.world(), pane, order.input);
  const answered = server && (await answerByServer(control, { ...about, ...server }));
  const isOpaque = pane.facts?.opaque ?? true;
  const request = { ...about, isOpaque, hasPromptEvidence: () => false };
  const result = answered ?? (await answerDialog(control, request));
  return isOver ? over : result;
}

type SendOrder = Extract<ActionOrder, { kind: 'send' }>;

/** A bundle describes how the input box of this program looks. */
const hasPromptMatch = (order: ActionOrder): boolean =>
  order.kind === 'send' && order.message !== undefined && order.message.prompt !== null;

function typePrompt(control: PaneControl, { message }: SendOrder, request: SendRequest) {
  if (message?.isPasted) {
    const isBoxEmpty = message.prompt ? boxCheck(message.prompt) : undefined;
    const { isPasted, pastedForMs } = message;
    return sendText(control, { ...request, isPasted, pastedForMs, isBoxEmpty });
  }
  if (message?.needsQuiet) return sendWhenQuiet(control, request, message.prompt);
  return sendText(control, request);
}

const localFiles = new LocalFiles();

/** Where a server of the agent itself may be found, for the one request that is meant. */
function serverOf(world: World, { facts, row, runtimeId }: PaneRecord, input: ChooseInput) {
  const pid = liveRuntime(world, runtimeId)?.pid;
  const [only, ...others] = row.attention.requests;
  const requestId = input.request_id ?? (others.length === 0 ? only?.requestId : undefined);
  const isHere = facts?.targetId === LOCAL && !facts.opaque;
  return isHere && pid && requestId !== undefined ? { files: localFiles, pid, requestId } : null;
}

function promptOf(input: SendInput, before: PaneRow, rowNow: () => PaneRow, beganAtMs: number) {
  const { text } = cleanText(input.text);
  const start = comparable(text).slice(0, PROMPT_LENGTH_COMPARED);
  const isPromptOf = ({ activity }: PaneRow): boolean =>
    start !== '' && comparable(activity.prompt ?? '').startsWith(start);
  const wasPrompt = isPromptOf(before);
  return {
    text,
    pressesEnter: input.enter,
    isPasteSafe: input.paste,
    isForced: input.force,
    // A queued prompt comes when nobody looks.
    needsRest: input.when !== undefined,
    hasPromptEvidence: () => {
      const row = rowNow();
      const isNewTurn = row.state === 'running' && row.sinceMs >= beganAtMs;
      const isSameAgent = row.runtimeId === before.runtimeId;
      return isSameAgent && isPromptOf(row) && (!wasPrompt || isNewTurn);
    },
  };
}

/** What the caller was shown; null where it named none, undefined where that one is over. */
function expectedDialog(row: PaneRow, { request_id }: ChooseInput) {
  if (request_id === undefined) return null;
  const request = requestMeant(row, request_id);
  return request && (request.detail ?? null);
}
