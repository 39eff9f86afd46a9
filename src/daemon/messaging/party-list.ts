// Whom a caller may know of, and what it may do to each.

import type { MessageCaller, MessagesPort } from '../../operations/ports/messages-port.ts';
import { decide } from '../../relay/policy/decide.ts';
import { ok } from '../../schema/outcome.ts';
import { maySend } from './message-draft.ts';
import { type Parties, type Party, policyParty } from './parties.ts';

/** Members and other agents within the caller's `list`, and people. */
export function listParties(
  parties: Parties,
  caller: MessageCaller,
): ReturnType<MessagesPort['parties']> {
  const found = parties.requester(caller);
  if (!found.ok) return found;
  const requester = found.value;
  const { party: own, policy } = requester;
  const may = (capability: 'list' | 'look' | 'raww', party: Party) =>
    decide({
      ...{ capability, requester: policyParty(own), policy },
      subject: policyParty(party),
    });
  const none = may('list', own);
  if (!none.ok && policy.controls.list === 'none') return none;
  const listed = parties.agents().filter((each) => may('list', each).ok);
  return ok({
    you: parties.item(own),
    parties: [...listed, ...parties.people()].map((party) => ({
      ...parties.item(party),
      is_you: party.id === own.id,
      state: party.pane?.row.state ?? null,
      may_send: maySend(requester, party, null).ok,
      may_look: party.pane !== null && may('look', party).ok,
      may_write_raw: party.pane !== null && may('raww', party).ok,
    })),
  });
}
