// One order on an ACP member: a prompt, an answer to a permission request, the end of a turn. What
// is written to its input is delivered: the pipe loses nothing while its process lives.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ActionResult,
  delivered,
  refused,
  unconfirmed,
  wouldDo,
} from '../../acting/action-result.ts';
import { cleanText } from '../../acting/clean-text.ts';
import { byLabel } from '../../acting/dialogs/find-option.ts';
import type { AcpMember } from '../../relay/acp/acp-member.ts';
import type { PermissionOption, PermissionRequest } from '../../relay/acp/acp-signal.ts';
import type { ChooseInput } from '../../schema/api/acting.ts';
import type { ActionScene } from '../acting/action-runner.ts';

/** How soon the end of a turn is looked for again. */
const LOOK_MS = 25;
const INTERRUPT_MS = 8_000;

export interface MemberScene extends ActionScene {
  readonly member: AcpMember;
  /** Ends it for good. */
  readonly stop: () => Promise<void>;
}

export async function actOnMember(scene: MemberScene): Promise<ActionResult> {
  const { order, commit, member } = scene;
  switch (order.kind) {
    case 'send':
      return order.input.enter
        ? sendPrompt(member, order.input.text, commit)
        : refused('E_AGENT_UNSUPPORTED', 'an agent without a terminal has no input box');
    case 'choose':
      return choose(scene, order.input, order.shownCommand);
    case 'interrupt':
      return interrupt(member, commit);
    case 'kill':
      if (!commit()) return wouldDo('would end the member');
      await scene.stop();
      return delivered('the member was ended');
    case 'press':
    case 'paste':
      return refused('E_AGENT_UNSUPPORTED', 'an agent without a terminal takes no keys');
  }
}

/** Why a member takes no prompt now; null where it does. */
export function refuseTurn(member: AcpMember): ActionResult | null {
  const why = member.refusal();
  if (why === null) return null;
  return refused(member.status === 'ready' ? 'E_PRECONDITION_FAILED' : 'E_NO_AGENT', why);
}

export function sendPrompt(member: AcpMember, raw: string, commit: () => boolean): ActionResult {
  const refusal = refuseTurn(member);
  if (refusal) return refusal;
  const { text } = cleanText(raw);
  if (text.trim() === '') return refused('E_TEXT_REFUSED', 'nothing is left of the text');
  if (!commit()) return wouldDo('would send the prompt');
  // Nothing waits between the two, so it takes it still.
  return member.prompt(text)
    ? delivered('the agent has the prompt')
    : unconfirmed('the prompt could not be written whole');
}

async function interrupt(member: AcpMember, commit: () => boolean): Promise<ActionResult> {
  if (!member.isInTurn) return refused('E_PRECONDITION_FAILED', 'the agent is in no turn');
  if (!commit()) return wouldDo('would cancel the turn');
  member.cancel();
  for (let waitedMs = 0; waitedMs < INTERRUPT_MS; waitedMs += LOOK_MS) {
    if (!member.isInTurn) return delivered('the turn was cancelled');
    await sleep(LOOK_MS);
  }
  return unconfirmed('the agent did not end its turn yet');
}

function choose(
  { member, pane, commit }: MemberScene,
  { request_id, choice }: ChooseInput,
  shownCommand: string | undefined,
): ActionResult {
  const request = member.permission(request_id);
  if (request === null) return refused('E_NO_DIALOG', 'the request is not open any more');
  const { requests } = pane.row.attention;
  const shown = requests.find(({ requestId }) => requestId === request.requestId)?.detail;
  if (shownCommand !== undefined && shown?.command !== shownCommand) {
    return refused('E_SCREEN_CHANGED', 'the request is for another command');
  }
  const option = optionOf(request, choice);
  if ('result' in option) return option;
  if (!commit()) return wouldDo(`would choose "${option.label}"`);
  return member.answer(request, option)
    ? delivered(`chose "${option.label}"`)
    : refused('E_NO_DIALOG', 'somebody answered it before');
}

const kinds = { approve: 'allow_once', always: 'allow_always', deny: 'reject_once' } as const;

/** Exactly one must fit. What allows for longer is never found by another name. */
function optionOf(
  { options }: PermissionRequest,
  choice: ChooseInput['choice'],
): PermissionOption | Exclude<ActionResult, { result: 'delivered' }> {
  if ('text' in choice || 'labels' in choice) {
    return refused('E_OPTION_UNKNOWN', 'it takes one of its options and no text');
  }
  const labels = options.map(({ label }) => label);
  const fits = 'label' in choice ? byLabel(choice.label, labels) : null;
  const kind = 'role' in choice && choice.role !== 'own_answer' ? kinds[choice.role] : null;
  const found = options.filter((each) => (fits ? fits(each.label) : each.kind === kind));
  const [option] = found;
  if (option && found.length === 1) return option;
  const listed = labels.map((label) => `"${label}"`).join(', ');
  return refused('E_OPTION_UNKNOWN', `${found.length} of the options fit: ${listed}`);
}
