// The work of many agents as their hooks and status files report it: prompts, tools, sometimes an
// approval, the end of the turn. Most events of a turn change no state, as in real recordings.

import type { Observation } from '../src/core/ingest.ts';
import type { Claim, Evidence } from '../src/schema/evidence.ts';
import { type EventId, id } from '../src/schema/ids.ts';
import type { State } from '../src/schema/state.ts';
import { claim, everyState, evidence, runtimeId, T0 } from '../tests/scenario.ts';

const hookCovers: State[] = ['running', 'completed', 'idle', 'error'];

interface Step {
  readonly source: 'hooks' | 'file';
  readonly type: string;
  readonly says: Claim['says'];
}

const hook = (type: string, says: Claim['says']): Step => ({ source: 'hooks', type, says });
const file = (says: Claim['says']): Step => ({ source: 'file', type: 'status', says });

/** One turn: a prompt, some tools, sometimes an approval, and its end. */
function turn(random: () => number): Step[] {
  const tools = Array.from({ length: 1 + Math.floor(random() * 6) }, () =>
    random() < 0.15
      ? [
          hook('PreToolUse', 'running'),
          hook('PermissionRequest', 'waiting_approval'),
          file('waiting_approval'),
          file('running'),
          hook('PostToolUse', 'running'),
        ]
      : [hook('PreToolUse', 'running'), hook('PostToolUse', 'running')],
  );
  return [
    hook('UserPromptSubmit', 'running'),
    file('running'),
    ...tools.flat(),
    hook('Stop', 'completed'),
    file('at_rest'),
  ];
}

/** An endless stream of what `panes` agents do, one observation a call. */
export function agentsAtWork(panes: number, random: () => number): () => Observation {
  const ahead: Step[][] = Array.from({ length: panes }, () => []);
  let serial = 0;
  return () => {
    const pane = Math.floor(random() * panes);
    const steps = ahead[pane] ?? [];
    if (steps.length === 0) steps.push(...turn(random));
    const step = steps.shift() as Step;
    serial += 1;
    return { kind: 'evidence', evidence: evidenceFrom(step, pane, serial) };
  };
}

function evidenceFrom({ source, type, says }: Step, pane: number, serial: number): Evidence {
  const isLevel = source === 'file';
  const isAsk = says === 'waiting_approval' && !isLevel;
  const stepClaim = claim(says, {
    covers: isLevel ? everyState : hookCovers,
    rank: isLevel ? 0 : 1,
    rule: type,
    ...(isAsk ? { about: `ask-${serial}` as Claim['about'] } : {}),
  });
  const key = `${source}-${serial}`;
  return evidence(source, T0 + serial, [stepClaim], {
    eventId: id<EventId>(key),
    dedupeKey: key,
    type,
    kind: isLevel ? 'level' : 'edge',
    runtimeId: runtimeId(pane),
    sourceSeq: serial,
    payload: { hook_event_name: type, tool_name: 'Bash', cwd: '/home/someone/project' },
  });
}
