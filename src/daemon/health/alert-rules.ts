// What is an alert and what ends it: each kind of signal turned into conditions that stand or have
// ended. Pure; alerts.ts keeps them. A condition that nothing could end has a time instead.

import type { AlertItem } from '../../schema/api/health.ts';
import type { TargetId } from '../../schema/ids.ts';
import type { ChannelStatus } from '../../schema/state.ts';
import { counted } from '../../text/counted.ts';

/** Stable names, as scripts match on them. */
export const alertCodes = [
  'source_silent',
  'tmux_absent',
  'tmux_degraded',
  'spool_problem',
  'events_refused',
  'part_held_down',
  'store_fault',
  'slo_breach',
  'rules_invalid',
  'config_invalid',
  'event_quarantined',
  'too_many_alerts',
  'target_unreachable',
  'tmux_missing',
  'tmux_ended',
  'notify_failed',
  'teams_invalid',
] as const;
export type AlertCode = (typeof alertCodes)[number];

export interface AlertKey {
  readonly code: AlertCode;
  readonly about: string;
}

/** Something that is wrong until it ends. */
export interface Condition extends AlertKey {
  readonly level: AlertItem['level'];
  readonly detail: string | null;
  /** Ends by itself unless it is reported again. */
  readonly endsAtMs?: number;
  /** Since when it stands, where that is before it was reported. */
  readonly sinceMs?: number;
}

export interface FileMistake {
  readonly file: string;
  readonly problem: string;
}

/** What the parts of the daemon report. */
export type AlertSignal =
  | {
      readonly kind: 'channel';
      readonly channel: string;
      /** `unused`: no live agent depends on it. */
      readonly status: ChannelStatus | 'unused';
    }
  | {
      readonly kind: 'server';
      readonly server: string;
      /** `unwatched`: it is not one of the chosen servers any more. */
      readonly status: 'connecting' | 'connected' | 'absent' | 'degraded' | 'unwatched';
      readonly detail: string | null;
      /** False: it is watched in case it comes, and nobody has named it. */
      readonly isExpected?: boolean;
    }
  | {
      readonly kind: 'server_ended';
      readonly server: string;
      /** What was in it. */
      readonly panes: number;
      readonly agents: number;
    }
  | {
      readonly kind: 'target';
      readonly targetId: TargetId;
      /** Since when it does not answer; null while it does. */
      readonly downSinceMs: number | null;
      readonly hasTmux: boolean;
      readonly detail: string | null;
    }
  | { readonly kind: 'spool_file'; readonly file: string; readonly problem: string }
  | { readonly kind: 'spool_health'; readonly folder: string; readonly problem: string | null }
  | { readonly kind: 'event_refused'; readonly source: string; readonly code: string }
  | {
      readonly kind: 'part';
      readonly part: string;
      readonly heldUntilMs: number | null;
      readonly problem?: string;
    }
  | {
      readonly kind: 'store';
      /** Commits to the store, or the pages of its file. Absent: commits. */
      readonly about?: 'store' | 'database';
      readonly code: string | null;
      readonly detail: string | null;
    }
  | {
      readonly kind: 'budget';
      readonly name: string;
      readonly measured: number;
      readonly limit: number;
    }
  | { readonly kind: 'rule_files'; readonly problems: readonly FileMistake[] }
  | { readonly kind: 'config'; readonly problems: readonly FileMistake[] }
  | { readonly kind: 'teams'; readonly problems: readonly FileMistake[] }
  | { readonly kind: 'notify'; readonly channel: string; readonly problem: string | null }
  | { readonly kind: 'quarantined'; readonly eventId: string }
  | { readonly kind: 'target_removed'; readonly targetId: TargetId };

export interface Ruling {
  readonly standing: readonly Condition[];
  /** Conditions of these keys have ended, unless they are standing above. */
  readonly ended: readonly AlertKey[];
  /** All conditions of this code that are not standing above have ended. */
  readonly endedCode?: AlertCode;
  /** All conditions of this target have ended: it is not watched any more. */
  readonly endedTarget?: TargetId;
}

/** How long the end of a server is news: long enough for somebody who was away for a moment. */
export const SERVER_ENDED_MS = 900_000;
/** A refusal has no end: its alert ends when none follows for this long. */
const MOMENT_MS = 600_000;
/** A channel of notifications that failed may not be used again for hours. */
const NOTIFY_FAILED_MS = 86_400_000;
const DETAIL_LENGTH_MAX = 300;

const cut = (text: string): string => text.slice(0, DETAIL_LENGTH_MAX);

function mistakes(code: AlertCode, problems: readonly FileMistake[]): Ruling {
  const standing = problems.map(({ file, problem }) => ({
    code,
    about: file,
    level: 'warn' as const,
    detail: cut(problem),
  }));
  return { standing, ended: [], endedCode: code };
}

/** One condition that holds or has ended. */
function either(
  key: AlertKey,
  stands: { readonly level: Condition['level']; readonly detail: string | null } | null,
): Ruling {
  if (stands === null) return { standing: [], ended: [key] };
  const detail = stands.detail === null ? null : cut(stands.detail);
  return { standing: [{ ...key, level: stands.level, detail }], ended: [] };
}

type SignalOf<Kind extends AlertSignal['kind']> = Extract<AlertSignal, { kind: Kind }>;

function ofChannel({ channel, status }: SignalOf<'channel'>): Ruling {
  const level = status === 'down' ? 'degraded' : 'warn';
  const key = { code: 'source_silent', about: channel } as const;
  const isMissed = status !== 'fresh' && status !== 'unused';
  return either(key, isMissed ? { level, detail: `the channel is ${status}` } : null);
}

