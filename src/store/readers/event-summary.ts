// One line about an event, for the ledger. Made of our own words, names and codes: prompts, titles
// and payloads never appear in it.

import type { EventOf, WorldEvent } from '../../schema/event.ts';
import { TURN } from '../../schema/evidence.ts';

const NAME_LENGTH_MAX = 60;
const CLAIMS_SHOWN_MAX = 4;

const cut = (name: string): string =>
  name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name;

function claimWords({ claims, activity, type }: EventOf<'evidence.observed'>['evidence']): string {
  const claimTexts = claims.slice(0, CLAIMS_SHOWN_MAX).map(({ about, says, reason, rule }) => {
    const subject = about === TURN ? '' : ` (request ${cut(about)})`;
    const why = reason === undefined ? '' : ` because of ${reason}`;
    const by = rule === undefined || rule === type ? '' : ` by ${cut(rule)}`;
    return `${says}${why}${subject}${by}`;
  });
  const more =
    claims.length > CLAIMS_SHOWN_MAX ? [`and ${claims.length - CLAIMS_SHOWN_MAX} more`] : [];
  const activityTexts =
    activity === undefined ? [] : [`reports ${Object.keys(activity).join(', ')}`];
  const words = [...claimTexts, ...more, ...activityTexts];
  return `${cut(type)}: ${words.length === 0 ? 'claims nothing' : words.join('; ')}`;
}

const aboutSlot = (slot: { readonly source: string; readonly about: string }): string =>
  `the claim of ${cut(slot.source)} about ${cut(slot.about)}`;

type Words = { readonly [Type in WorldEvent['type']]: (event: EventOf<Type>) => string };

const words: Words = {
  'daemon.started': () => 'the daemon started',
  'config.changed': () => 'the configuration of the engine changed',
  'host.woke': () => 'the machine woke',
  'store.recovered': () => 'the store takes events again',
  'target.changed': ({ target }) => `target ${cut(target.name)} is ${target.health}`,
  'target.removed': ({ targetId }) => `target ${cut(targetId)} was removed`,
  'pane.appeared': () => 'the pane appeared',
  'pane.changed': () => 'the pane changed',
  'pane.gone': ({ reason }) => `the pane is gone: ${reason}`,
  'pane.named': ({ alias }) => (alias === null ? 'the pane lost its name' : 'the pane was named'),
  'pane.forgotten': () => 'the pane was forgotten',
  'runtime.started': ({ agent, basis }) => `${cut(agent)} started, recognised by ${basis}`,
  'runtime.missed': () => 'the process was missing once',
  'runtime.found': () => 'the process was found again',
  'runtime.suspended': ({ suspended }) => `the process was ${suspended ? 'stopped' : 'continued'}`,
  'runtime.killed': () => 'a person ended it by agtmux kill',
  'runtime.ended': ({ reason, exitCode, crashed, during }) =>
    `ended: ${reason}${exitCode === null ? '' : `, exit ${exitCode}`}${
      during === undefined ? '' : `, while ${during}`
    }${crashed ? ', crashed' : ''}`,
  'runtime.stuck': ({ stuck }) => (stuck ? 'no sign of work for long' : 'works again'),
  'evidence.observed': ({ evidence }) => claimWords(evidence),
  'evidence.dropped': ({ droppedEventId }) => `${cut(droppedEventId)} found no runtime in time`,
  'claim.confirmed': (slot) => `${aboutSlot(slot)} was read a second time`,
  'claim.settled': (slot) => `${aboutSlot(slot)} still holds and ends the claims that disagree`,
  'claim.expired': (slot) => `${aboutSlot(slot)} expired: its source is silent`,
  'claim.weakened': () => 'an old claim that no working source could contradict lost confidence',
  'rest.judged': () => 'no source reported a completion in time',
  'state.demoted': () => 'completed is no longer news',
  'reconfirm.ended': () => 'the wait for reconfirmation is over',
  'channel.changed': ({ channel, status }) => `${cut(channel)} is ${status}`,
  'attention.seen': ({ requestIds }) => `a person saw it (${requestIds.length} requests)`,
  'attention.snoozed': ({ untilMs }) =>
    `a person put it off until ${new Date(untilMs).toISOString()}`,
  'attention.woken': () => 'the snooze is over',
};

/** One line about an event. */
export function summaryOf(event: WorldEvent): string {
  return (words[event.type] as (event: WorldEvent) => string)(event);
}
