// What holds back agents that write too much: so many messages in a time, so many between the same
// two, so many in a row in which no person wrote. People are not held back by these. Pure.

import { type Outcome, ok, refuse } from '../../schema/outcome.ts';

export const PER_MINUTE_MS = 60_000;
export const PAIR_MS = 600_000;

export interface TrafficLimits {
  /** Messages of one agent in a minute. */
  readonly perMinuteMax: number;
  /** Messages between two agents, both ways, in ten minutes. */
  readonly pairMax: number;
  /** Messages of agents in a row, each a reply to the one before. */
  readonly hopMax: number;
}

export interface Traffic {
  readonly sentCount: number;
  /** The busiest pair of this message. */
  readonly pairCount: number;
  readonly hopCount: number;
}

/** Whether an agent may write one more message now. */
export function judgeTraffic(traffic: Traffic, limits: TrafficLimits): Outcome<null> {
  const { sentCount, pairCount, hopCount } = traffic;
  if (sentCount >= limits.perMinuteMax) {
    return refuse('E_MESSAGE_RATE', `it wrote ${sentCount} messages in the last minute`);
  }
  if (hopCount > limits.hopMax) {
    const detail = `${hopCount} messages of agents follow each other without one of a person`;
    return refuse('E_MESSAGE_LOOP', detail);
  }
  if (pairCount >= limits.pairMax) {
    const detail = `${pairCount} messages passed between the two in the last ten minutes`;
    return refuse('E_MESSAGE_LOOP', detail);
  }
  return ok(null);
}