// A machine has no server before tmux is started, so this is a warning only; and nothing is missed
// where a server is absent that nobody has named.
function ofServer({ server, status, detail, isExpected = true }: SignalOf<'server'>): Ruling {
  if (status === 'connecting') return { standing: [], ended: [] };
  const absent = { code: 'tmux_absent', about: server } as const;
  const degraded = { code: 'tmux_degraded', about: server } as const;
  const words = detail === null ? null : cut(detail);
  if (status === 'connected') return { standing: [], ended: [absent, degraded] };
  if (status === 'unwatched') {
    const over = { code: 'tmux_ended', about: server } as const;
    return { standing: [], ended: [absent, degraded, over] };
  }
  if (status === 'absent' && !isExpected) return { standing: [], ended: [absent, degraded] };
  return status === 'absent'
    ? { standing: [{ ...absent, level: 'warn', detail: words }], ended: [degraded] }
    : { standing: [{ ...degraded, level: 'degraded', detail: words }], ended: [absent] };
}

/** A server that a person closed with its last pane is no news. */
function ofEndedServer(
  { server: about, panes, agents }: SignalOf<'server_ended'>,
  nowMs: number,
): Ruling {
  if (agents === 0 && panes < 2) return { standing: [], ended: [] };
  const detail = `${counted(agents, 'agent')} and ${counted(panes, 'pane')} are gone with it`;
  const endsAtMs = nowMs + SERVER_ENDED_MS;
  return {
    standing: [{ code: 'tmux_ended', about, level: 'warn', detail, endsAtMs, sinceMs: nowMs }],
    ended: [],
  };
}

function ofTarget({ targetId: about, downSinceMs, hasTmux, detail }: SignalOf<'target'>): Ruling {
  const unreachable = { code: 'target_unreachable', about } as const;
  const missing = { code: 'tmux_missing', about } as const;
  if (downSinceMs !== null) {
    const words = detail === null ? null : cut(detail);
    const condition = { ...unreachable, level: 'degraded', detail: words } as const;
    return { standing: [{ ...condition, sinceMs: downSinceMs }], ended: [missing] };
  }
  const install = 'tmux is not on PATH; install it, or add its folder to PATH';
  const { standing, ended } = either(missing, hasTmux ? null : { level: 'warn', detail: install });
  return { standing, ended: [...ended, unreachable] };
}

function ofBudget({ name, measured, limit }: SignalOf<'budget'>): Ruling {
  const key = { code: 'slo_breach', about: name } as const;
  const detail = `${Number(measured.toFixed(1))} measured, ${limit} allowed`;
  return either(key, measured > limit ? { level: 'degraded', detail } : null);
}

// A part that is no longer wanted never reports its restart, so the alert ends by time.
function ofPart({ part: about, heldUntilMs, problem }: SignalOf<'part'>): Ruling {
  const key = { code: 'part_held_down', about } as const;
  if (heldUntilMs === null) return { standing: [], ended: [key] };
  const held = 'it failed too often and is left alone for a while';
  const detail = cut(problem === undefined ? held : `${held}: ${problem}`);
  return { standing: [{ ...key, level: 'escalate', detail, endsAtMs: heldUntilMs }], ended: [] };
}

// A channel that is no longer used never delivers, so the alert ends by time.
function ofNotify({ channel: about, problem }: SignalOf<'notify'>, nowMs: number): Ruling {
  const key = { code: 'notify_failed', about } as const;
  if (problem === null) return { standing: [], ended: [key] };
  const endsAtMs = nowMs + NOTIFY_FAILED_MS;
  return { standing: [{ ...key, level: 'warn', detail: cut(problem), endsAtMs }], ended: [] };
}

/** What a signal says at `nowMs` about conditions. */
export function rule(signal: AlertSignal, nowMs: number): Ruling {
  const moment = (condition: Condition): Ruling => ({
    standing: [{ ...condition, endsAtMs: nowMs + MOMENT_MS }],
    ended: [],
  });
  switch (signal.kind) {
    case 'channel':
      return ofChannel(signal);
    case 'server':
      return ofServer(signal);
    case 'server_ended':
      return ofEndedServer(signal, nowMs);
    case 'target':
      return ofTarget(signal);
    case 'budget':
      return ofBudget(signal);
    case 'spool_file': {
      const detail = cut(`${signal.file}: ${signal.problem}`);
      return moment({ code: 'spool_problem', about: 'refused files', level: 'warn', detail });
    }
    case 'spool_health': {
      const { folder, problem } = signal;
      const stands = problem === null ? null : { level: 'degraded' as const, detail: problem };
      return either({ code: 'spool_problem', about: folder }, stands);
    }
    case 'event_refused': {
      const { source: about, code: detail } = signal;
      return moment({ code: 'events_refused', about, level: 'warn', detail });
    }
    case 'notify':
      return ofNotify(signal, nowMs);
    case 'part':
      return ofPart(signal);
    case 'store': {
      const { code, detail, about = 'store' } = signal;
      const words = code === null ? null : `${code}${detail === null ? '' : `: ${detail}`}`;
      const stands = words === null ? null : { level: 'escalate' as const, detail: words };
      return either({ code: 'store_fault', about }, stands);
    }
    case 'target_removed':
      return { standing: [], ended: [], endedTarget: signal.targetId };
    case 'rule_files':
      return mistakes('rules_invalid', signal.problems);
    case 'config':
      return mistakes('config_invalid', signal.problems);
    case 'teams':
      return mistakes('teams_invalid', signal.problems);
    case 'quarantined': {
      const detail = 'it ended the daemon twice and is not applied any more';
      return either(
        { code: 'event_quarantined', about: signal.eventId },
        { level: 'escalate', detail },
      );
    }
  }
}
