// The rules of the policy, from the configuration and from what a person has muted. Pure.

import type { MuteRule } from '../schema/notify/episode.ts';
import type { NotifyConfig } from '../schema/notify/notify-config.ts';
import type { MuteItem } from '../schema/notify/user-notification.ts';
import type { PolicyRules } from './policy/policy.ts';

/** Those whose time is not over. */
export const storedMutes = (mutes: readonly MuteItem[], nowMs: number): MuteItem[] =>
  mutes.filter(({ untilMs }) => untilMs === undefined || untilMs > nowMs);

export function policyRules(config: NotifyConfig, stored: readonly MuteRule[]): PolicyRules {
  const { kinds, atOnce, dwellMs, cooldownMs, digestMs } = config;
  return {
    kinds,
    atOnce,
    dwellMs,
    cooldownMs,
    digestMs,
    mutes: [...stored, ...configMutes(config)],
  };
}

export const configMutes = (config: NotifyConfig): readonly MuteRule[] => [
  ...config.quietHours.map((hours) => ({ hours })),
  ...config.muteAgents.map((agent) => ({ agent })),
  ...config.muteSessions.map((session) => ({ session })),
  ...config.muteTargets.map((target) => ({ target })),
];
