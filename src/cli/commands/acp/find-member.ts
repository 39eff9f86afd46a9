// An ACP member by its name; `acp:NAME`, as tables show it, is the same.

import type { DaemonClient } from '../../../client/client.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { AcpMemberItem } from '../../../schema/relay/acp-api.ts';
import { CliProblem, EXIT_NO_INPUT } from '../../exit-codes.ts';

export const memberName = (typed: string): string => typed.replace(/^acp:/, '');

export async function findMember(client: DaemonClient, typed: string): Promise<AcpMemberItem> {
  const name = memberName(typed);
  const { members } = await client.call('list_acp_members', {});
  const found = members.find((each) => each.name === name);
  if (found) return found;
  throw new CliProblem('E_REF_NOT_FOUND', `No ACP member is called ${safeText(name)}.`, {
    ...{ exitCode: EXIT_NO_INPUT, hint: 'agtmux acp list prints them.' },
  });
}
