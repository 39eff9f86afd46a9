// An agent as tools show it: few fields, each of which helps to choose what to do next. The first
// six are those of libtmux's `list_agents`, so that prompts written for that one work here.

import { locationText } from '../render/typed-names.ts';
import type { OperationMap } from '../schema/api/operations.ts';
import { shortText } from './tool-result.ts';

export type Pane = OperationMap['list_panes']['output']['panes'][number];

export function agentFact(pane: Pane, selfId: string | null): Record<string, unknown> {
  const { identity, runtime_id: runtimeId, attention, activity } = pane;
  const needs = attention.kinds.filter((kind) => kind !== 'completion');
  return {
    pane_id: identity?.pane_id ?? null,
    name: pane.agent,
    state: pane.state,
    since: pane.since,
    alive: pane.presence === 'managed' && !pane.dead,
    source: pane.evidence.source,
    ref: pane.ref,
    ...(pane.reason_code === null ? {} : { reason: pane.reason_code }),
    ...(runtimeId !== null && runtimeId === selfId ? { is_you: true } : {}),
    ...(pane.alias === null ? {} : { alias: pane.alias }),
    ...(pane.target === 'local' ? {} : { target: pane.target }),
    ...(identity === null ? {} : { where: locationText(identity) }),
    folder: shortText(pane.current_path, 120),
    // Written by the agent.
    title: shortText(pane.title, 80),
    ...(needs.length === 0 ? {} : { needs_person_for: needs }),
    ...(activity.tool === null ? {} : { tool: shortText(activity.tool, 60) }),
  };
}
