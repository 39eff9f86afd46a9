// What `agtmux resume` lists: agents that have ended, with what tells them apart. Pure.

import type { EndedAgentItem } from '../../schema/api/actions.ts';
import { type Column, renderGrid } from '../grid.ts';
import { ageOf, paint, sanitise, type View } from '../view.ts';

const columns: readonly Column[] = [
  { title: '#', rank: 0, min: 1 },
  { title: 'ENDED', rank: 0, min: 5 },
  { title: 'AGENT', rank: 0, min: 5 },
  { title: 'WHERE', rank: 3, min: 6 },
  { title: 'FOLDER', rank: 1, min: 10 },
  { title: 'LAST PROMPT', rank: 2, min: 10 },
  { title: 'SESSION', rank: 4, min: 8 },
];

/** Numbered from 1, as they are chosen. */
export function renderEndedAgents(view: View, agents: readonly EndedAgentItem[]): string {
  if (agents.length === 0) return 'No agent has ended that can go on with its session.\n';
  const rows = agents.map((agent, index) => [
    { text: String(index + 1) },
    { text: `${ageOf(view, agent.ended_at)} ago` },
    { text: sanitise(view, agent.agent) },
    { text: sanitise(view, placeOf(agent)) },
    { text: sanitise(view, agent.path ?? '-') },
    { text: sanitise(view, agent.prompt ?? agent.title ?? '-') },
    { text: sanitise(view, agent.session_key ?? '-') },
  ]);
  return `${renderGrid(view, [...columns], rows)}\n`;
}

const placeOf = ({ target, session_name }: EndedAgentItem): string =>
  target === 'local' ? (session_name ?? '-') : `${target}/${session_name ?? '-'}`;

/** Those that cannot go on, and why. */
export function renderBlockers(view: View, agents: readonly EndedAgentItem[]): string {
  return agents
    .map((agent) => {
      const what = `${ageOf(view, agent.ended_at)} ago  ${agent.agent}  ${agent.path ?? '-'}`;
      return paint(view, 'dim', sanitise(view, `${what}: ${agent.blocker ?? ''}`));
    })
    .map((line) => `${line}\n`)
    .join('');
}
