// Which sources speak for which agent, best first, and the normaliser of
// each. What a source can see the end of is not one list: each claim carries the coverage of the
// event that made it, from the tables of the normalisers.

import { type AgentName, id, type SourceName } from '../schema/ids.ts';
import type { NormaliseContext, Normaliser, NormaliserTable } from './adapter.ts';
import { auggieHooks } from './auggie/hooks.ts';
import { claudeHooks } from './claude/hooks.ts';
import { claudeSessionFile } from './claude/session-file.ts';
import { claudeTitle } from './claude/title.ts';
import { claudeTranscript } from './claude/transcript.ts';
import { clineHooks } from './cline/hooks.ts';
import { clineLogLines } from './cline/log.ts';
import { codexAppServer } from './codex/app-server.ts';
import { codexExecLines } from './codex/exec-lines.ts';
import { codexHooks } from './codex/hooks.ts';
import { codexNotify } from './codex/notify.ts';
import { codexRollout } from './codex/rollout.ts';
import { codexTitle } from './codex/title.ts';
import { lastWordsNormaliser } from './conversation/last-words-normaliser.ts';
import { copilotEventsFile } from './copilot/events-file.ts';
import { copilotHooks } from './copilot/hooks.ts';
import { cursorHooks } from './cursor/hooks.ts';
import { geminiConversation } from './gemini/conversation.ts';
import { geminiHooks } from './gemini/hooks.ts';
import { geminiTitle } from './gemini/title.ts';
import { piEvents } from './pi/events.ts';
import { qwenConversation } from './qwen/conversation.ts';
import { qwenHooks } from './qwen/hooks.ts';
import { qwenTitle } from './qwen/title.ts';
import { emitEvents } from './shared/emit.ts';
import { osc3008 } from './shared/osc-3008.ts';
import { osc7501 } from './shared/osc-7501.ts';
import { paneOption } from './shared/pane-option.ts';
import {
  clineTitle,
  copilotTitle,
  kiloTitle,
  opencodeTitle,
  piTitle,
} from './shared/plain-titles.ts';
import { sessionBusEvents } from './shared/session-bus.ts';
import { sessionConversation } from './shared/session-conversation.ts';
import { sessionLogLines } from './shared/session-log.ts';
import { wrapperEvents } from './shared/wrapper.ts';

type Row = readonly [name: string, normalise: Normaliser];

/** Sources whose value holds until it changes; every other source sends events. */
const levels: ReadonlySet<string> = new Set(['claude-session-file', 'title', 'pane-option']);

const status: Row = ['osc-7501', osc7501];

const rows = {
  claude: [
    ['claude-session-file', claudeSessionFile],
    ['claude-hooks', claudeHooks],
    ['claude-transcript', claudeTranscript],
    ['title', claudeTitle],
    status,
  ],
  codex: [
    status,
    ['codex-app-server', codexAppServer],
    ['title', codexTitle],
    ['codex-hooks', codexHooks],
    ['codex-rollout', codexRollout],
    ['codex-notify', codexNotify],
    ['codex-exec', codexExecLines],
  ],
  gemini: [
    ['gemini-hooks', geminiHooks],
    ['title', geminiTitle],
    ['gemini-chat', lastWordsNormaliser(geminiConversation)],
  ],
  copilot: [
    ['copilot-events', copilotEventsFile],
    ['copilot-hooks', copilotHooks],
    ['title', copilotTitle],
  ],
  opencode: [
    ['opencode-events', sessionBusEvents],
    ['opencode-http', sessionBusEvents],
    ['opencode-log', sessionLogLines],
    ['title', opencodeTitle],
    ['opencode-session', lastWordsNormaliser(sessionConversation('opencode'))],
  ],
  kilo: [
    ['kilo-events', sessionBusEvents],
    ['kilo-http', sessionBusEvents],
    ['kilo-log', sessionLogLines],
    ['title', kiloTitle],
    ['kilo-session', lastWordsNormaliser(sessionConversation('kilo'))],
  ],
  qwen: [
    ['qwen-hooks', qwenHooks],
    ['title', qwenTitle],
    ['qwen-chat', lastWordsNormaliser(qwenConversation)],
  ],
  pi: [
    ['pi-extension', piEvents],
    ['title', piTitle],
  ],
  auggie: [['auggie-hooks', auggieHooks]],
  cline: [
    ['cline-log', clineLogLines],
    ['cline-hooks', clineHooks],
    ['title', clineTitle],
  ],
  cursor: [['cursor-hooks', cursorHooks]],
  amp: [],
  // Of every agent: after its own and before its screen.
  generic: [
    ['pane-option', paneOption],
    ['osc-3008', osc3008],
    status,
    ['emit', emitEvents],
    ['wrapper', wrapperEvents],
  ],
} as const satisfies Readonly<Record<string, readonly Row[]>>;

function rowsOf(agent: string): readonly Row[] {
  const own: readonly Row[] = Object.hasOwn(rows, agent) ? rows[agent as keyof typeof rows] : [];
  return [...own, ...rows.generic.filter(([name]) => own.every(([each]) => each !== name))];
}

/** For the registry: normalisers by agent and source name. */
export const builtinNormalisers: Readonly<Record<string, NormaliserTable>> = Object.fromEntries(
  Object.keys(rows).map((agent) => [agent, Object.fromEntries(rowsOf(agent))]),
);

/** The sources of an agent in their order; its rule file says the same, and a test holds them. */
export function sourceOrder(agent: string): readonly NormaliseContext['source'][] {
  return rowsOf(agent).map(([name], rank) => ({
    name: id<SourceName>(name),
    kind: levels.has(name) ? 'level' : 'edge',
    covers: [],
    rank,
  }));
}

/** A signal of one of an agent's sources, normalised where no adapter was loaded. */
export function normaliseSignal(
  agent: string,
  sourceName: string,
  raw: unknown,
  moment: Pick<NormaliseContext, 'nowMs' | 'previous' | 'sessionKey'>,
): ReturnType<Normaliser> {
  const source = sourceOrder(agent).find(({ name }) => name === sourceName);
  const normalise = builtinNormalisers[agent]?.[sourceName];
  if (!source || !normalise) return { kind: 'unknown', reason: `no source ${sourceName}` };
  return normalise(raw, { agent: id<AgentName>(agent), source, ...moment });
}
