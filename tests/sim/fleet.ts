// The simulated truth: agents in panes that work, ask, finish, fail, are interrupted, exit and are
// started again. It knows nothing of the engine; sources look at it and tell what they can see.

import { pick } from '../crash/stream.ts';

export type Truth =
  | 'running'
  | 'waiting_approval'
  | 'waiting_input'
  | 'completed'
  | 'interrupted'
  | 'error'
  | 'fresh';

export interface SimAgent {
  readonly pane: number;
  /** Counts the lives of agents in this pane; 0: none has been here. */
  life: number;
  alive: boolean;
  truth: Truth;
  /** When the truth last changed, by the true clock. */
  sinceMs: number;
  startedAtMs: number;
  /** Everything that was ever true of this life. */
  readonly been: Set<Truth>;
}

/** What follows what. An agent waits only while it works, and rests only after it worked. */
const nextOf: Record<Truth, readonly Truth[]> = {
  fresh: ['running'],
  running: ['waiting_approval', 'waiting_input', 'completed', 'interrupted', 'error', 'completed'],
  waiting_approval: ['running', 'running', 'interrupted'],
  waiting_input: ['running', 'interrupted'],
  completed: ['running'],
  interrupted: ['running'],
  error: ['running'],
};

export function newFleet(panes: number): SimAgent[] {
  return Array.from({ length: panes }, (_, pane) => ({
    pane,
    life: 0,
    alive: false,
    truth: 'fresh',
    sinceMs: 0,
    startedAtMs: 0,
    been: new Set<Truth>(),
  }));
}

/** What happened to the truth, for sources that see things happen. */
export type Happening = { readonly agent: SimAgent; readonly what: Truth | 'started' | 'exited' };

/** One step of one agent's life. */
export function step(agent: SimAgent, random: () => number, nowMs: number): Happening {
  agent.sinceMs = nowMs;
  if (!agent.alive) {
    agent.life += 1;
    agent.alive = true;
    agent.truth = 'fresh';
    agent.startedAtMs = nowMs;
    agent.been.clear();
    return { agent, what: 'started' };
  }
  if (random() < 0.04) {
    agent.alive = false;
    return { agent, what: 'exited' };
  }
  agent.truth = pick(random, nextOf[agent.truth]);
  agent.been.add(agent.truth);
  return { agent, what: agent.truth };
}
